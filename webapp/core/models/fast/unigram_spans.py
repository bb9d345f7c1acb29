"""Stretches of a long pre-token that mean the same wherever they stand, so that they can be remembered.

No piece reaches across a cut, so the best path of a text is that of its stretches, one after the other: as far as it is
better than the next by more than the rounding of a long sum can change. What no piece holds is unknown, however long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby
from math import inf

from webapp.core.text.character_classes import members

# No sum of scores may be larger, without sign.
LARGEST_SUM = 2.0**30
# So much rounding can change the difference of two such sums, for each of their terms: twice half a step, and as much
# again to be safe.
UNSURE = 2.0**-21


class UnigramSpans:
    """Cuts text where no piece reaches across, and says whether the best path of what is between is sure.

    >>> from webapp.core.models.fast.word_lengths import lengths_by_beginning
    >>> scores = {"low": -1.0, "er": -2.0, "e": -1.5, "r": -0.5, "。": -3.0}
    >>> stretches = UnigramSpans(scores, lengths_by_beginning(scores), unknown_score=-13.0)
    >>> stretches.cut("lower。low研究生")
    ['low', 'er', '。', 'low', '\\x00']
    >>> stretches.sure("low"), stretches.sure("er")  # "e" and "r" are as good as "er"
    (True, False)
    """

    def __init__(
        self, score_of: Mapping[str, float], lengths: Mapping[str, Sequence[int]], unknown_score: float
    ) -> None:
        """`lengths` are those of the pieces, by their beginnings."""
        self._score_of = score_of
        self._lengths = lengths
        self._unknown_score = unknown_score
        steepest = max(map(abs, (unknown_score, min(score_of.values()), max(score_of.values()))))
        self.longest = int(min(LARGEST_SUM / steepest, LARGEST_SUM)) if steepest else 0
        seen = set("".join(score_of))
        behind = set().union(*(piece[1:] for piece in score_of))
        self._unseen = next((chr(code) for code in range(0xD800) if chr(code) not in seen), None)
        self._unseen_run = re.compile(f"[^{_members(seen)}]++")
        self._stretch = re.compile(f".[{_members(behind)}]*+", re.DOTALL)

    def cut(self, text: str) -> list[str]:
        """The stretches of a text; a run of characters that no piece has becomes one such character."""
        return self._stretch.findall(text if self._unseen is None else self._unseen_run.sub(self._unseen, text))

    def sure(self, stretch: str) -> bool:
        """Whether rounding cannot change the best path of a stretch, whatever stands in front."""
        length = len(stretch)
        best = [0.0] + [-inf] * length
        second = [-inf] * (length + 1)
        start_of = [0] * (length + 1)
        for start in range(length):
            for piece_length in (1, *self._lengths.get(stretch[start : start + 2], ())):
                end = start + piece_length
                score = self._score_of.get(stretch[start:end], self._unknown_score if piece_length == 1 else None)
                if score is None or end > length:
                    continue
                candidate = best[start] + score
                if candidate > best[end]:
                    second[end] = best[end]
                    best[end] = candidate
                    start_of[end] = start
                elif candidate > second[end]:
                    second[end] = candidate
        end = length
        while end > 0:
            if best[end] - second[end] <= length * UNSURE:
                return False
            end = start_of[end]
        return True


def _members(characters: Iterable[str]) -> str:
    """The inside of a class that holds these characters, and all above the Basic Multilingual Plane.

    Ranges there would make `re` slow: nothing is cut in front of such a character.
    """
    return members(character for character in characters if character <= "\uffff") + "\U00010000-\U0010ffff"


def fused(stretches: Iterable[Sequence[int]], unknown_id: int) -> tuple[int, ...]:
    """The ids of stretches one after the other, each run of unknown ones made one.

    >>> fused([(3, 0), (0,), (5, 5)], unknown_id=0)
    (3, 0, 5, 5)
    """
    ids = tuple(chain.from_iterable(stretches))
    if unknown_id not in ids:
        return ids
    return tuple(id for key, run in groupby(ids) for id in ((key,) if key == unknown_id else run))
