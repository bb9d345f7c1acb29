"""The contents of a vocabulary: the variables of the page `/vocabularies/NAME`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from flask import request, url_for
from flask_babel import gettext as _
from markupsafe import Markup

from webapp.core.analysis.pipeline_summary import PipelineStep, PipelineSummary, pipeline_summary
from webapp.core.analysis.portrait import Portrait
from webapp.core.expansion import base_kind
from webapp.core.models import Model
from webapp.core.models.dictionary import NONE_SKIPPED, Dictionary, SkippedLines
from webapp.core.models.ngram import NGram
from webapp.core.models.word_models import WordModel
from webapp.core.tokenizer import Tokenizer
from webapp.jobs.surveys import StoredSurvey, stored_survey
from webapp.pages.vocabularies import composition, listing, token_table
from webapp.pages.vocabularies.downloads import Download, downloads_of
from webapp.pages.vocabularies.ngrams import LONGEST_WORD, Neighbours, NGramPage, neighbours_of, ngram_page
from webapp.rendering.markup import visible
from webapp.tokenization.measures.article import article_measures
from webapp.tokenization.measures.table import MeasureLine, language_lines, text_lines
from webapp.tokenization.token_details import reason_title
from webapp.vocabularies import CatalogueEntry
from webapp.vocabularies.descriptions import description_of
from webapp.web.localization import number
from webapp.web.templates import Context

SPECIAL_SHOWN = 300


@dataclass(frozen=True, kw_only=True)
class TokensContext(Context):
    """A page of the tokens of a vocabulary, for htmx."""

    template = "vocabularies/_tokens.html"

    entry: CatalogueEntry
    query: str
    problem: str | None
    page: token_table.TokenPage | None  # None if there is a problem
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
class VocabularyPage(listing.HeadedPage):
    """The contents of a vocabulary."""

    template = "vocabularies/page.html"

    tokens: TokensContext
    of_ngrams: NGramsContext
    skipped: SkippedLines  # of a word list
    portrait: Portrait
    highest_id: int
    pipeline: PipelineSummary
    settings_of: Callable[[PipelineStep], Sequence[tuple[str, str]]]
    lengths: Sequence[composition.PortraitBar]
    kinds: Sequence[composition.PortraitBar]
    longest: Sequence[token_table.LongToken]
    longest_words: Sequence[token_table.LongToken]
    special: Sequence[composition.SpecialLine]
    special_shown: int  # how many of them are shown, at most
    downloads: Sequence[Download]
    growth: Sequence[composition.ChartPanel]  # empty if the vocabulary has no line in the chart
    sample: str  # a text
    sample_tokens: Markup | None  # how the vocabulary splits it
    survey: StoredSurvey | None  # of its unreachable tokens, if it is computed
    reason_titles: Mapping[str, int]  # how many are unreachable for which reason
    expandable: bool  # whether pieces can be added to it
    article_lines: Sequence[MeasureLine]  # measures of the parallel article in English and in Chinese
    language_lines: Sequence[MeasureLine]  # premium and Gini; empty for a dictionary, as the above
    measures: str  # the address of the page of measures, with this vocabulary


def tokens_context(entry: CatalogueEntry, tokenizer: Tokenizer) -> tuple[TokensContext, int]:
    """The tokens that `query` and `page` of the address select, and the status of the response."""
    query = request.args.get("query", "")
    problem, status, page, last = too_long(query, token_table.LONGEST_QUERY), 422, None, None
    if problem is None:
        tokens = description_of(tokenizer).tokens
        try:
            page, status = token_table.page_of(tokenizer.model, tokens, query, request.args.get("page", "1")), 200
        except token_table.NoTokenPageError as error:
            problem, status, last = str(error), 404, error.last
    context = TokensContext(entry=entry, query=query, problem=problem, page=page, last=last, visible=visible)
    return context, status


def following_context(entry: CatalogueEntry, model: Model) -> FollowingContext:
    """The neighbours of the word `after` of the address, in an n-gram vocabulary."""
    word = request.args.get("after", "").strip()
    problem = too_long(word, LONGEST_WORD)
    found = neighbours_of(model, word) if word and not problem and isinstance(model, NGram) else None
    return FollowingContext(entry=entry, after=word[:LONGEST_WORD], after_problem=problem, neighbours=found)


def vocabulary_page(entry: CatalogueEntry, tokenizer: Tokenizer, tokens: TokensContext) -> VocabularyPage:
    """The page of a vocabulary around its tokens."""
    found = description_of(tokenizer)
    figures = found.portrait
    dictionary = getattr(tokenizer.model, "dictionary", None)
    article = None if isinstance(tokenizer.model, WordModel) else article_measures(tokenizer)
    survey = stored_survey(entry.name)
    following = following_context(entry, tokenizer.model)
    return VocabularyPage(
        tokens=tokens,
        of_ngrams=NGramsContext(ngrams=ngram_page(tokenizer.model), following=following),
        skipped=dictionary.skipped if isinstance(dictionary, Dictionary) else NONE_SKIPPED,
        line=listing.line_of(entry),
        portrait=figures,
        highest_id=found.tokens.ids[-1] if found.tokens.ids else 0,
        pipeline=pipeline_summary(tokenizer),
        settings_of=composition.settings_of,
        lengths=composition.length_bars(figures),
        kinds=composition.kind_bars(figures),
        longest=[token_table.longest_of(found.tokens, id) for id in figures.longest],
        longest_words=[token_table.longest_of(found.tokens, id) for id in figures.longest_words],
        special=composition.special_lines(tokenizer),
        special_shown=SPECIAL_SHOWN,
        growth=composition.size_chart(entry.name),
        sample=listing.SAMPLE,
        sample_tokens=listing.samples([entry]).get(entry.name),
        downloads=downloads_of(entry.name, tokenizer),
        survey=survey,
        reason_titles={reason_title(reason): count for reason, count in survey.reasons.items()} if survey else {},
        expandable=base_kind(tokenizer) is not None,
        article_lines=text_lines([article.english, article.chinese]) if article else [],
        language_lines=language_lines(article) if article else [],
        measures=url_for("measures.page", **{"with": f"{entry.algorithms[0]}:{entry.name}"}),  # type: ignore[arg-type]
    )


def too_long(query: str, limit: int) -> str | None:
    """The message for a search of more than `limit` characters, else None."""
    if len(query) <= limit:
        return None
    return _(
        "Search for at most %(limit)s characters; these are %(count)s.",
        limit=number(limit),
        count=number(len(query)),
    )
