"""The variables of the template of `/measures`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.core.analysis.measures import MeasureId
from webapp.pages.measures.choices import OfferedGroup
from webapp.pages.measures.forms import MeasuresRequest
from webapp.tokenization.comparison.rows import ComparisonResult
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.measures.definitions import Definition
from webapp.tokenization.measures.measured import Measured
from webapp.tokenization.measures.table import MeasureGroup, MeasureHead
from webapp.web.templates import Page


@dataclass(frozen=True, kw_only=True)
class MeasuresPage(Page):
    """The form, the table and the definitions."""

    template = "measures/page.html"

    form_id: str = "measures"
    asked: MeasuresRequest
    problems: Sequence[InputProblem]
    invalid: Mapping[str, str]  # field → what is wrong with it
    offered: Sequence[OfferedGroup]
    most: int  # tokenizers
    compared: ComparisonResult
    measured: Measured | None  # None if nothing could be measured
    count: str  # the number of tokens, as a range if the tokenizers differ
    characters: int
    bytes: int
    groups: Sequence[MeasureGroup]
    heads: Sequence[MeasureHead]
    gold_note: str  # what was left out of the gold text
    definitions: Mapping[MeasureId, Definition]
    example: str | None  # the address of the example, None if it is shown
    link: str | None  # the address of this page, None if it would be too long
    files: Sequence[tuple[str, str, str | None]]  # title, path, and the address if it is short enough
