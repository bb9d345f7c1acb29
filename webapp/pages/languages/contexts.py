"""What the templates of `/languages` are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.pages.languages.forms import LanguagesRequest
from webapp.pages.languages.measurements import PassageRow
from webapp.pages.languages.strip_chart import ScaleTick
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import CatalogueEntry
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class RowsContext(Context):
    """The strips and the table, for htmx."""

    template = "languages/_rows.html"

    asked: LanguagesRequest
    problems: Sequence[InputProblem]
    rows: Sequence[tuple[PassageRow, Sequence[tuple[int, float]]]]  # each with its marks: tokenizer, place in percent
    ticks: Sequence[ScaleTick]
    shapes: Sequence[str]  # the SVG path of each tokenizer's mark
    shown: Sequence[str]  # vocabularies that are measured
    lossy: bool  # whether one of them knows too little of a script
    missing: Sequence[str]  # a sentence for each vocabulary that cannot be used now
    titles: Mapping[str, str]  # of the vocabularies
    measures: Mapping[str, str]  # what each measure is called
    link: str | None  # the address of this page, None where it would be too long
    address: Callable[..., str]  # of this page with something changed
    visible: Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class LanguagesPage(Page):
    """The form, the strips and the table."""

    template = "languages/page.html"

    rows_shown: RowsContext
    groups: Sequence[tuple[str, Sequence[CatalogueEntry]]]  # the vocabularies to choose from: heading, entries
    further: bool  # whether one of those behind the first group is chosen
    most: int  # tokenizers at once
    title_of: Callable[[CatalogueEntry], str]
