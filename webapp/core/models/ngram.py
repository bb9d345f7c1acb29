"""N-gram segmentation: the words of a text that most probably follow each other.

A language model of unigrams, bigrams or trigrams gives each sequence of words a probability, the product over its words
and the end of the sentence of P(word | words before it). Segmentation finds the sequence with the highest one, exactly,
by dynamic programming. Jurafsky and Martin, "Speech and Language Processing", third edition, chapter 3; for Chinese,
Gao, Li, Wu and Huang 2005, "Chinese Word Segmentation and Named Entity Recognition", section 3. Trained by
`webapp.core.trainers.ngram`; as textbooks teach it: `webapp.core.reference.ngram`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from webapp.core.models.by_sentence import BySentence
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.ngram_counts import UNKNOWN, NGramCounts
from webapp.core.models.ngram_lattice import Arc, CharacterModel, WordLattice
from webapp.core.models.ngram_probabilities import Contribution, Probabilities, logarithm
from webapp.core.models.ngram_viterbi import ScoreTables, best_path
from webapp.core.models.smoothing import Smoothing, estimate

MOST_VARIANTS = 4
"""Of a model with other choices; the tables of one take up to 30 MB for the built-in model."""


class NGram(BySentence):
    """An n-gram model; it segments the whole text, sentence by sentence, and needs no pre-tokenizer.

    `smoothing` is one of `webapp.core.models.smoothing`, or a name, whose parameters are then estimated; `order` is 1
    to that of the counts, which is the default. `base` has the frequencies of a dictionary, by word: what is known of
    words where they were not counted. With `keep_runs` a run of Latin letters and digits is never split.

    Unknown words are made of characters that are no words. With `characters` there are unknown words of up to four
    characters (or a whole run), with the probability of the class UNKNOWN after the words before, times that of the
    spelling; UNKNOWN then belongs to the vocabulary whose probabilities sum to 1. Without it, as in textbooks, each
    such character stands alone with the probability of a word that was never counted.

    >>> from webapp.core.trainers.ngram import train
    >>> model = NGram(train([["人生", "如", "梦境"], ["人生", "如", "戏"], ["生如夏花"], ["梦境", "如", "人生"]]))
    >>> model.words("人生如梦境"), model.probability("如", ["人生"]) == (2 + 1) / (3 + 6)
    (['人生', '如', '梦境'], True)
    >>> model.segment("人生如梦境")
    ((0, 0, 2), (1, 2, 3), (2, 3, 5))
    """

    def __init__(
        self,
        counts: NGramCounts,
        smoothing: Smoothing | str = "add-one",
        order: int | None = None,
        *,
        base: Sequence[int] | None = None,
        characters: CharacterModel | None = None,
        keep_runs: bool = True,
        dictionary: Dictionary | None = None,
    ) -> None:
        """Raises ValueError for an order above that of the counts, KeyError for an unknown smoothing."""
        order = order or counts.order
        if not 1 <= order <= counts.order:
            raise ValueError(f"the order must be from 1 to {counts.order}, not {order}")
        self.counts = counts
        self.smoothing = estimate(smoothing, counts, order) if isinstance(smoothing, str) else smoothing
        self.order = order
        self.base = base
        self.characters = characters
        self.keep_runs = keep_runs
        super().__init__(dictionary or Dictionary(counts.words))
        size = len(counts.words) + 1 + (characters is not None or counts.counts_unknown)
        self.probabilities = Probabilities(counts, self.smoothing, order, size, base)
        self._variants: dict[tuple[str, int, bool], NGram] = {}

    @cached_property
    def tables(self) -> ScoreTables:
        """The logarithms of the probabilities; filled by segmenting."""
        return ScoreTables(self.probabilities)

    @property
    def vocabulary_size(self) -> int:
        """V: the words, the end of a sentence, and unknown words where they form a class."""
        return self.probabilities.size

    def probability(self, word: str, context: Sequence[str] = ()) -> float:
        """The probability that `word`, or END, follows the last words of `context`, which may begin with START.

        A word outside the vocabulary has that of an unknown word, without its spelling.
        """
        return self.probabilities.probability(self.counts.number(word), self._context(context))

    def contributions(self, word: str, context: Sequence[str] = ()) -> list[Contribution]:
        """What each order adds to `probability(word, context)`, from the highest to order 0.

        >>> from webapp.core.models.ngram_counts import END, START
        >>> counts = NGramCounts.of(["a"], {("a",): 3, (END,): 1, (START,): 1, (START, "a"): 1, ("a", "a"): 2,
        ...                                 ("a", END): 1})
        >>> for one in NGram(counts, "add-one").contributions("a", ["a"]):
        ...     print(one.order, one.count, one.total, round(one.share, 3), round(one.weight, 3))
        2 2 3 0.4 1.0
        0 0 0 0.5 0.4
        """
        return self.probabilities.contributions(self.counts.number(word), self._context(context))

    def score(self, word: str, context: Sequence[str] = ()) -> float:
        """The natural logarithm of the probability, for an unknown word with that of its spelling."""
        return logarithm(self.probability(word, context)) + self.further_score(word)

    def further_score(self, word: str) -> float:
        """What the spelling of an unknown word adds to its score; 0 for a word of the vocabulary."""
        if self.characters is None or self.counts.number(word) != self.counts.unknown or word == UNKNOWN:
            return 0.0
        return self.characters.score(word)

    def with_choices(self, smoothing: str, order: int, keep_runs: bool = True) -> NGram:
        """The model of the same counts with another smoothing and order, at most that of the counts.

        The latest few are kept with their tables.

        >>> from webapp.core.trainers.ngram import train
        >>> model = NGram(train([["a", "b"]]))
        >>> model.with_choices("kneser-ney", 1) is model.with_choices("kneser-ney", 1)
        True
        """
        order = min(order, self.counts.order)
        key = smoothing, order, keep_runs
        found = self._variants.pop(key, None)
        if found is None:
            found = NGram(
                self.counts,
                smoothing,
                order,
                base=self.base,
                characters=self.characters,
                keep_runs=keep_runs,
                dictionary=self.dictionary,
            )
            found._variants = self._variants
        self._variants[key] = found
        for oldest in list(self._variants)[:-MOST_VARIANTS]:
            self._variants.pop(oldest, None)
        return found

    def arcs(self, sentence: str) -> list[list[Arc]]:
        """The word lattice: for each position the words that start there, longest first.

        Each is `(end, number, further score)`; the number is that of `counts`, -1 for white space.
        """
        return list(map(self._lattice(sentence).arcs, range(len(sentence))))

    def lattice_path(self, sentence: str) -> list[tuple[int, int, int]]:
        """`(number, start, end)` of each word of the best path through the lattice, without white space."""
        counts = self.counts
        return best_path(self.tables, self._lattice(sentence).arcs, len(sentence), counts.start, counts.end)

    def _lattice(self, sentence: str) -> WordLattice:
        return WordLattice(sentence, self.dictionary, self.characters, self.counts.unknown, self.keep_runs)

    def _segment(self, sentence: str, /) -> tuple[tuple[int, ...], tuple[int, ...]]:
        ids: list[int] = []
        ends: list[int] = []
        at = 0
        other_ids, unknown_id = self.dictionary.other_ids, self.unknown_id
        for number, start, end in [*self.lattice_path(sentence), (-1, len(sentence), len(sentence))]:
            for space in range(at, start):
                ids.append(other_ids[sentence[space]])
                ends.append(space + 1)
            if number >= 0:
                ids.append(other_ids.get(sentence[start:end], unknown_id) if number == self.counts.unknown else number)
                ends.append(end)
            at = end
        return tuple(ids), tuple(ends)

    def _context(self, words: Sequence[str]) -> tuple[int, ...]:
        last = words[max(0, len(words) - self.order + 1) :] if self.order > 1 else ()
        return tuple(map(self.counts.number, last))
