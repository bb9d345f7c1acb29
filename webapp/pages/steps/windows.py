"""Rows of cells: the windows that matching tries, segmentations one above the other, words above their tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from unicodedata import bidirectional

import regex
from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.pages.walkthrough.cells import StepCell
from webapp.pages.walkthrough.lattice_drawing import width_of
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape
from webapp.web.localization import number

TEXT = 18.0
ROW = 34  # from one window to the next
HEAD = 28  # height of the headings
_CURSIVE = ("AL", "AN", "R")
MAX_ROWS = 16
"""Up to so many tries get a row each; of more, those in the middle share a row."""


@dataclass(frozen=True)
class Window:
    """One try: the text in the window, the text `before` and `after` it, and the outcome.

    A `skipped` window is not looked up. `folded` is the number of tries that share the row; they have no text.
    """

    length: int
    before: str = ""
    text: str = ""
    after: str = ""
    outcome: str = ""
    hit: bool = False
    skipped: bool = False
    folded: int = 0

    @property
    def mark(self) -> str:
        """The outcome as a symbol."""
        return "✓" if self.hit else "–" if self.skipped else "✗"


def fold_middle(windows: Iterable[Window]) -> list[Window]:
    """The rows, with those in the middle folded into one if there are more than `MAX_ROWS`.

    >>> [(row.length, row.folded) for row in fold_middle([Window(length) for length in range(20, 0, -1)])][7:9]
    [(13, 0), (12, 5)]
    """
    rows = list(windows)
    if len(rows) <= MAX_ROWS:
        return rows
    half = MAX_ROWS // 2
    hidden = rows[half : len(rows) - half + 1]
    return [*rows[:half], Window(hidden[0].length, folded=len(hidden)), *rows[len(rows) - half + 1 :]]


def windows_figure(windows: Sequence[Window], *, title: str) -> Figure | None:
    """The windows of a decision, the longest first; None if there are none.

    Right-to-left text is not cut into characters, since its letters join: each row has its window alone.
    """
    shown = [window for window in windows if not window.folded]
    if not shown:
        return None
    longest = max(shown, key=lambda window: len(window.before + window.text + window.after))
    whole = longest.before + longest.text + longest.after
    joined = any(bidirectional(character) in _CURSIVE for character in whole)
    clusters = regex.findall(r"\X", whole)
    widths = [max(width_of(cluster, TEXT) + 7, 17.0) for cluster in clusters]
    edges = [0.0, *accumulate(widths)]
    grid = max(edges[-1], width_of(whole, TEXT) + 12) if joined else edges[-1]
    left = 52.0
    right = left + grid
    outcomes = [window.outcome for window in shown]
    width = right + 46 + max(width_of(outcome, 13) for outcome in outcomes) + 4
    shapes: list[Shape] = [FigureLabel(40, 14, _("length"), "quiet", 12, "end")]
    y = float(HEAD)
    for window in windows:
        middle = y + ROW / 2 + 6
        if window.folded:
            shapes.append(FigureLabel(40, middle - 1, "…", "quiet", 14, "end"))
            more = ngettext("one more length, no match", "%(num)s more lengths, no match", window.folded)
            shapes.append(FigureLabel(left + 4, middle - 1, more, "quiet", 13, "start"))
        elif joined:
            shapes += _joined_row(window, left, grid, y)
            shapes += _outcome(window, right, middle)
        else:
            shapes += _row(window, clusters, edges, left, y)
            shapes += _outcome(window, right, middle)
        y += ROW
    return Figure("windows", width, y + 4, tuple(shapes), title)


def segmentations_figure(rows: Sequence[tuple[str, Sequence[StepCell]]], *, title: str, most: float = 720) -> Figure:
    """Several segmentations of one text, one above the other on one grid, in lines of at most about `most`.

    Each row has a name, and its tokens in reading order. Tokens that differ are framed. A line ends only where all
    rows have a boundary.
    """
    left = 8 + max(width_of(name, 15) for name, _cells in rows)
    placed = [_placed(cells) for _name, cells in rows]
    shared = sorted(set.intersection(*({end for _start, end, _cell in row} for row in placed)))
    total = max((row[-1][1] for row in placed if row), default=0.0)
    shapes: list[Shape] = []
    y = begin = widest = 0.0
    while begin < total:
        fitting = [end for end in shared if begin < end <= begin + most]
        end = fitting[-1] if fitting else next(stop for stop in shared if stop > begin)
        for (name, _cells), row in zip(rows, placed, strict=True):
            shapes.append(FigureLabel(0, y + 25, name, "strong", 15, "start"))
            for at, (first, last, cell) in enumerate(row):
                if begin <= first and last <= end:
                    shapes += _token(cell, at, left + 16 + first - begin, y, last - first)
            y += 44
        widest = max(widest, end - begin)
        y += 18
        begin = end
    return Figure("segmentation", left + 16 + widest + 4, max(y - 18, 44), tuple(shapes), title)


def words_figure(words: Sequence[tuple[str, Sequence[StepCell]]], *, title: str, most: float = 800) -> Figure | None:
    """Each word of a text above its tokens with their ids, in lines of at most about `most`; None without words."""
    if not words:
        return None
    shapes: list[Shape] = []
    x = y = widest = 0.0
    count = 0
    for text, tokens in words:
        widths = [max(width_of(token.text, 18) + 16, width_of(str(token.id), 11) + 8) for token in tokens]
        width = max(sum(widths), width_of(text, 16) + 4, 20)
        if x and x + width > most:
            x, y = 0.0, y + 112
        shapes.append(FigureLabel(x + width / 2, y + 18, text, "quiet", 16))
        shapes.append(FigurePath(f"M{x + 3:g} {y + 36:g}v-7H{x + width - 3:g}v7"))
        at = x + (width - sum(widths)) / 2
        for token, own in zip(tokens, widths, strict=True):
            shapes.append(FigureBox(at + 1, y + 40, own - 2, 30, f"k{count % 6 + 1}", 5))
            kind = "unknown" if "unknown" in token.kinds else ""
            shapes.append(FigureLabel(at + own / 2, y + 61, token.text, kind, 18))
            shapes.append(FigureLabel(at + own / 2, y + 86, "" if token.id is None else str(token.id), "id", 11))
            at += own
            count += 1
        x += width + 18
        widest = max(widest, x - 18)
    return Figure("tokens", widest, y + 92, tuple(shapes), title)


def _placed(cells: Sequence[StepCell]) -> list[tuple[float, float, StepCell]]:
    """The start and end of each token: characters are equally wide in all rows."""
    ends = list(accumulate((sum(_column(character) for character in cell.text) for cell in cells), initial=0.0))
    return [(start, end, cell) for start, end, cell in zip(ends, ends[1:], cells, strict=False)]


def _column(character: str) -> float:
    width = width_of(character, 20)
    return width + 8 if width else 0.0


def _token(cell: StepCell, at: int, x: float, y: float, width: float) -> list[Shape]:
    kinds = f"k{at % 6 + 1}" + (" differs" if "differs" in cell.kinds else "")
    label = "unknown" if "unknown" in cell.kinds else ""
    return [
        FigureBox(x + 2, y + 2, width - 4, 34, kinds, 6),
        FigureLabel(x + width / 2, y + 26, cell.text, label, 20),
    ]


def _row(window: Window, clusters: Sequence[str], edges: Sequence[float], left: float, y: float) -> list[Shape]:
    first = len(regex.findall(r"\X", window.before))
    last = first + len(regex.findall(r"\X", window.text))
    last = min(last, len(clusters))
    kind = "hit" if window.hit else "miss"
    shapes: list[Shape] = [
        FigureLabel(40, y + ROW / 2 + 6, number(window.length), "quiet", 13, "end"),
        FigureBox(left + edges[first], y + 3, edges[last] - edges[first], ROW - 6, kind, 5),
    ]
    # A row has its own characters: WordPiece adds a prefix to those of the text.
    own = regex.findall(r"\X", window.before + window.text + window.after)
    for at, cluster in enumerate(own[: len(clusters)]):
        inside = first <= at < last
        middle = left + (edges[at] + edges[at + 1]) / 2
        label = "strong" if inside and window.hit else "" if inside else "quiet"
        shapes.append(FigureLabel(middle, y + ROW / 2 + 6, cluster, label, TEXT))
    return shapes


def _joined_row(window: Window, left: float, grid: float, y: float) -> list[Shape]:
    width = width_of(window.text, TEXT) + 12
    return [
        FigureLabel(40, y + ROW / 2 + 6, number(window.length), "quiet", 13, "end"),
        FigureBox(left + grid - width, y + 3, width, ROW - 6, "hit" if window.hit else "miss", 5),
        FigureLabel(left + grid - width / 2, y + ROW / 2 + 6, window.text, "", TEXT, direction="rtl"),
    ]


def _outcome(window: Window, right: float, y: float) -> list[Shape]:
    """The outcome as a mark and in words, right of the grid."""
    x = right + 16
    if window.hit:
        mark = FigurePath(f"M{x:g} {y - 5:g}L{x + 4:g} {y:g}L{x + 12:g} {y - 10:g}", "hit")
    elif window.skipped:
        mark = FigurePath(f"M{x + 1:g} {y - 5:g}H{x + 11:g}", "miss")
    else:
        mark = FigurePath(f"M{x + 1:g} {y - 10:g}L{x + 11:g} {y:g}M{x + 11:g} {y - 10:g}L{x + 1:g} {y:g}", "miss")
    return [mark, FigureLabel(right + 38, y, window.outcome, "" if window.hit else "quiet", 13, "start")]
