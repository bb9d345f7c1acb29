r"""Stretches → HTML, as lines of interlinear text or as columns; strings are joined, for there are thousands.

Lines: a stretch holds a line for each row, one under the other, and stretches wrap as words do.

    <div class="paragraph"><span class="s"><b><i>low</i></b><b><i>lo</i><i class="k">w</i></b></span></div>

Columns: a piece of the text (a line, or some forty stretches) is a row of the grid, and a column holds a row's tokens.
The n-th stretch of each column is the same piece of text, so that a style sheet can light it up in all of them.

    <div class="piece"><div class="column"><span class="s"><i>low</i></span>…</div><div class="column">…</div></div>
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, starmap

import regex
from markupsafe import Markup, escape

from webapp.rendering.markup import visible
from webapp.tokenization.comparison.aligned_spans import AlignedCell, AlignedSpan
from webapp.tokenization.comparison.state import Layout

PIECE = 40  # stretches; static/compare.css lights up as many
_SENTENCE_END = (".", "!", "?", "。", "！", "？", "।", "؟")
_RIGHT_TO_LEFT = regex.compile(r"[\p{BC=R}\p{BC=AL}]")
_LEFT_TO_RIGHT = regex.compile(r"\p{BC=L}")


class AlignedMarkup:
    """The stretches of one text as HTML."""

    def __init__(
        self, text: str, stretches: Sequence[AlignedSpan], numbers: Sequence[int], *, show: bool = False
    ) -> None:
        """`numbers` are those of the rows; with `show`, spaces and line ends are to be seen."""
        self._numbers = numbers
        self._text = text
        self._stretches = stretches
        self._show = show
        self._cells: dict[tuple[object, ...], str] = {}  # rows say much the same
        self._bidirectional = _RIGHT_TO_LEFT.search(text) is not None

    def html(self, layout: Layout) -> Markup:
        """All of it."""
        return Markup("".join(self._columns() if layout == "columns" else self._lines()))

    def _lines(self) -> Iterator[str]:
        for paragraph in _paragraphs(self._stretches):
            # Numbers for every line that the paragraph may wrap to on a narrow page; those too many are cut off.
            times = 2 + sum(each.end - each.start for each in paragraph) // 8
            numbers = "\n\n".join(map(str, self._numbers))
            gutter = "\n\n\n".join([numbers] * times)
            stretches = "".join(map(self._stretch, paragraph))
            gutter = f'<span class="gutter" aria-hidden="true">{gutter}</span>'
            yield f'<div class="paragraph" dir="auto">{gutter}{stretches}</div>'

    def _columns(self) -> Iterator[str]:
        for piece in pieces_of(self._stretches, self._text):
            columns = []
            for row, number in enumerate(self._numbers):
                spans = (f'<span class="{_kind(each)}">{self._line(each.rows[row])}</span>' for each in piece)
                columns.append(f'<div class="column" dir="auto" data-row="{number}">{"".join(spans)}</div>')
            yield f'<div class="piece">{"".join(columns)}</div>'

    def _stretch(self, stretch: AlignedSpan) -> str:
        rows = "".join(f"<b>{self._line(row)}</b>" for row in stretch.rows)
        mark, attribute = self._direction(self._text[stretch.start : stretch.end])
        return f'{mark}<span class="{_kind(stretch)}"{attribute}>{rows}</span>{mark}'

    def _direction(self, text: str) -> tuple[str, str]:
        """Where the text has both directions: the mark that lets a stretch run in its own, and the attribute inside."""
        if not self._bidirectional:
            return "", ""
        if _RIGHT_TO_LEFT.search(text):
            return "&rlm;", ' dir="rtl"'
        return ("&lrm;", ' dir="ltr"') if _LEFT_TO_RIGHT.search(text) else ("", "")

    def _line(self, cells: Iterable[AlignedCell]) -> str:
        return "".join(map(self._cell, cells))

    def _cell(self, cell: AlignedCell) -> str:
        text = self._text
        own = text[cell.first : cell.last]
        before, behind = text[cell.start : cell.first], text[cell.last : cell.end]
        key = (before, own, behind, cell.tokens, cell.alone, cell.unknown, cell.special)
        html = self._cells.get(key)
        if html is None:
            html = self._cells[key] = self._written(cell, before, own, behind)
        return html

    def _written(self, cell: AlignedCell, before: str, own: str, behind: str) -> str:
        before, own, behind = map(self._shown, (before, own, behind))
        kinds = [
            name
            for name, holds in (
                ("k", cell.alone and not before),
                ("o", not cell.tokens and bool(own)),
                ("u", cell.unknown),
                ("x", cell.special),
            )
            if holds
        ]
        if before and cell.alone:
            before = f'<span class="k">{before}</span>'
        if not own:
            return before + behind
        attributes = f' class="{" ".join(kinds)}"' if kinds else ""
        attributes += f' data-n="{cell.tokens}"' if cell.tokens > 1 else ""
        return f"{before}<i{attributes}>{own}</i>{behind}"

    def _shown(self, text: str) -> str:
        if not text:
            return ""
        # A line end is seen, not obeyed: what follows it stands in another stretch.
        text = visible(text, self._show).replace("↵\n", "↵").replace("→\t", "⇥").replace("\n", "↵").replace("\t", "⇥")
        return str(escape(text))


def as_text(text: str, cuts: Sequence[int], last: int) -> str:
    """The tokens of one row up to offset `last`, with a bar between them: for whoever hears the page, or copies it.

    >>> as_text("however little", [3, 7, 10], 12)
    'how | ever |  li | tt'
    """
    edges = [0, *cuts[: bisect_left(cuts, last)], last]
    return visible(" | ".join(map(text.__getitem__, starmap(slice, pairwise(edges)))))


def _kind(stretch: AlignedSpan) -> str:
    return "s d" if stretch.disputed else "s"


def _paragraphs(stretches: Iterable[AlignedSpan]) -> Iterator[list[AlignedSpan]]:
    """The stretches between two line ends of the text."""
    paragraph: list[AlignedSpan] = []
    for stretch in stretches:
        paragraph.append(stretch)
        if stretch.ends_line:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def pieces_of(stretches: Iterable[AlignedSpan], text: str) -> Iterator[list[AlignedSpan]]:
    """The stretches in groups of at most `PIECE`, each ending with a line or a sentence if it can."""
    piece: list[AlignedSpan] = []
    for stretch in stretches:
        begins_line_end = text[stretch.start : stretch.end].isspace() and stretch.ends_line
        if piece and not begins_line_end and _is_whole(piece, text):
            yield piece
            piece = []
        piece.append(stretch)
        if stretch.ends_line or len(piece) == PIECE:
            yield piece
            piece = []
    if piece:
        yield piece


def _is_whole(piece: Sequence[AlignedSpan], text: str) -> bool:
    """Whether a piece is a sentence or more, and not too short for a row of its own."""
    last = piece[-1]
    return len(piece) * 4 >= PIECE and text[last.start : last.end].rstrip().endswith(_SENTENCE_END)
