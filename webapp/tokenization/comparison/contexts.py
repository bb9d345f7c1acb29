"""What the templates of a comparison are given."""

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
    """A line of the table. What is per token is None where there are none."""

    row: ComparisonRow
    tokens: int
    characters_per_token: float | None
    bytes_per_token: float | None
    unknown_share: float | None
    address: str | None  # of the row alone, in the playground


@dataclass(frozen=True, kw_only=True)
class ComparisonContext(Context):
    """A comparison with its result: `comparison/_result.html` and what it includes."""

    comparison: Comparison
    compared: ComparisonResult
    rows: Sequence[ComparisonRow]
    shown: Sequence[ComparisonRow]  # the rows that have tokens
    drawing: Markup  # the text, the rows one above the other or side by side
    texts: Sequence[tuple[ComparisonRow, str]]  # the same as text
    figures: Sequence[ComparisonFigures]
    agreement: Agreement
    drawn: int  # characters that are drawn
    left_out: int  # characters that are not
    milliseconds: Callable[[float], str]
