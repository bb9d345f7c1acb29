"""Rows of words below the characters that they cover: words that overlap, and segmentations to compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.pages.walkthrough.lattice_drawing import width_of
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape
from webapp.web.localization import number

CELL, ROW = 38, 42  # width of a character, height of a row
BOX = 32  # height of a word
CHARACTER, LABEL, POSITION = 20.0, 14.0, 11.0  # font sizes


@dataclass(frozen=True)
class Segment:
    """A word from `start` to `end`. `kind` is that of its box: `token`, `hit` (it matters), `miss` (it is wrong)."""

    start: int
    end: int
    kind: str = "token"


@dataclass(frozen=True)
class SegmentRow:
    """A row of words that do not overlap."""

    label: str
    segments: Sequence[Segment]


def segmentation(label: str, words: Iterable[str], right: Sequence[str] = ()) -> SegmentRow:
    """A row with a segmentation; words that `right` does not have at the same place are wrong.

    >>> [one.kind for one in segmentation("FMM", ["研究生", "命", "科学"], ["研究", "生命", "科学"]).segments]
    ['miss', 'miss', 'token']
    """
    correct = set(spans_of(right))
    found = spans_of(words)
    return SegmentRow(label, [Segment(*span, "token" if not right or span in correct else "miss") for span in found])


def spans_of(words: Iterable[str]) -> list[tuple[int, int]]:
    """The start and end of each word of a segmentation.

    >>> spans_of(["研究", "生命"])
    [(0, 2), (2, 4)]
    """
    spans: list[tuple[int, int]] = []
    for word in words:
        start = spans[-1][1] if spans else 0
        spans.append((start, start + len(word)))
    return spans


def occurrences(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """The spans of a text that are words, in order of their starts; a single character does not count.

    >>> occurrences("和尚未", ["和", "和尚", "尚未"])
    [(0, 2), (1, 3)]
    """
    known = set(words)
    return [
        (start, end)
        for start in range(len(text))
        for end in range(start + 2, len(text) + 1)
        if text[start:end] in known
    ]


def lanes(label: str, spans: Sequence[tuple[int, int]]) -> list[SegmentRow]:
    """Rows in which no words overlap; a word that shares a character with another one is marked.

    >>> [len(row.segments) for row in lanes("words", [(0, 2), (1, 3), (2, 4)])]
    [2, 1]
    """
    rows: list[list[Segment]] = []
    for start, end in spans:
        overlaps = any(start < right and left < end for left, right in spans if (left, right) != (start, end))
        segment = Segment(start, end, "hit" if overlaps else "token")
        row = next((row for row in rows if row[-1].end <= start), None)
        if row is None:
            rows.append([segment])
        else:
            row.append(segment)
    return [SegmentRow(label if not index else "", row) for index, row in enumerate(rows)]


def segments_figure(text: str, rows: Sequence[SegmentRow], *, title: str, positions: bool = False) -> Figure:
    """Draw the characters of a text and rows of words below them, with `positions` between the characters."""
    left = max(width_of(row.label, LABEL) for row in rows) + 14
    top = 30.0 + (16 if positions else 0)
    width = left + CELL * len(text) + 8
    height = top + 12 + ROW * len(rows)
    shapes: list[Shape] = []
    for at in range(len(text) + 1):
        x = left + CELL * at
        shapes.append(FigurePath(f"M{x:g} {top + 4:g}V{height - 4:g}", "ghost"))
        if positions:
            shapes.append(FigureLabel(x, 12, number(at), "score", POSITION))
    shapes += [
        FigureLabel(left + CELL * (at + 0.5), top - 6, character, "", CHARACTER) for at, character in enumerate(text)
    ]
    for index, row in enumerate(rows):
        y = top + 12 + ROW * index
        if row.label:
            shapes.append(FigureLabel(0, y + BOX / 2 + 5, row.label, "quiet", LABEL, "start"))
        for one in row.segments:
            x, span = left + CELL * one.start + 2, CELL * (one.end - one.start) - 4
            shapes.append(FigureBox(x, y, span, BOX, one.kind, 7))
            kind = "unknown" if one.kind == "miss" else "on-token"
            shapes.append(FigureLabel(x + span / 2, y + BOX / 2 + 6, text[one.start : one.end], kind, 17))
    return Figure("segments", width, height, tuple(shapes), title)
