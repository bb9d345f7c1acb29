"""Split behaviors of Hugging Face's `tokenizers`: how matches and the gaps between them form pre-tokens."""

from __future__ import annotations

from typing import Literal

from webapp.core.text.split_patterns import SplitPattern

Behavior = Literal["isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"]


def matches_and_gaps(pattern: SplitPattern, text: str) -> list[tuple[int, int, bool]]:
    """Return `(start, end, matched)` for the matches and the gaps between them, which together cover the text."""
    pieces = []
    position = 0
    for start, end in pattern.spans(text):
        if position < start:
            pieces.append((position, start, False))
        if start < end:
            pieces.append((start, end, True))
        position = end
    if position < len(text):
        pieces.append((position, len(text), False))
    return pieces


def apply_behavior(pieces: list[tuple[int, int, bool]], behavior: Behavior) -> list[tuple[int, int]]:
    """Return the ranges of the pre-tokens that a behavior forms from matches and gaps.

    >>> apply_behavior([(0, 1, False), (1, 2, True), (2, 3, True), (3, 4, False)], "merged_with_next")
    [(0, 1), (1, 2), (2, 4)]
    """
    if behavior == "isolated":
        return [(start, end) for start, end, _ in pieces]
    if behavior == "removed":
        return [(start, end) for start, end, matched in pieces if not matched]
    ranges: list[tuple[int, int]] = []
    before: bool | None = None
    for start, end, matched in pieces:
        joins = {
            "merged_with_previous": matched and before is False,
            "merged_with_next": not matched and before is True,
            "contiguous": matched == before,
        }[behavior]
        if joins:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((start, end))
        before = matched
    return ranges
