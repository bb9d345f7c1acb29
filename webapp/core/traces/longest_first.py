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


@dataclass(frozen=True, slots=True)
class PieceFit:
    """A piece that matches in open spans: its length in units, and its number of positions, which may overlap."""

    piece: str | bytes
    id: int
    length: int
    places: int


def beginning(model: LongestFirst, word: str) -> tuple[WordSpan, ...]:
    """Return the initial spans: the whole word as one open span, none for an empty word."""
    units = model.units(word)
    return (model.open_span(units, 0, len(units)),) if word else ()


def rounds(model: LongestFirst, word: str) -> Iterator[LongestFirstRound]:
    """Yield the rounds of a word, from the longest piece in it to the uncovered characters.

    >>> model = LongestFirst({"ab": 0, "a": 1, "b": 2})
    >>> [(one.piece, one.places) for one in rounds(model, "abb")]
    [('ab', (0,)), ('b', (2,))]
    """
    units = model.units(word) if word else []
    row = beginning(model, word)
    for length, id, places in model.taken(units):
        found = _found(model, units, row, id, length, places)
        yield found
        row = found.after
    yield from _uncovered(model, units, row)


def fits(model: LongestFirst, word: str, row: Sequence[WordSpan]) -> list[PieceFit]:
    """Return the pieces that match in the open spans of a word, in the order in which they are tried.

    >>> model = LongestFirst({"ab": 0, "a": 1, "b": 2})
    >>> [(fit.piece, fit.places) for fit in fits(model, "abb", beginning(model, "abb"))]
    [('ab', 1), ('a', 1), ('b', 2)]
    """
    units = model.units(word)
    inside = [span for span in row if span.status == "open"]
    counts: dict[tuple[int, int], list[int]] = {}
    for length, id, start in model.matches(units):
        if any(span.start <= start and start - length <= span.end for span in inside):
            counts.setdefault((length, id), []).append(start)
    return [
        PieceFit(model.as_piece(units, places[0], places[0] - length), id, -length, len(places))
        for (length, id), places in counts.items()
    ]


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
