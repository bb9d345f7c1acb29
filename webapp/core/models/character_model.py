"""How probable an unknown word is, spelled from characters that are no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log

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
    _total: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raises ValueError for a probability outside 0 to 1, or a floor with which one would be 0 as a number."""
        if not 0 <= self.longer < 1 or not 1e-12 <= self.floor <= 1e6:
            raise ValueError("longer must be from 0 to below 1, and floor from 1e-12 to 1e6")
        object.__setattr__(self, "_total", sum(self.counts.values()) + self.floor * CODE_POINTS)

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
        score = log(1 - self.longer) + (len(word) - 1) * (log(self.longer) if self.longer else -100.0)
        return score + sum(log(self.character_probability(each)) for each in word)
