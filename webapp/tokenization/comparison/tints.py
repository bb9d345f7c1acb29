"""The colours of aligned tokens: a column starts with the same tint in all rows, so that agreement shows as bands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from webapp.tokenization.comparison.aligned_spans import AlignedSpan

TINTS = 6  # odd ones are deep, even ones light


def first_tints(columns: Sequence[AlignedSpan]) -> Iterator[list[int]]:
    """Yield for each column the tint of the first token of each row, from 1 to `TINTS`; the next tokens count on.

    A column into which a token continues goes on with each row's own tints.
    """
    lasts: tuple[int, ...] = ()
    start = 0
    for column in columns:
        boxes = [[cell.tokens for cell in cells if cell.first < cell.last] for cells in column.rows]
        continues = not column.starts and any(row and not row[0] for row in boxes)
        if not lasts or not continues:
            start = _start_after(start, lasts)
            firsts = [start] * len(boxes)
        else:
            firsts = [last if row and not row[0] else last % TINTS + 1 for row, last in zip(boxes, lasts, strict=True)]
        yield firsts
        before = lasts or (0,) * len(boxes)
        lasts = tuple(
            [
                (first + len(row) - 2) % TINTS + 1 if row else last
                for row, first, last in zip(boxes, firsts, before, strict=True)
            ]
        )


@lru_cache(1 << 12)
def _start_after(start: int, lasts: tuple[int, ...]) -> int:
    """The tint that begins a column after one that began with `start` and whose rows end with `lasts`.

    It is the last tint of as few rows as possible (of none, with up to five different ones), then differs from as many
    as possible in lightness too, and is then the next in the cycle.

    >>> _start_after(3, (5, 1, 5, 1))  # all deep: the next light one
    4
    """
    candidates = [(start + step) % TINTS + 1 for step in range(TINTS)]
    return min(candidates, key=lambda tint: (lasts.count(tint), sum((tint - last) % 2 == 0 for last in lasts)))
