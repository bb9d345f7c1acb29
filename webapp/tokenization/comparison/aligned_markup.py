r"""Aligned spans as HTML, in lines of interlinear text or in columns; joined strings, because there are thousands.

Lines: a span holds a line for each row, one below the other, and spans wrap like words.

    <div class="paragraph"><span class="s"><b><i>low</i></b><b><i>lo</i><i class="k">w</i></b></span></div>

Columns: a block of the text (a line, or about forty spans) is a row of the grid, and a column holds a row's tokens.
The n-th span of each column covers the same text, so that a style sheet can highlight it in all columns.

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

BLOCK = 40  # spans; static/compare.css highlights as many
_SENTENCE_END = (".", "!", "?", "。", "！", "？", "।", "؟")
_RIGHT_TO_LEFT = regex.compile(r"[\p{BC=R}\p{BC=AL}]")
_LEFT_TO_RIGHT = regex.compile(r"\p{BC=L}")


class AlignedMarkup:
    """Renders the spans of one text as HTML."""

    def __init__(self, text: str, spans: Sequence[AlignedSpan], numbers: Sequence[int], *, show: bool = False) -> None:
        """`numbers` are those of the rows; with `show`, spaces and line ends are visible."""
        self._numbers = numbers
        self._text = text
        self._spans = spans
        self._show = show
        self._cells: dict[tuple[object, ...], str] = {}  # many rows have the same cells
        self._bidirectional = _RIGHT_TO_LEFT.search(text) is not None

    def html(self, layout: Layout) -> Markup:
        """The HTML of all spans."""
        return Markup("".join(self._columns() if layout == "columns" else self._lines()))

    def _lines(self) -> Iterator[str]:
        for paragraph in _paragraphs(self._spans):
            # Numbers for every line that the paragraph may wrap to on a narrow page; CSS hides those beyond its height.
            times = 2 + sum(each.end - each.start for each in paragraph) // 8
            numbers = "\n\n".join(map(str, self._numbers))
            gutter = "\n\n\n".join([numbers] * times)
            spans = "".join(map(self._span, paragraph))
            gutter = f'<span class="gutter" aria-hidden="true">{gutter}</span>'
            yield f'<div class="paragraph" dir="auto">{gutter}{spans}</div>'

    def _columns(self) -> Iterator[str]:
        for block in blocks_of(self._spans, self._text):
            columns = []
            for row, number in enumerate(self._numbers):
                spans = (f'<span class="{_kind(each)}">{self._line(each.rows[row])}</span>' for each in block)
                columns.append(f'<div class="column" dir="auto" data-row="{number}">{"".join(spans)}</div>')
            yield f'<div class="piece">{"".join(columns)}</div>'

    def _span(self, span: AlignedSpan) -> str:
        rows = "".join(f"<b>{self._line(row)}</b>" for row in span.rows)
        mark, attribute = self._direction(self._text[span.start : span.end])
        return f'{mark}<span class="{_kind(span)}"{attribute}>{rows}</span>{mark}'

    def _direction(self, text: str) -> tuple[str, str]:
        """In a text with both directions, the mark that gives a span its own direction, and its `dir` attribute."""
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
        before, after = text[cell.start : cell.first], text[cell.last : cell.end]
        key = (before, own, after, cell.tokens, cell.alone, cell.unknown, cell.special)
        html = self._cells.get(key)
        if html is None:
            html = self._cells[key] = self._written(cell, before, own, after)
        return html

    def _written(self, cell: AlignedCell, before: str, own: str, after: str) -> str:
        before, own, after = map(self._shown, (before, own, after))
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
            return before + after
        attributes = f' class="{" ".join(kinds)}"' if kinds else ""
        attributes += f' data-n="{cell.tokens}"' if cell.tokens > 1 else ""
        return f"{before}<i{attributes}>{own}</i>{after}"

    def _shown(self, text: str) -> str:
        if not text:
            return ""
        # A line end is shown, but does not break the line: the text after it is in another span.
        text = visible(text, self._show).replace("↵\n", "↵").replace("→\t", "⇥").replace("\n", "↵").replace("\t", "⇥")
        return str(escape(text))


def as_text(text: str, cuts: Sequence[int], last: int) -> str:
    """The tokens of one row up to offset `last`, separated by bars, for screen readers and for copying.

    >>> as_text("however little", [3, 7, 10], 12)
    'how | ever |  li | tt'
    """
    edges = [0, *cuts[: bisect_left(cuts, last)], last]
    return visible(" | ".join(map(text.__getitem__, starmap(slice, pairwise(edges)))))


def _kind(span: AlignedSpan) -> str:
    return "s d" if span.disputed else "s"


def _paragraphs(spans: Iterable[AlignedSpan]) -> Iterator[list[AlignedSpan]]:
    """Yield the spans between two line ends of the text."""
    paragraph: list[AlignedSpan] = []
    for span in spans:
        paragraph.append(span)
        if span.ends_line:
            yield paragraph
            paragraph = []
    if paragraph:
        yield paragraph


def blocks_of(spans: Iterable[AlignedSpan], text: str) -> Iterator[list[AlignedSpan]]:
    """Yield the spans in blocks of at most `BLOCK`, each ending with a line or a sentence if possible."""
    block: list[AlignedSpan] = []
    for span in spans:
        begins_line_end = text[span.start : span.end].isspace() and span.ends_line
        if block and not begins_line_end and _is_whole(block, text):
            yield block
            block = []
        block.append(span)
        if span.ends_line or len(block) == BLOCK:
            yield block
            block = []
    if block:
        yield block


def _is_whole(block: Sequence[AlignedSpan], text: str) -> bool:
    """Whether a block ends with a sentence and is long enough for a row of its own."""
    last = block[-1]
    return len(block) * 4 >= BLOCK and text[last.start : last.end].rstrip().endswith(_SENTENCE_END)
