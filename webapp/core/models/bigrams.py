"""Word bigrams with add-one smoothing: a text is segmented into the words that most likely follow each other.

Jurafsky and Martin, "Speech and Language Processing", third edition, chapter 3.1 (bigrams) and 3.6 (Laplace
smoothing). The model is trained by `webapp.core.trainers.bigrams`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log


class Mark(str):
    """The beginning or the end of a sentence; it equals no word, not even one that is written in the same way.

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
    """How often each word follows each other one. `words` are in the order in which they were first seen.

    >>> bigrams = Bigrams({(START, "a"): 2, ("a", "b"): 1, ("a", END): 1, ("b", END): 1}, ["a", "b"])
    >>> bigrams.count("a", "b"), bigrams.beginnings("a"), bigrams.kinds
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
        self._beginnings: Counter[str] = Counter()
        for (before, _), count in pairs.items():
            self._beginnings[before] += count

    @property
    def kinds(self) -> int:
        """How many different things can follow: every word, and the end of a sentence."""
        return len(self.words) + 1

    def count(self, before: str, word: str) -> int:
        """How often `word` follows `before`."""
        return self.pairs[before, word]

    def beginnings(self, before: str) -> int:
        """How often anything follows `before`."""
        return self._beginnings[before]

    def probability(self, before: str, word: str) -> float:
        """That `word` follows `before`, each count raised by one: from 0 to 1, and never 0."""
        return (self.pairs[before, word] + 1) / (self._beginnings[before] + self.kinds)

    def words_ending(self, text: str, end: int) -> list[tuple[int, str]]:
        """The words that end at a place, the longest first: `(start, word)`. A character is always one of them."""
        starts = range(max(0, end - self.longest), end)
        return [(start, text[start:end]) for start in starts if end - start == 1 or text[start:end] in self.ids]

    def segment(self, text: str) -> list[str]:
        """The most likely words of a text (Viterbi); of equal ones those that are found first."""
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
