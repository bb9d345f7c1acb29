"""Diagrams of words below the characters that they cover: words that overlap, and segmentations to compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.reference.matching import backward, forward
from webapp.pages.walkthrough.lattice_drawing import width_of
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape
from webapp.web.localization import number

CELL, ROW = 38, 42  # width of a character, height of a row
BOX = 32  # height of a word
CHARACTER, LABEL, POSITION = 20.0, 14.0, 11.0  # font sizes

WEDDING = "结婚\n的\n和\n和尚\n尚未"
MOLECULES = "结合\n合成\n成分\n分子\n子时"
BATS = "乒乓球\n乒乓球拍\n拍卖\n卖完\n完\n了"
ADMITTED = ("方成功", "考上", "了", "北大")
ADMITTED_CUT = ("方", "成功", "考上", "了", "北大")


def monk() -> Figure:
    """和尚 and 尚未 in the sentence about marriage, and what both directions take."""
    return _directions("结婚的和尚未结婚的", WEDDING, ("结婚", "的", "和", "尚未", "结婚", "的"))


def chain() -> Figure:
    """A chain of length 4, which both directions segment in the same way."""
    return _directions("结合成分子时", MOLECULES, ("结合", "成", "分子", "时"))


def bats() -> Figure:
    """Two readings of a sentence, both of them right."""
    text = "乒乓球拍卖完了"
    rows = [
        *lanes(_("in the dictionary"), occurrences(text, BATS.split())),
        segmentation(_("sold out"), ("乒乓球拍", "卖完", "了")),
        segmentation(_("auctioned off"), ("乒乓球", "拍卖", "完", "了")),
    ]
    return _figure(text, rows)


def spans() -> Figure:
    """A segmentation, the gold standard above it, and the positions between the characters."""
    rows = [
        segmentation(_("gold standard"), ADMITTED),
        segmentation(_("program"), ADMITTED_CUT, ADMITTED),
    ]
    return _figure("".join(ADMITTED), rows, positions=True)


def _directions(text: str, dictionary: str, right: tuple[str, ...]) -> Figure:
    words = dictionary.split()
    rows = [
        *lanes(_("in the dictionary"), occurrences(text, words)),
        segmentation("FMM", forward(words, text), right),
        segmentation("BMM", backward(words, text), right),
        segmentation(_("correct"), right),
    ]
    return _figure(text, rows)


def _figure(text: str, rows: list[SegmentRow], *, positions: bool = False) -> Figure:
    return segments_figure(text, rows, title=_("Words of “%(text)s”", text=text), positions=positions)


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
