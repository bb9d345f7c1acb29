"""The contexts of the templates of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.core.analysis.agreement import Agreement
from webapp.tokenization.comparison.rows import ComparisonResult, ComparisonRow
from webapp.tokenization.comparison.state import Comparison
from webapp.web.templates import Context


@dataclass(frozen=True)
class ComparisonFigures:
    """A row of the table of figures; figures per token are None if there are no tokens."""

    row: ComparisonRow
    tokens: int
    characters_per_token: float | None
    bytes_per_token: float | None
    unknown_share: float | None
    address: str | None  # of the row in the playground


@dataclass(frozen=True, kw_only=True)
class ComparisonContext(Context):
    """The context of `comparison/_result.html` and of the templates that it includes."""

    comparison: Comparison
    compared: ComparisonResult
    rows: Sequence[ComparisonRow]
    shown: Sequence[ComparisonRow]  # the rows that have tokens
    drawing: Markup  # the aligned rows, as lines or as columns
    texts: Sequence[tuple[ComparisonRow, str]]  # the aligned rows as text
    figures: Sequence[ComparisonFigures]
    agreement: Agreement
    drawn: int  # the number of characters that are drawn
    left_out: int  # the number of characters that are not
    milliseconds: Callable[[float], str]
