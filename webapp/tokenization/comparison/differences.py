"""How many spans of a text the rows of a comparison split differently, for the whole text however long it is."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Sequence
from itertools import chain
from typing import NamedTuple

from webapp.core.analysis.measures import Agreement
from webapp.core.encoding import Encoding


class SpanCounts(NamedTuple):
    """The spans between the boundaries that all rows have, and how many of them the rows split differently."""

    spans: int
    differing: int


def span_counts(
    text: str, encodings: Sequence[Encoding], agreement: Agreement, inside: Container[int] = ()
) -> SpanCounts:
    """Count the spans of a text; `inside` has the offsets inside visible characters, where no span ends.

    A span differs if a row has a boundary in it, or if a character in it has more tokens in one row than in another.
    """
    if not text or not encodings:
        return SpanCounts(0, 0)
    edges = [offset for offset in agreement.agreed if offset not in inside] if inside else agreement.agreed
    differing = {bisect_right(edges, offset) for offset in agreement.disputed}
    extras = [
        Counter(bisect_right(edges, start) for start in _tokens_without_boundary(encoding, len(cuts)))
        for encoding, cuts in zip(encodings, agreement.each, strict=True)
    ]
    for at in frozenset().union(*extras):
        if len({each[at] for each in extras}) > 1:
            differing.add(at)
    return SpanCounts(len(edges) + 1, len(differing))


def _tokens_without_boundary(encoding: Encoding, boundaries: int) -> list[int]:
    """Where the tokens begin that share a character with the token before them, or that have no text."""
    if len(encoding) == boundaries + 1:
        return []  # each token begins at a boundary: the usual case, and fast
    starts, ends = encoding.starts, encoding.ends
    last = max(len(encoding.text) - 1, 0)
    before = chain((0,), ends)
    return [
        min(start, last)
        for start, end, reach in zip(starts, ends, before, strict=False)
        if start < reach or start == end
    ]
