"""The words that a sentence may have: those of a dictionary, runs of Latin letters, and unknown words.

How probable an unknown word is, spelled from characters that are no words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import log

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import runs_of

LONGEST_UNKNOWN = 4
"""Characters of the longest unknown word that segmentation tries; runs of Latin letters and digits may be longer."""
CODE_POINTS = 1_114_112 - 2_048  # of Unicode, without the surrogates


@dataclass(frozen=True)
class CharacterModel:
    """The probability of an unknown word's spelling: its length, then each character by itself.

    P(word) = P(length) · Π P(character). The length is geometric, (1 - q) · q ** (length - 1), with q = `longer`. A
    character has the probability (count + `floor`) / (Σ counts + `floor` · 1,112,064), one of all code points of
    Unicode, so that the probabilities of all spellings sum to 1 and none is 0. An n-gram model multiplies it with the
    probability of an unknown word after the words before it.

    >>> model = CharacterModel({"烎": 3, "嘦": 1}, longer=0.25, floor=0.001)
    >>> round(model.probability("烎"), 5)  # 0.75 · 3.001 / (4 + 1112.064)
    0.00202
    >>> model.probability("烎嘦") < model.probability("烎") * model.probability("嘦")
    True
    """

    counts: Mapping[str, int]
    longer: float = 0.25
    floor: float = 0.001

    def __post_init__(self) -> None:
        """Raises ValueError for a probability outside 0 to 1, or a floor with which one would be 0 as a number."""
        if not 0 <= self.longer < 1 or not 1e-12 <= self.floor <= 1e6:
            raise ValueError("longer must be from 0 to below 1, and floor from 1e-12 to 1e6")

    @cached_property
    def _total(self) -> float:
        return sum(self.counts.values()) + self.floor * CODE_POINTS

    def probability(self, word: str) -> float:
        """The probability of a spelling; 0 where it is too small for a number."""
        probability = (1 - self.longer) * self.longer ** (len(word) - 1)
        for character in word:
            probability *= self.character_probability(character)
        return probability

    def character_probability(self, character: str) -> float:
        """The probability of one character of an unknown word."""
        return (self.counts.get(character, 0) + self.floor) / self._total

    def score(self, word: str) -> float:
        """The natural logarithm of the probability.

        >>> round(CharacterModel({}).score("a" * 1000))
        -15307
        """
        return self._length_score(len(word)) + sum(map(self._character_score, word))

    def character_scores(self, text: str) -> list[float]:
        """The natural logarithm of each character's probability."""
        return list(map(self._character_score, text))

    def length_scores(self, longest: int) -> list[float]:
        """The natural logarithm of the probability of each length up to `longest`.

        >>> model = CharacterModel({"烎": 3})
        >>> lengths, characters = model.length_scores(2), model.character_scores("烎嘦")
        >>> lengths[1] + (characters[0] + characters[1]) == model.score("烎嘦")
        True
        """
        return [self._length_score(length) for length in range(1, longest + 1)]

    def _length_score(self, length: int) -> float:
        return log(1 - self.longer) + (length - 1) * (log(self.longer) if self.longer else -100.0)

    def _character_score(self, character: str) -> float:
        return log(self.character_probability(character))


Arc = tuple[int, int, float]
"""A word of the lattice: its end, its number, and what its spelling adds to its score; white space has number -1."""


class WordLattice:
    """The arcs of a sentence by the position where they start, computed when asked for, in the order of the text."""

    def __init__(
        self, sentence: str, dictionary: Dictionary, characters: CharacterModel | None, unknown: int, keep_runs: bool
    ) -> None:
        self._sentence = sentence
        self._id_of = dictionary.ids.get
        self._lengths_at = dictionary.lengths_by_beginning.get
        self._characters = characters
        self._unknown = unknown
        self._runs = dict(runs_of(sentence)) if keep_runs else {}
        self._inside = {at for start, end in self._runs.items() for at in range(start + 1, end)}
        # The scores of the unknown characters from `_first` to `_reached`.
        self._spelled: Sequence[float] = ()
        self._first = self._reached = 0
        self.unknown_lengths = [] if characters is None else characters.length_scores(LONGEST_UNKNOWN)
        """The score of each length of an unknown word; none where each unknown character stands alone."""

    def arcs(self, at: int) -> list[Arc]:
        """The words that start at a position, longest first; where white space is, it alone."""
        sentence, id_of = self._sentence, self._id_of
        length, character = len(sentence), sentence[at]
        here: list[Arc] = []
        for word_length in self._lengths_at(sentence[at : at + 2], ()):
            end = at + word_length
            if end <= length:
                word = id_of(sentence[at:end])
                if word is not None and end not in self._inside:
                    here.append((end, word, 0.0))
        word = id_of(character)
        end = self._runs.get(at, at + 1)
        if end > at + 1:
            if not here or here[-1][0] != end:
                spelled = 0.0 if self._characters is None else self._characters.score(sentence[at:end])
                here.append((end, self._unknown, spelled))
        elif word is not None:
            here.append((end, word, 0.0))
        elif character.isspace():
            here = [(end, -1, 0.0)]
        elif self._characters is None:
            here.append((end, self._unknown, 0.0))
        else:
            if self._reached <= at:
                self._first, self._reached = at, self._end_of_unknown(at)
                self._spelled = self._characters.character_scores(sentence[at : self._reached])
            sums = accumulate(self._spelled[at - self._first : at - self._first + LONGEST_UNKNOWN])
            lengths, unknown = self.unknown_lengths, self._unknown
            here += [(at + size, unknown, lengths[size - 1] + each) for size, each in enumerate(sums, 1)][::-1]
        return here

    def _end_of_unknown(self, at: int) -> int:
        """The end of the characters from `at` that are no words, white space or the beginning of a run."""
        sentence, id_of, runs, end = self._sentence, self._id_of, self._runs, at + 1
        while end < len(sentence) and end not in runs and id_of(sentence[end]) is None and not sentence[end].isspace():
            end += 1
        return end
