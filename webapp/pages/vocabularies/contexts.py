"""What the templates of `/vocabularies` are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.analysis.pipeline_summary import PipelineStep, PipelineSummary
from webapp.core.analysis.portrait import Portrait
from webapp.pages.vocabularies.downloads import Download
from webapp.pages.vocabularies.listing import VocabularyGroup, VocabularyLine
from webapp.pages.vocabularies.messages import algorithm_names_of
from webapp.pages.vocabularies.portrait_bars import PortraitBar
from webapp.pages.vocabularies.size_chart import ChartPanel
from webapp.pages.vocabularies.special_tokens import SpecialLine
from webapp.pages.vocabularies.token_table import LongToken, TokenPage
from webapp.vocabularies import CatalogueEntry, StillFetchingError
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class ListContext(Context):
    """The vocabularies that a search finds, for htmx."""

    template = "vocabularies/_list.html"

    find: str  # what is searched for
    problem: str | None
    groups: Sequence[VocabularyGroup]
    total: int  # vocabularies without a search


@dataclass(frozen=True)
class ShippedRow:
    """A line of the table of those that ship."""

    title: str
    url: str
    pieces: int
    seconds: float
    kilobytes: int


@dataclass(frozen=True, kw_only=True)
class ListPage(Page):
    """The list of all vocabularies, and the record of how those that ship were trained."""

    template = "vocabularies/index.html"

    listed: ListContext
    record: Mapping[str, Any]  # as `RECORD.json` has it
    rows: Sequence[ShippedRow]
    shares: Sequence[tuple[str, Mapping[str, int]]]  # of the corpus: kind of text, its bytes and characters
    dictionary_size: int  # words
    growth: Sequence[ChartPanel]  # characters per token by vocabulary size


@dataclass(frozen=True, kw_only=True)
class TokensContext(Context):
    """A page of the tokens of a vocabulary, for htmx."""

    template = "vocabularies/_tokens.html"

    entry: CatalogueEntry
    query: str
    problem: str | None
    page: TokenPage | None  # None where there is a problem
    last: int | None  # the number of the last page, where one behind it was asked for
    visible: Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class HeadedPage(Page):
    """What `vocabularies/_head.html` uses."""

    line: VocabularyLine
    algorithm_names_of: Callable[[CatalogueEntry], str] = algorithm_names_of


@dataclass(frozen=True, kw_only=True)
class VocabularyPage(HeadedPage):
    """What a vocabulary is made of."""

    template = "vocabularies/page.html"

    tokens: TokensContext
    title: str
    portrait: Portrait
    highest_id: int
    pipeline: PipelineSummary
    settings_of: Callable[[PipelineStep], Sequence[tuple[str, str]]]
    lengths: Sequence[PortraitBar]
    kinds: Sequence[PortraitBar]
    longest: Sequence[LongToken]
    longest_words: Sequence[LongToken]
    special: Sequence[SpecialLine]
    special_shown: int  # how many of them are shown at most
    downloads: Sequence[Download]
    growth: Sequence[ChartPanel]  # none where the vocabulary has no line in the chart


@dataclass(frozen=True, kw_only=True)
class UnknownVocabularyPage(Page):
    """There is no vocabulary of this name."""

    template = "vocabularies/unknown.html"

    message: str
    near: Sequence[VocabularyLine]  # those with similar names


@dataclass(frozen=True, kw_only=True)
class UnavailableVocabularyPage(HeadedPage):
    """A vocabulary that cannot be used now."""

    template = "vocabularies/unavailable.html"

    message: str


@dataclass(frozen=True, kw_only=True)
class PendingVocabularyPage(HeadedPage):
    """A vocabulary that is being fetched; the page reloads itself."""

    template = "vocabularies/pending.html"

    waiting: StillFetchingError
