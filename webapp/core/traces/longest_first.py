"""Trace of longest-first segmentation: the piece of each round, its positions, and the spans that remain open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webapp.core.models.longest_first import LongestFirst, WordSpan


@dataclass(frozen=True, slots=True)
class LongestFirstRound:
    """One round: the longest piece that matches in an open span, and the positions that it takes, from the left.

    `after` is the word after the round. In the last round no piece matches any more: `piece` is None, and `places` are
    the uncovered characters.
    """

    before: tuple[WordSpan, ...]
    after: tuple[WordSpan, ...]
    piece: str | bytes | None
    id: int | None
    places: tuple[int, ...]


def rounds(model: LongestFirst, word: str) -> Iterator[LongestFirstRound]:
    """Yield the rounds of a word, from the longest piece in it to the uncovered characters.

    >>> model = LongestFirst({"ab": 0, "a": 1, "b": 2})
    >>> [(one.piece, one.places) for one in rounds(model, "abb")]
    [('ab', (0,)), ('b', (2,))]
    """
    units = model.units(word) if word else []
    row: tuple[WordSpan, ...] = (model.open_span(units, 0, len(units)),) if word else ()
    for length, id, places in model.taken(units):
        found = _found(model, units, row, id, length, places)
        yield found
        row = found.after
    yield from _uncovered(model, units, row)


def _found(
    model: LongestFirst,
    units: Sequence[str] | bytes,
    row: tuple[WordSpan, ...],
    id: int,
    length: int,
    places: list[int],
) -> LongestFirstRound:
    after: list[WordSpan] = []
    for span in row:
        at = span.start
        for place in places if span.status == "open" else ():
            if span.start <= place < span.end:
                if at < place:
                    after.append(model.open_span(units, at, place))
                at = place + length
                after.append(model.piece_span(units, place, at))
        if at == span.start:
            after.append(span)
        elif at < span.end:
            after.append(model.open_span(units, at, span.end))
    piece = model.as_piece(units, places[0], places[0] + length)
    return LongestFirstRound(row, tuple(after), piece, id, tuple(places))


def _uncovered(
    model: LongestFirst, units: Sequence[str] | bytes, row: tuple[WordSpan, ...]
) -> Iterator[LongestFirstRound]:
    places = tuple(at for span in row if span.status == "open" for at in range(span.start, span.end))
    if not places:
        return
    after: list[WordSpan] = []
    for span in row:
        if span.status != "open":
            after.append(span)
            continue
        for at in range(span.start, span.end):
            after += model.fallback(model.open_span(units, at, at + 1))
    yield LongestFirstRound(row, tuple(after), None, None, places)
