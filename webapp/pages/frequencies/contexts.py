"""What the template of `/frequencies` is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webapp.core.analysis.frequencies import RankedToken
from webapp.pages.frequencies.plot import Plot
from webapp.tokenization.forms import InputProblem
from webapp.web.templates import Page


@dataclass(frozen=True, kw_only=True)
class FrequenciesPage(Page):
    """The chart and the most frequent tokens."""

    template = "frequencies/page.html"

    problems: Sequence[InputProblem]
    pending: bool  # whether the vocabulary is still being fetched
    tokens: Sequence[RankedToken]  # the most frequent ones
    rows: int  # how many of them are shown at most
    different: int  # different tokens in the text
    total: int  # tokens in the text
    once: int  # tokens that occur once
    top: float  # share of the ten most frequent
    plot: Plot | None  # None where there are no tokens
    piece: Callable[[RankedToken], str]
    algorithm: str
    vocabulary: str
    back: str | None  # the address of the text in the playground, None where it would be too long
    fields: Sequence[tuple[str, str]]  # the form that leads back instead
    link: str | None  # the address of this page, likewise
