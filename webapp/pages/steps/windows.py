"""Rows of cells: the windows that matching tries, segmentations one above the other, words above their tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.pages.walkthrough.cells import StepCell, direction
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape, width_of
from webapp.web.localization import number

TEXT = 18.0
ROW = 34  # from one window to the next
HEAD = 28  # height of the headings
LEFT = 52.0  # of the windows; their lengths are before that
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


def windows_figure(windows: Sequence[Window]) -> Figure | None:
    """The windows of a decision, the longest first, aligned where they all begin or end; None if there are none."""
    shown = [window for window in windows if not window.folded]
    if not shown:
        return None
    grid = max(width_of(window.before + window.text + window.after, TEXT) for window in shown) + 20
    at_right = any(window.before for window in shown) or direction(shown[0].text) == "rtl"
    right = LEFT + grid
    shapes: list[Shape] = [FigureLabel(40, 14, _("length"), "quiet", 12, "end")]
    for at, window in enumerate(windows):
        top = float(HEAD + ROW * at)
        y = top + ROW / 2 + 6
        if window.folded:
            more = ngettext("one more length, no match", "%(num)s more lengths, no match", window.folded)
            shapes.append(FigureLabel(40, y - 1, "…", "quiet", 14, "end"))
            shapes.append(FigureLabel(LEFT + 4, y - 1, more, "quiet", 13, "start"))
            continue
        width = width_of(window.text, TEXT) + 12
        x = right - width if at_right else LEFT
        shapes += [
            FigureLabel(40, y, number(window.length), "quiet", 13, "end"),
            FigureBox(x, top + 3, width, ROW - 6, "hit" if window.hit else "miss", 5),
            FigureLabel(x + width / 2, y, window.text, "strong" * window.hit, TEXT, direction=direction(window.text)),
            FigurePath(_mark(window, right + 16, y), "hit" if window.hit else "miss"),
            FigureLabel(right + 38, y, window.outcome, "" if window.hit else "quiet", 13, "start"),
        ]
        if rest := window.before or window.after:
            end = x - 6 if at_right else x + width + 6
            shapes.append(FigureLabel(end, y, rest, "quiet", TEXT, "end" if at_right else "start"))
    total = right + 50 + max(width_of(window.outcome, 13) for window in shown)
    title = _("The windows that were tried, the longest first")
    return Figure("windows", total, HEAD + ROW * len(windows) + 4, tuple(shapes), title)


def segmentations_figure(
    rows: Sequence[tuple[str, Sequence[StepCell]]], *, title: str, most: float = 720, positions: bool = False
) -> Figure:
    """Several segmentations of one text, one above the other on one grid, in lines of at most about `most`.

    Each row has a name, and its tokens in reading order. Tokens that differ are framed; text of the kind `rest` has no
    box, a `gap` is left out. A line ends only where all rows have a boundary. With `positions`, those of the first row
    are numbered.
    """
    left = 24 + max(width_of(name, 15) for name, _cells in rows)
    placed = [_placed(cells) for _name, cells in rows]
    shared = sorted(set.intersection(*({end for _start, end, _cell in row} for row in placed)))
    shapes: list[Shape] = []
    y = begin = widest = 0.0
    while begin < shared[-1]:
        end = max((stop for stop in shared if stop <= begin + most), default=begin)
        if end <= begin:
            end = next(stop for stop in shared if stop > begin)
        if positions:
            edges = [begin, *(stop for _start, stop, _cell in placed[0] if begin < stop <= end)]
            shapes += [FigureLabel(left + x - begin, y + 10, number(at), "score", 11) for at, x in enumerate(edges)]
            y += 8
        for (name, _cells), row in zip(rows, placed, strict=True):
            if name:
                shapes.append(FigureLabel(0, y + 25, name, "strong", 15, "start"))
            for at, (first, last, cell) in enumerate(row):
                kinds = cell.kinds.split()
                if begin <= first and last <= end and "gap" not in kinds:
                    x = left + first - begin
                    box = f"k{at % 6 + 1}" + " differs" * ("differs" in kinds)
                    label = "unknown" * ("unknown" in kinds)
                    if "rest" not in kinds:
                        shapes.append(FigureBox(x + 2, y + 2, last - first - 4, 34, box, 6))
                    shapes.append(FigureLabel(x + (last - first) / 2, y + 26, cell.text, label, 20))
            y += 44
        widest = max(widest, end - begin)
        y += 18
        begin = end
    return Figure("segmentation", left + widest + 4, max(y - 18, 44), tuple(shapes), title)


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
    widths = [[width_of(character, 20) for character in cell.text] for cell in cells]
    ends = list(accumulate((sum(width + 8 for width in row if width) for row in widths), initial=0.0))
    return [(start, end, cell) for start, end, cell in zip(ends, ends[1:], cells, strict=False)]


def _mark(window: Window, x: float, y: float) -> str:
    """The outcome as a path: a tick, a dash for a window that is not looked up, or a cross."""
    if window.hit:
        return f"M{x:g} {y - 5:g}L{x + 4:g} {y:g}L{x + 12:g} {y - 10:g}"
    if window.skipped:
        return f"M{x + 1:g} {y - 5:g}H{x + 11:g}"
    return f"M{x + 1:g} {y - 10:g}L{x + 11:g} {y:g}M{x + 11:g} {y - 10:g}L{x + 1:g} {y:g}"
