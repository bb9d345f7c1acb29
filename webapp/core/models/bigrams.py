"""Word bigrams with add-one smoothing: segments a text into the most probable sequence of words.

Jurafsky and Martin, "Speech and Language Processing", third edition, chapter 3.1 (bigrams) and 3.6 (Laplace
smoothing). The model is trained by `webapp.core.trainers.bigrams`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log


class Mark(str):
    """The beginning or the end of a sentence; it differs from every word, even from one with the same spelling.

    >>> START == "<s>", START == START, f"{START}"
    (False, True, '<s>')
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)


START: str = Mark("<s>")
END: str = Mark("</s>")


class Bigrams:
    """How often each word follows another; `words` are in order of first occurrence.

    >>> bigrams = Bigrams({(START, "a"): 2, ("a", "b"): 1, ("a", END): 1, ("b", END): 1}, ["a", "b"])
    >>> bigrams.count("a", "b"), bigrams.context_count("a"), bigrams.vocabulary_size
    (1, 2, 3)
    >>> bigrams.probability("a", "b") == (1 + 1) / (2 + 3)
    True
    >>> bigrams.segment("ab")
    ['a', 'b']
    """

    def __init__(self, pairs: Mapping[tuple[str, str], int], words: Sequence[str]) -> None:
        self.pairs = Counter(pairs)
        self.words = tuple(words)
        self.ids = {word: id for id, word in enumerate(self.words)}
        self.longest = max(map(len, self.words), default=1)
        self._context_counts: Counter[str] = Counter()
        for (before, _), count in pairs.items():
            self._context_counts[before] += count

    @property
    def vocabulary_size(self) -> int:
        """The number of distinct words, plus one for the end of a sentence."""
        return len(self.words) + 1

    def count(self, before: str, word: str) -> int:
        """How often `word` follows `before`."""
        return self.pairs[before, word]

    def context_count(self, before: str) -> int:
        """How often `before` occurs as the first word of a bigram."""
        return self._context_counts[before]

    def probability(self, before: str, word: str) -> float:
        """The probability that `word` follows `before`, with one added to each count; never 0."""
        return (self.pairs[before, word] + 1) / (self._context_counts[before] + self.vocabulary_size)

    def words_ending(self, text: str, end: int) -> list[tuple[int, str]]:
        """`(start, word)` of each word that ends at a position, longest first; a single character always counts."""
        starts = range(max(0, end - self.longest), end)
        return [(start, text[start:end]) for start in starts if end - start == 1 or text[start:end] in self.ids]

    def segment(self, text: str) -> list[str]:
        """The most probable words of a text (Viterbi); on a tie, those found first."""
        best: list[dict[str, tuple[float, int, str]]] = [{START: (0.0, 0, START)}]  # by end and last word
        for end in range(1, len(text) + 1):
            found: dict[str, tuple[float, int, str]] = {}
            for start, word in self.words_ending(text, end):
                for previous, (before, _, _) in best[start].items():
                    total = before + log(self.probability(previous, word))
                    if word not in found or total > found[word][0]:
                        found[word] = total, start, previous
            best.append(found)
        last = best[-1]
        word = max(last, key=lambda word: last[word][0] + log(self.probability(word, END)))
        words, end = [], len(text)
        while word != START:
            words.append(word)
            _, end, word = best[end][word]
        return words[::-1]
