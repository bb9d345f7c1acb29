"""The variables of the templates of `/vocabularies`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from webapp.core.analysis.pipeline_summary import PipelineStep, PipelineSummary
from webapp.core.analysis.portrait import Portrait
from webapp.core.models.dictionary import SkippedLines
from webapp.jobs.surveys import StoredSurvey
from webapp.pages.vocabularies.downloads import Download
from webapp.pages.vocabularies.listing import ShelfGroup, ShelfRow, VocabularyLine
from webapp.pages.vocabularies.messages import algorithm_names_of
from webapp.pages.vocabularies.ngrams import LONGEST_WORD, Neighbours, NGramPage
from webapp.pages.vocabularies.portrait_bars import PortraitBar
from webapp.pages.vocabularies.size_chart import ChartPanel
from webapp.pages.vocabularies.special_tokens import SpecialLine
from webapp.pages.vocabularies.token_table import LongToken, TokenPage
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.measures.table import MeasureLine
from webapp.vocabularies import CatalogueEntry, StillFetchingError
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class ListContext(Context):
    """The vocabularies that match a search, for htmx."""

    template = "vocabularies/_list.html"

    find: str  # the search
    show: str  # the chosen one of `filters`
    problem: str | None
    groups: Sequence[ShelfGroup]
    total: int  # number of all vocabularies
    fetching: bool  # whether one of them is being downloaded
    algorithm_names_of: Callable[[CatalogueEntry], str] = algorithm_names_of


@dataclass(frozen=True, kw_only=True)
class RowContext(Context):
    """A row of the list, for htmx."""

    template = "vocabularies/_row.html"

    row: ShelfRow
    find: str  # the search and the filter of the list, for a form in the row
    show: str
    algorithm_names_of: Callable[[CatalogueEntry], str] = algorithm_names_of


@dataclass(frozen=True)
class ShippedRow:
    """A row of the table of shipped vocabularies."""

    title: str
    url: str
    pieces: int
    seconds: float
    kilobytes: int


@dataclass(frozen=True, kw_only=True)
class ListPage(Page):
    """The list of all vocabularies, and the training record of the shipped ones."""

    template = "vocabularies/index.html"

    listed: ListContext
    ready: int  # number of vocabularies that need no fetching
    filters: Mapping[str, str]  # the kinds of vocabularies to show: value in the address, title
    sample: str  # the text that each row splits
    upload_problem: InputProblem | None
    upload_limit: int  # bytes of a file
    record: Mapping[str, Any]  # the content of `RECORD.json`
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
    page: TokenPage | None  # None if there is a problem
    last: int | None  # the number of the last page, if a later one was requested
    visible: Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class FollowingContext(Context):
    """The words after and before a word of an n-gram vocabulary, for htmx."""

    template = "vocabularies/_following.html"

    entry: CatalogueEntry
    after: str  # the word that is searched, as typed
    after_problem: str | None
    neighbours: Neighbours | None  # None if no word is searched


@dataclass(frozen=True, kw_only=True)
class NGramsContext(Context):
    """What the page of an n-gram vocabulary shows besides."""

    ngrams: NGramPage | None  # None for other vocabularies
    following: FollowingContext
    longest_word: int = LONGEST_WORD  # characters of a search


@dataclass(frozen=True, kw_only=True)
class HeadedPage(Page):
    """The variables of `vocabularies/_head.html`."""

    line: VocabularyLine
    algorithm_names_of: Callable[[CatalogueEntry], str] = algorithm_names_of


@dataclass(frozen=True, kw_only=True)
class VocabularyPage(HeadedPage):
    """The contents of a vocabulary."""

    template = "vocabularies/page.html"

    tokens: TokensContext
    of_ngrams: NGramsContext
    title: str
    skipped: SkippedLines  # of a word list
    portrait: Portrait
    highest_id: int
    pipeline: PipelineSummary
    settings_of: Callable[[PipelineStep], Sequence[tuple[str, str]]]
    lengths: Sequence[PortraitBar]
    kinds: Sequence[PortraitBar]
    longest: Sequence[LongToken]
    longest_words: Sequence[LongToken]
    special: Sequence[SpecialLine]
    special_shown: int  # how many of them are shown, at most
    downloads: Sequence[Download]
    growth: Sequence[ChartPanel]  # empty if the vocabulary has no line in the chart
    sample: str  # a text
    sample_tokens: Markup | None  # how the vocabulary splits it
    survey: StoredSurvey | None  # of its unreachable tokens, if it is computed
    reason_titles: Mapping[str, int]  # how many are unreachable for which reason
    expandable: bool  # whether pieces can be added to it
    article_lines: Sequence[MeasureLine]  # measures of the parallel article in English and in Chinese
    language_lines: Sequence[MeasureLine]  # premium and Gini; empty for a dictionary, as the above
    measures: str  # the address of the page of measures, with this vocabulary


@dataclass(frozen=True, kw_only=True)
class UnknownVocabularyPage(Page):
    """There is no vocabulary with this name."""

    template = "vocabularies/unknown.html"

    message: str
    similar: Sequence[VocabularyLine]  # those with similar names


@dataclass(frozen=True, kw_only=True)
class UnavailableVocabularyPage(HeadedPage):
    """A vocabulary that cannot be fetched or read."""

    template = "vocabularies/unavailable.html"

    message: str


@dataclass(frozen=True, kw_only=True)
class PendingVocabularyPage(HeadedPage):
    """A vocabulary that is being downloaded; the page reloads itself."""

    template = "vocabularies/pending.html"

    waiting: StillFetchingError
