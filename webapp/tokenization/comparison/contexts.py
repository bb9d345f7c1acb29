"""The contexts of the templates of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.analysis.measures import Agreement
from webapp.core.models.matching import Disagreement
from webapp.tokenization.comparison.differences import SpanCounts
from webapp.tokenization.comparison.rows import ComparisonResult, ComparisonRow
from webapp.tokenization.comparison.state import Comparison, Layout
from webapp.tokenization.measures.table import MeasureGroup, MeasureHead
from webapp.web.templates import Context


@dataclass(frozen=True)
class ComparisonFigures:
    """The figures of a row for the whole text; figures per token are None if there are no tokens."""

    row: ComparisonRow
    name: str
    tokens: int
    characters_per_token: float | None
    bytes_per_token: float | None
    unknown_share: float | None
    address: str | None  # of the row in the playground


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
class ShownRow:
    """A row with its tokens one after another."""

    head: RowHead
    tokens: Markup


@dataclass(frozen=True)
class ShownDisagreement:
    """A place where FMM and BMM disagree, and the name of the kind of ambiguity."""

    place: Disagreement
    kind: str


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


@dataclass(frozen=True, kw_only=True)
class ComparisonContext(Context):
    """The context of `comparison/_result.html` and of the templates that it includes."""

    comparison: Comparison
    tools: ComparisonTools
    compared: ComparisonResult
    rows: Sequence[ComparisonRow]
    shown: Sequence[ComparisonRow]  # the rows that have tokens
    names: Sequence[str]  # short ones, of the rows that have tokens
    count: str  # the number of tokens, as a range if the rows differ
    most_tokens: int  # of any row
    summary: str  # the result in a sentence, for screen readers
    characters: int
    bytes: int
    spans: SpanCounts
    passages: Sequence[ShownPassage]  # empty in the other layout
    row_tokens: Sequence[ShownRow]  # empty in the other layout
    figures: Sequence[ComparisonFigures]
    agreement: Agreement
    most_ways: int  # the most ways for which the legend has a colour
    left_out: int  # the number of characters that are not drawn
    is_long: bool  # whether the drawing scrolls in a pane of its own
    disagreements: Sequence[ShownDisagreement] | None  # of FMM and BMM; None unless both are shown
    disagreements_left: int  # how many more there are
    same_dictionary: bool  # whether FMM and BMM use the same one
    milliseconds: Callable[[float], str]
    measure_groups: Sequence[MeasureGroup]  # empty for a long text
    measure_heads: Sequence[MeasureHead]
    measures_address: str | None  # of the page with all measures of the text; None where nothing is linked
