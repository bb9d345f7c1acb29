"""Contexts of the templates of `/languages`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.analysis.measures import MeasureId
from webapp.pages.languages.forms import LanguagesRequest
from webapp.pages.languages.measurements import LanguageEquality, PassageRow
from webapp.pages.languages.strip_chart import ScaleTick
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import CatalogueEntry
from webapp.web.templates import Context, Page


@dataclass(frozen=True)
class LanguageFacts:
    """What stands out in the values of one tokenizer: the languages with the highest and the lowest, and the median."""

    highest: PassageRow
    lowest: PassageRow
    median: float


@dataclass(frozen=True, kw_only=True)
class RowsContext(Context):
    """The chart and the table, for htmx."""

    template = "languages/_rows.html"

    asked: LanguagesRequest
    problems: Sequence[InputProblem]
    rows: Sequence[tuple[PassageRow, Sequence[tuple[int, float]]]]  # with its marks: tokenizer, position in percent
    ticks: Sequence[ScaleTick]
    origin: float  # the position where bars begin, in percent
    place: Callable[[float], float]  # the position of a value, in percent
    focus: str  # the vocabulary whose figures stand next to the marks; empty if none could be loaded
    facts: LanguageFacts | None
    equality: Sequence[LanguageEquality]  # of each vocabulary that could be loaded
    definitions: str  # the address of the definitions of measures
    shown: Callable[[MeasureId, float | None], str]  # the value of a measure as text
    files: Sequence[tuple[str, str]]  # to export: title, address
    shapes: Sequence[str]  # the SVG path of each tokenizer's mark
    measured: Sequence[str]  # the vocabularies that could be loaded
    lossy: bool  # whether one of them has too many unknown tokens for some passage
    missing: Sequence[str]  # a sentence for each vocabulary that is unavailable
    titles: Mapping[str, str]  # of the vocabularies
    measures: Mapping[str, str]  # measure → its name
    link: str | None  # the URL of this page, None if it would be too long
    address: Callable[..., str]  # the URL of this page with changed parameters
    visible: Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class LanguagesPage(Page):
    """The form, the chart and the table."""

    template = "languages/page.html"

    rows_shown: RowsContext
    groups: Sequence[tuple[str, Sequence[CatalogueEntry]]]  # the vocabularies to choose from: heading, entries
    max_tokenizers: int
