"""What pages show of a comparison: the drawing, the figures, and the agreement of each two rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from flask import current_app, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from markupsafe import Markup

from webapp.core.algorithms import ALGORITHMS
from webapp.core.analysis.ambiguity import kind_of
from webapp.core.encoding import Encoding
from webapp.core.models.matching import Disagreement, Way, disagreements_of
from webapp.rendering.graphemes import cluster_ends
from webapp.rendering.markup import Painter, chunks
from webapp.rendering.pictures import ComparisonPicture, PictureRow
from webapp.tokenization.comparison.aligned_markup import (
    AlignedMarkup,
    Passage,
    as_text,
    first_tints,
    passages_of,
    picture_columns,
)
from webapp.tokenization.comparison.aligned_spans import AlignedSpan, SpanCounts, aligned_spans_of, span_counts
from webapp.tokenization.comparison.rows import ComparisonResult, ComparisonRow
from webapp.tokenization.comparison.state import Comparison, Layout
from webapp.tokenization.inferences import inference_title
from webapp.tokenization.measures.measured import measure
from webapp.tokenization.measures.table import MeasureGroup, groups_of
from webapp.tokenization.messages import ambiguity_name, joined, milliseconds
from webapp.tokenization.result import DISAGREEMENTS_SHOWN
from webapp.vocabularies import find, title_of
from webapp.web.localization import number

DRAWN = 12_000  # characters; only the beginning of a longer text is drawn, but all of it is counted
LONG = 200  # columns; more scroll in a pane of their own, so that the figures stay within reach
LONG_ROWS = 2_000  # characters, likewise for the rows one below another
MEASURED = 100_000  # characters; longer texts are measured on a page of their own
MOST_WAYS = 4  # the track has a colour for each number up to this


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
class ShownPassage:
    """Aligned columns with the names of the rows."""

    label: str
    heads: Sequence[RowHead]
    columns: Markup
    right_to_left: bool


@dataclass(frozen=True)
class Download:
    """A file of the comparison: its address, or None if the form has to send the text to `path`."""

    title: str
    path: str
    address: str | None


@dataclass(frozen=True)
class ComparisonTools:
    """What the toolbar offers; an embedded comparison has none of it."""

    layouts: Sequence[tuple[Layout, str, str | None]] = ()  # with title and address; without, a button of the form
    downloads: Sequence[Download] = ()
    shareable: bool = False


@dataclass(frozen=True)
class ComparisonView:
    """A comparison with its result and its tools; `linked` says whether rows link to the playground."""

    comparison: Comparison
    compared: ComparisonResult
    tools: ComparisonTools = field(default_factory=ComparisonTools)
    linked: bool = True

    milliseconds = staticmethod(milliseconds)

    @property
    def aligned(self) -> bool:
        """Whether the tokens of the rows are aligned."""
        return self.comparison.layout == "lines"

    @cached_property
    def shown(self) -> list[ComparisonRow]:
        """The rows that have tokens."""
        return [row for row, _encoding in self.compared.shown]

    @property
    def is_long(self) -> bool:
        """Whether the drawing scrolls in a pane of its own."""
        return len(self.columns) > LONG if self.aligned else self._last > LONG_ROWS

    @property
    def left_out(self) -> int:
        """The number of characters that are not drawn."""
        return len(self.compared.text) - self._last

    @property
    def most_ways(self) -> int:
        """The most ways to split a span for which the legend has a colour."""
        return min(len(self.shown), MOST_WAYS)

    @cached_property
    def columns(self) -> list[AlignedSpan]:
        """The columns that are drawn."""
        encodings = [encoding for _row, encoding in self.compared.shown]
        if not encodings:
            return []
        return aligned_spans_of(self.compared.text, encodings, self.compared.agreement, DRAWN, self._inside)

    @cached_property
    def spans(self) -> SpanCounts:
        """How many spans the rows split differently, in the whole text."""
        encodings = [encoding for _row, encoding in self.compared.shown]
        return span_counts(self.compared.text, encodings, self.compared.agreement, self._inside)

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

    @cached_property
    def count(self) -> str:
        """The number of tokens: `36–47`, or `36` if all rows have as many."""
        counts = self.counts
        if not counts:
            return ""
        least, most = min(counts), max(counts)
        return number(least) if least == most else f"{number(least)}–{number(most)}"

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
        if not self.spans.differing:
            return joined([sentence, _("All tokenizers split the text in the same way.")])
        differing = _(
            "Split differently: %(differing)s of %(total)s spans.",
            differing=number(self.spans.differing),
            total=number(self.spans.spans),
        )
        return joined([sentence, differing])

    @property
    def picture(self) -> ComparisonPicture:
        """What a picture shows."""
        names = zip(self.names, self.compared.shown, strict=True)
        rows = [PictureRow(row.number, name, len(encoding)) for name, (row, encoding) in names]
        columns = list(picture_columns(self.compared.text, self.columns, show=self.comparison.common.show))
        return ComparisonPicture(rows, columns, self.summary, self._last < len(self.compared.text))

    def texts(self) -> list[tuple[ComparisonRow, str]]:
        """Each row as text with bars between its tokens."""
        cuts = self.compared.agreement.each
        return [
            (row, as_text(self.compared.text, each, len(self.compared.text)))
            for each, (row, _encoding) in zip(cuts, self.compared.shown, strict=True)
        ]

    @property
    def heads(self) -> list[RowHead]:
        """The name of each row that has tokens, with all its tokens and the address of the playground."""
        return self._heads(self.counts, linked=True)

    @property
    def measure_groups(self) -> list[MeasureGroup]:
        """The measures that are not among the figures; none for a text of more than `MEASURED` characters."""
        if not self.shown or not 0 < len(self.compared.text) <= MEASURED:
            return []
        measured = measure(self.shown, self.compared.text)
        return groups_of(measured, gold=False, figures=False)

    @property
    def measures_address(self) -> str | None:
        """The page with all measures, with the text if the address is short enough; None where nothing is linked."""
        if not self.linked:
            return None
        query = self.comparison.link(current_app.config["MAX_LINK_CHARACTERS"])
        return f"{url_for('measures.page')}?{query or self.comparison.query_without_texts()}"

    @property
    def passages(self) -> Iterator[ShownPassage]:
        """The aligned columns, in passages."""
        text, columns = self.compared.text, self.columns
        rows = [row.number for row in self.shown]
        markup = AlignedMarkup(text, rows, show=self.comparison.common.show, notes=self._ambiguity_notes)
        tints = first_tints(columns)
        for at, passage in enumerate(passages_of(columns, text)):
            html = markup.html(passage, list(islice(tints, len(passage.columns))))
            # Only the first names are links: addresses are long, and a text may have many passages.
            heads = self._heads(passage.token_counts, linked=at == 0)
            yield ShownPassage(_label(passage), heads, html, markup.is_right_to_left(passage))

    @property
    def row_tokens(self) -> Iterator[tuple[RowHead, Markup]]:
        """The tokens of each row one after another."""
        for head, (_row, encoding) in zip(self.heads, self.compared.shown, strict=True):
            yield head, _tokens_until(encoding, self._last, show=self.comparison.common.show)

    def _heads(self, counts: Sequence[int], *, linked: bool) -> list[RowHead]:
        most, least = max(counts, default=0), min(counts, default=0)
        return [
            RowHead(row, name, count, most, count == least < most, self._address(row) if linked else None)
            for name, count, row in zip(self.names, counts, self.shown, strict=True)
        ]

    def _address(self, row: ComparisonRow) -> str | None:
        """The row in the playground."""
        if not self.linked:
            return None
        query = self.comparison.states[row.number - 1].link(current_app.config["MAX_LINK_CHARACTERS"])
        return f"{url_for('playground.page')}?{query}" if query else None

    @cached_property
    def _disagreements(self) -> list[Disagreement] | None:
        """Where the first FMM row and the first BMM row disagree; None unless there are both."""
        rows = [self._matching_row(direction) for direction in ("forward", "backward")]
        forward, backward = rows
        if forward is None or backward is None:
            return None
        return disagreements_of(self.compared.text, list(forward[1].ends), list(backward[1].ends))

    @property
    def _ambiguity_notes(self) -> dict[int, str]:
        """Where a disagreement of FMM and BMM begins, the kind of ambiguity."""
        return {place.start: ambiguity_name(kind_of(place)) for place in self._disagreements or ()}

    @property
    def same_dictionary(self) -> bool:
        """Whether the FMM row and the BMM row use the same dictionary."""
        forward, backward = self._matching_row("forward"), self._matching_row("backward")
        return bool(forward and backward and forward[0].choice.vocabulary == backward[0].choice.vocabulary)

    @property
    def disagreements(self) -> list[tuple[Disagreement, str]] | None:
        """The first places where FMM and BMM disagree, with the kind of ambiguity; None unless both are shown."""
        found = self._disagreements
        return (
            None if found is None else [(each, ambiguity_name(kind_of(each))) for each in found[:DISAGREEMENTS_SHOWN]]
        )

    @property
    def disagreements_left(self) -> int:
        """How many more there are."""
        return max(0, len(self._disagreements or ()) - DISAGREEMENTS_SHOWN)

    def _matching_row(self, direction: Way) -> tuple[ComparisonRow, Encoding] | None:
        for row, encoding in self.compared.shown:
            algorithm = ALGORITHMS[row.choice.algorithm]
            if algorithm.family == "dictionary" and algorithm.direction == direction:
                return row, encoding
        return None

    @cached_property
    def counts(self) -> list[int]:
        """The number of tokens of each row that has any."""
        return [len(encoding) for _row, encoding in self.compared.shown]

    @cached_property
    def bytes(self) -> int:
        """The length of the text in UTF-8."""
        return len(self.compared.text.encode("utf-8", "replace"))

    @cached_property
    def _inside(self) -> dict[int, int]:
        return cluster_ends(self.compared.text)

    @property
    def _last(self) -> int:
        """Where the drawing ends."""
        return self.columns[-1].end if self.columns else 0


def _label(passage: Passage) -> str:
    if passage.first_line == passage.last_line:
        return _("Line %(number)s", number=number(passage.first_line))
    return _("Lines %(first)s to %(last)s", first=number(passage.first_line), last=number(passage.last_line))


def _tokens_until(encoding: Encoding, last: int, *, show: bool) -> Markup:
    """The tokens that begin before an offset, one element each."""
    painter = Painter(encoding, show=show)
    if last >= len(encoding.text):
        return painter.html()
    end = bisect_left(encoding.starts, last)
    parts = []
    for chunk in chunks(encoding, painter.inside):
        if chunk.first >= end:
            break
        parts.append(painter.paint(replace(chunk, last=min(chunk.last, end))))
    return Markup("").join(parts)
