"""The context of the template of `/frequencies`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webapp.core.analysis.frequencies import RankedToken
from webapp.pages.frequencies.plot import Plot
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import CatalogueEntry
from webapp.web.templates import Page


@dataclass(frozen=True, kw_only=True)
class FrequenciesPage(Page):
    """The form, the chart and the most frequent tokens."""

    template = "frequencies/page.html"

    problems: Sequence[InputProblem]
    pending: bool  # whether the vocabulary is still being downloaded
    text: str
    text_limit: int  # bytes of a text
    chosen: str  # the name of the vocabulary
    choices: Sequence[tuple[str, Sequence[CatalogueEntry]]]  # the vocabularies to choose from: heading, entries
    title_of: Callable[[CatalogueEntry], str]
    examples: Sequence[tuple[str, str]]  # texts to try: title, address
    tokens: Sequence[RankedToken]  # the most frequent ones
    max_rows: int  # rows of the table
    max_bars: int  # bars at the side of the chart
    different: int  # different tokens in the text
    total: int  # tokens in the text
    once: int  # tokens that occur once
    top_share: float  # of the ten most frequent tokens, from 0 to 1
    plot: Plot | None  # None if there are no tokens
    piece: Callable[[RankedToken], str]
    algorithm: str
    vocabulary: str
    back: str | None  # the URL of the text in the playground, None if it would be too long
    fields: Sequence[tuple[str, str]]  # hidden fields of the form: the choices other than text and vocabulary
    link: str | None  # the URL of this page, None if it would be too long
    files: Sequence[tuple[str, str]]  # to export: title, address
