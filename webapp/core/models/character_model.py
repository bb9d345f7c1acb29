"""How probable an unknown word is, spelled from characters that are no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log

LONGEST_UNKNOWN = 4
"""Characters of the longest unknown word that segmentation tries; runs of Latin letters and digits may be longer."""
MOST_CHARACTERS = 20_000
"""Of which the scores are kept."""
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
    _scores: dict[str, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raises ValueError for a probability outside 0 to 1, or a floor with which one would be 0 as a number."""
        if not 0 <= self.longer < 1 or not 1e-12 <= self.floor <= 1e6:
            raise ValueError("longer must be from 0 to below 1, and floor from 1e-12 to 1e6")
        object.__setattr__(self, "_total", sum(self.counts.values()) + self.floor * CODE_POINTS)
        object.__setattr__(self, "_scores", {})

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
        score = self._scores.get(character)
        if score is None:
            if len(self._scores) >= MOST_CHARACTERS:
                self._scores.clear()
            score = self._scores[character] = log(self.character_probability(character))
        return score
