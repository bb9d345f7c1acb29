"""Spans of a long pre-token that have the same tokens wherever they stand, so that a cache can hold them.

- Exploits: text without spaces is one pre-token that never returns; the spans between its boundaries do.
- Invariant: no piece reaches across a boundary, so the best path of a text is the best paths of its spans one after
  the other, provided that each is better than the second best by more than the rounding of a long sum can change.
  Characters that no piece holds are unknown, and a run of them is one token however long it is.
- Proved by: `Unigram._best_path` of the whole text, and `webapp.core.reference.unigram`.
- Bought: nothing on the shipped vocabulary (0.97 on Japanese, which is mostly unknown to it); on vocabularies with long
  pre-tokens it is not measured apart yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby
from math import inf

from webapp.core.text.character_classes import members

# No sum of scores may be larger, without sign.
LARGEST_SUM = 2.0**30
# How much rounding can change the difference of two such sums, for each of their terms: twice half a step, doubled as
# a margin.
UNSURE = 2.0**-21


class UnigramSpans:
    """Splits text where no piece reaches across, and says whether the best path of a span is sure.

    >>> from webapp.core.models.fast.word_lengths import lengths_by_beginning
    >>> scores = {"low": -1.0, "er": -2.0, "e": -1.5, "r": -0.5, "。": -3.0}
    >>> spans = UnigramSpans(scores, lengths_by_beginning(scores), unknown_score=-13.0)
    >>> spans.cut("lower。low研究生")
    ['low', 'er', '。', 'low', '\\x00']
    >>> spans.sure("low"), spans.sure("er")  # "e" and "r" are as good as "er"
    (True, False)
    """

    def __init__(
        self, score_of: Mapping[str, float], lengths: Mapping[str, Sequence[int]], unknown_score: float
    ) -> None:
        """`lengths` gives the lengths of the pieces by their first two characters."""
        self._score_of = score_of
        self._lengths = lengths
        self._unknown_score = unknown_score
        steepest = max(map(abs, (unknown_score, min(score_of.values()), max(score_of.values()))))
        self.longest = int(min(LARGEST_SUM / steepest, LARGEST_SUM)) if steepest else 0
        seen = set("".join(score_of))
        inner = set().union(*(piece[1:] for piece in score_of))
        self._unseen = next((chr(code) for code in range(0xD800) if chr(code) not in seen), None)
        self._unseen_run = re.compile(f"[^{_members(seen)}]++")
        self._span = re.compile(f".[{_members(inner)}]*+", re.DOTALL)

    def cut(self, text: str) -> list[str]:
        """Split a text into spans; a run of characters that no piece has becomes one such character."""
        return self._span.findall(text if self._unseen is None else self._unseen_run.sub(self._unseen, text))

    def sure(self, span: str) -> bool:
        """Whether rounding cannot change the best path of a span, whatever text comes before it."""
        length = len(span)
        best = [0.0] + [-inf] * length
        second = [-inf] * (length + 1)
        start_of = [0] * (length + 1)
        for start in range(length):
            for piece_length in (1, *self._lengths.get(span[start : start + 2], ())):
                end = start + piece_length
                score = self._score_of.get(span[start:end], self._unknown_score if piece_length == 1 else None)
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
    """The inside of a character class with these characters and all above the Basic Multilingual Plane.

    Ranges there would make `re` slow, so no span begins with such a character.
    """
    return members(character for character in characters if character <= "\uffff") + "\U00010000-\U0010ffff"


def fused(spans: Iterable[Sequence[int]], unknown_id: int) -> tuple[int, ...]:
    """Join the ids of spans; each run of unknown ids becomes one.

    >>> fused([(3, 0), (0,), (5, 5)], unknown_id=0)
    (3, 0, 5, 5)
    """
    ids = tuple(chain.from_iterable(spans))
    if unknown_id not in ids:
        return ids
    return tuple(id for key, run in groupby(ids) for id in ((key,) if key == unknown_id else run))
