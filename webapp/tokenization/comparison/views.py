"""What pages and files show of a comparison: the drawing, the figures, and the agreement of each two rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from flask import Response, current_app, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from markupsafe import Markup

from webapp.rendering import pictures
from webapp.rendering.graphemes import cluster_ends
from webapp.rendering.pictures import PictureRow
from webapp.rendering.pictures.drawing import PictureKind
from webapp.tokenization.algorithms import inference_title
from webapp.tokenization.comparison.aligned_markup import (
    AlignedMarkup,
    AlignedPassage,
    as_text,
    first_tints,
    passages_of,
)
from webapp.tokenization.comparison.aligned_spans import AlignedSpan, SpanCounts, aligned_spans_of, span_counts
from webapp.tokenization.comparison.rows import ComparisonResult, ComparisonRow
from webapp.tokenization.comparison.state import Comparison
from webapp.tokenization.exports import picture_theme, picture_words
from webapp.tokenization.links import playground_address
from webapp.tokenization.measures.measured import MeasureGroups, groups_of, measure
from webapp.tokenization.messages import joined
from webapp.vocabularies import find, title_of
from webapp.web.htmx import private
from webapp.web.localization import number
from webapp.web.long_responses import long_response

DRAWN = 12_000  # characters; only the beginning of a longer text is drawn, but all of it is counted
MEASURED = 100_000  # characters; longer texts are measured on a page of their own


@dataclass(frozen=True)
class RowHead:
    """The name of a row beside its tokens, and how many tokens those are."""

    row: ComparisonRow
    name: str
    tokens: int
    most: int  # tokens of any row
    fewest: bool  # whether no row has fewer, and some have more
    address: str | None  # of the row in the playground


@dataclass(frozen=True)
class ComparisonView:
    """A comparison with its result.

    Its files are at `stem`; without one, the page has no tools. `shareable` says whether the comparison is that of a
    form, which sends what is too long for an address, and `linked` whether rows link to the playground.
    """

    comparison: Comparison
    compared: ComparisonResult
    stem: str = ""
    shareable: bool = False
    linked: bool = True

    @property
    def query(self) -> str | None:
        """The query string of files; None if it would be too long."""
        return self.comparison.link(current_app.config["MAX_LINK_CHARACTERS"]) if self.shareable else ""

    @property
    def shown(self) -> list[ComparisonRow]:
        """The rows that have tokens."""
        return self.compared.shown

    @cached_property
    def columns(self) -> list[AlignedSpan]:
        """The columns that are drawn."""
        text, encodings = self.compared.text, self.compared.encodings
        if not encodings:
            return []
        return aligned_spans_of(text, encodings, self.compared.agreement, DRAWN, self._inside)

    @property
    def drawn(self) -> int:
        """The number of characters that are drawn."""
        return self.columns[-1].end if self.columns else 0

    @cached_property
    def spans(self) -> SpanCounts:
        """How many spans the rows split differently, in the whole text."""
        return span_counts(self.compared.text, self.compared.encodings, self.compared.agreement, self._inside)

    @cached_property
    def names(self) -> list[str]:
        """A short name for each row: of its vocabulary, or with the algorithm where two rows share a vocabulary.

        Rows that only differ in how they apply one vocabulary are named by that.
        """
        rows = self.shown
        if len({(row.choice.algorithm, row.choice.vocabulary) for row in rows}) == 1 < len(rows):
            return [inference_title(row.choice.inference) for row in rows]
        short = [title_of(entry) if (entry := find(row.choice.vocabulary)) is not None else row.title for row in rows]
        return [row.title if short.count(name) > 1 else name for name, row in zip(short, rows, strict=True)]

    @property
    def count(self) -> str:
        """The number of tokens: `36–47`, or `36` if all rows have as many."""
        return "–".join(map(number, sorted({min(self.counts), max(self.counts)}))) if self.counts else ""

    @property
    def summary(self) -> str:
        """The result in a sentence or two."""
        counts = self.counts
        if not counts or not self.compared.text:
            return ""
        if min(counts) == max(counts):
            sentence = ngettext("One token.", "%(count)s tokens.", counts[0], count=number(counts[0]))
        else:
            sentence = _("%(least)s to %(most)s tokens.", least=number(min(counts)), most=number(max(counts)))
        if len(counts) < 2:
            return sentence
        differing, total = self.spans.differing, self.spans.spans
        if not differing:
            return joined([sentence, _("All tokenizers split the text in the same way.")])
        figures = {"differing": number(differing), "total": number(total)}
        return joined([sentence, _("Split differently: %(differing)s of %(total)s spans.", **figures)])

    @property
    def picture_rows(self) -> list[PictureRow]:
        """The rows of a picture."""
        rows = zip(self.shown, self.names, self.compared.encodings, strict=True)
        return [PictureRow(row.number, name, encoding) for row, name, encoding in rows]

    def text_parts(self) -> Iterator[str]:
        """Yield each row as text with bars between its tokens."""
        text = self.compared.text
        for row, cuts in zip(self.shown, self.compared.agreement.each, strict=True):
            yield f"{row.number} {row.title}\n{as_text(text, cuts, len(text))}\n\n"

    @property
    def heads(self) -> list[RowHead]:
        """The name of each row that has tokens, with all its tokens and the address of the playground."""
        return self._heads(self.counts, linked=self.linked)

    @property
    def measure_groups(self) -> MeasureGroups:
        """The measures that are not among the figures; none for a text of more than `MEASURED` characters."""
        if not self.shown or not 0 < len(self.compared.text) <= MEASURED:
            return []
        return groups_of(measure(self.shown, self.compared.text), gold=False, figures=False)

    @property
    def measures_address(self) -> str | None:
        """The page with all measures, with the text if the address is short enough; None where nothing is linked."""
        if not self.linked:
            return None
        query = self.comparison.link(current_app.config["MAX_LINK_CHARACTERS"])
        return f"{url_for('measures.page')}?{query or self.comparison.query_without_texts()}"

    @property
    def passages(self) -> Iterator[tuple[AlignedPassage, Sequence[RowHead], Markup, bool]]:
        """The aligned columns in passages, with the names of the rows, and whether they run from right to left."""
        text, columns = self.compared.text, self.columns
        markup = AlignedMarkup(text, [row.number for row in self.shown], show=self.comparison.common.show)
        tints = first_tints(columns)
        for at, passage in enumerate(passages_of(columns)):
            html = markup.html(passage, list(islice(tints, len(passage.columns))))
            # Only the first names are links: addresses are long, and a text may have many passages.
            heads = self._heads(passage.token_counts, linked=self.linked and at == 0)
            yield passage, heads, html, markup.is_right_to_left(passage)

    def _heads(self, counts: Sequence[int], *, linked: bool) -> list[RowHead]:
        most, least = max(counts, default=0), min(counts, default=0)
        return [
            RowHead(row, name, count, most, count == least < most, self._address(row) if linked else None)
            for name, count, row in zip(self.names, counts, self.shown, strict=True)
        ]

    def _address(self, row: ComparisonRow) -> str | None:
        """The row in the playground."""
        return playground_address(self.comparison.states[row.number - 1])

    @cached_property
    def counts(self) -> list[int]:
        """The number of tokens of each row that has any."""
        return list(map(len, self.compared.encodings))

    @cached_property
    def bytes(self) -> int:
        """The length of the text in UTF-8."""
        return len(self.compared.text.encode("utf-8", "replace"))

    @cached_property
    def _inside(self) -> dict[int, int]:
        return cluster_ends(self.compared.text)


def comparison_file(view: ComparisonView, kind: str) -> Response:
    """The comparison as a download of a `kind` from `WRITERS`; raises KeyError for any other."""
    mimetype, write = WRITERS[kind]
    response = long_response(write(view), mimetype=mimetype)
    # The file name is fixed: no input of the visitor goes into a header.
    response.headers["Content-Disposition"] = f"attachment; filename=comparison.{kind}"
    return private(response)


def _picture(view: ComparisonView, kind: PictureKind) -> list[str | bytes]:
    show = view.comparison.common.show
    words, theme = picture_words(), picture_theme()
    return [pictures.comparison_picture(view.picture_rows, kind, words, summary=view.summary, theme=theme, show=show)]


WRITERS: dict[str, tuple[str, Callable[[ComparisonView], Iterable[str | bytes]]]] = {
    "svg": ("image/svg+xml", lambda view: _picture(view, "svg")),
    "png": ("image/png", lambda view: _picture(view, "png")),
    "txt": ("text/plain", ComparisonView.text_parts),
}
"""The media type and the writer of each kind of file."""
