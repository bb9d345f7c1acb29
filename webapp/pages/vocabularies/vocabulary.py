"""`/vocabularies/NAME`: the contents of a vocabulary, with its byte alphabet, and the vocabulary as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from flask import Response, abort, redirect, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.algorithms import UNREADABLE
from webapp.core.analysis.pipeline_summary import pipeline_summary
from webapp.core.analysis.portrait import NGramPortrait, Portrait, following, ngram_portrait_of, preceding
from webapp.core.analysis.token_origin import PieceFinder
from webapp.core.expansion import base_kind
from webapp.core.formats.loading_code import loading_code
from webapp.core.formats.reading import FormatError
from webapp.core.models import Model
from webapp.core.models.ngram import NGram
from webapp.core.models.word_models import WordModel
from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.tokenizer import Tokenizer
from webapp.jobs.surveys import stored_survey
from webapp.pages.vocabularies import downloads, listing, token_table
from webapp.pages.vocabularies.found import HeadedPage, answer, blueprint, end, entry_of, require_short, vocabulary_of
from webapp.pages.vocabularies.growth import GrowthPanel, size_chart
from webapp.pages.walkthrough import ngram_probabilities
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.measures.article import ArticleMeasures, article_measures
from webapp.tokenization.measures.measured import language_lines, text_lines
from webapp.tokenization.messages import translated
from webapp.tokenization.vocabulary_answers import vocabulary_json
from webapp.vocabularies import CatalogueEntry, default_for, library, title_of
from webapp.vocabularies.descriptions import VocabularyDescription, description_of
from webapp.vocabularies.token_kinds import kind_title
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.web.htmx import private, wants_partial
from webapp.web.json_responses import cached_for, json_response
from webapp.web.localization import number
from webapp.web.templates import Context, render

ONE_BY_ONE = 16  # lengths up to this have their own row; longer ones share rows
FREQUENT = 20  # n-grams of each order
NEIGHBOURS = 50  # words before and after a word
LONGEST_WORD = 64  # characters of a search

for function in (
    *(base_kind, downloads.download_name, downloads.fitting_formats, kind_title, language_lines, loading_code),
    *(pipeline_summary, stored_survey, text_lines, token_table.lengths_of, token_table.shown_token),
):
    blueprint.add_app_template_global(function)


@dataclass(frozen=True, kw_only=True)
class TokensContext(Context):
    """A page of the tokens of a vocabulary, for htmx."""

    template = "vocabularies/_tokens.html"

    entry: CatalogueEntry
    query: str
    problem: InputProblem | None
    page: token_table.TokenPage | None  # None if there is a problem


@dataclass(frozen=True, kw_only=True)
class FollowingContext(Context):
    """The words after and before a word of an n-gram vocabulary, for htmx."""

    template = "vocabularies/_following.html"

    entry: CatalogueEntry
    after: str  # the word that is searched, as typed
    after_problem: InputProblem | None
    ngrams: NGramContents | None  # None for other vocabularies
    longest_word: int = LONGEST_WORD  # characters of a search


@dataclass(frozen=True, kw_only=True)
class VocabularyPage(HeadedPage):
    """The contents of a vocabulary."""

    template = "vocabularies/page.html"

    tokens: TokensContext
    following: FollowingContext
    tokenizer: Tokenizer
    description: VocabularyDescription
    lengths: Sequence[tuple[str, int]]  # the title and the number of tokens of each row
    growth: Sequence[GrowthPanel]  # empty if the vocabulary has no line in the chart
    sample_tokens: Markup | None  # how the vocabulary splits the sample
    article: ArticleMeasures | None  # of the parallel article; None for a dictionary
    alphabet: Sequence[tuple[int, str, int | None]]  # each byte, its character and its token; empty without such tokens
    sample: str = listing.SAMPLE


@blueprint.get("/vocabularies/<name>")
def vocabulary(name: str) -> Response:
    """The contents of a vocabulary; `query` and `page` select its tokens."""
    entry, tokenizer = vocabulary_of(name)
    entry = next((mine for mine in uploads_of(request) if mine.name == name), entry)  # with file name and training
    following = _following(entry, tokenizer.model)
    if wants_partial() and "after" in request.args:
        return answer(render(following), following.after_problem, name=name, after=following.after)
    tokens = _tokens(entry, tokenizer)
    if wants_partial():
        at = tokens.page.number if tokens.page and tokens.page.number > 1 else None
        return answer(render(tokens), tokens.problem, name=name, query=tokens.query, page=at)
    description = description_of(tokenizer)
    page = VocabularyPage(
        entry=entry,
        tokens=tokens,
        following=following,
        tokenizer=tokenizer,
        description=description,
        lengths=length_bars(description.portrait),
        growth=size_chart(name),
        sample_tokens=listing.samples([entry]).get(name),
        article=None if isinstance(tokenizer.model, WordModel) else article_measures(tokenizer),
        alphabet=_alphabet(tokenizer),
    )
    response = answer(render(page), tokens.problem)
    return private(response) if entry.training else response


@blueprint.get("/bytes")
def byte_alphabet() -> BaseResponse:
    """Lead to the byte alphabet on the page of a vocabulary."""
    name = request.args.get("vocabulary", "").strip() or default_for("bpe")
    return redirect(url_for("vocabularies.vocabulary", name=name, _anchor="bytes"))


@blueprint.get("/vocabularies/<name>.json")
def as_json(name: str) -> Response:
    """A vocabulary as JSON, whose title is in the visitor's language."""
    return private(cached_for(json_response(vocabulary_json(*vocabulary_of(name))), 0))


@blueprint.get("/vocabularies/<name>/<file>")
def download(name: str, file: str) -> Response:
    """A vocabulary as a file for other libraries; `file` is one of `downloads.FORMAT_OF`."""
    if file not in downloads.FORMAT_OF:
        abort(404)
    entry = entry_of(name)
    try:
        if UNREADABLE in entry.algorithms and file == "tokenizer.json":
            content, _companion = library().uploads.content(name)
        else:
            content = downloads.content_of(vocabulary_of(name)[1], file)
    except FormatError as error:
        title = title_of(entry)
        end(404, _("There is no %(file)s of “%(title)s”: %(why)s.", file=file, title=title, why=translated(error)))
    response = Response(content, mimetype=downloads.FORMAT_OF[file].files[file])
    response.headers["Content-Disposition"] = f"attachment; filename={downloads.download_name(file, name)}"
    return private(cached_for(response, 0))  # an upload belongs to one visitor


def _tokens(entry: CatalogueEntry, tokenizer: Tokenizer) -> TokensContext:
    """The tokens that `query` and `page` of the address select."""
    query, page, problem = request.args.get("query", ""), None, None
    try:
        require_short(query, token_table.LONGEST_QUERY)
        tokens = description_of(tokenizer).tokens
        page = token_table.page_of(tokenizer.model, tokens, query, request.args.get("page", "1"))
    except InputProblem as found:
        problem = found
    return TokensContext(entry=entry, query=query, problem=problem, page=page)


def _following(entry: CatalogueEntry, model: Model) -> FollowingContext:
    """The neighbours of the word `after` of the address, in an n-gram vocabulary."""
    word, problem = request.args.get("after", "").strip(), None
    try:
        require_short(word, LONGEST_WORD)
    except InputProblem as found:
        problem = found
    ngrams = NGramContents(model) if isinstance(model, NGram) else None
    return FollowingContext(entry=entry, after=word[:LONGEST_WORD], after_problem=problem, ngrams=ngrams)


def _alphabet(tokenizer: Tokenizer) -> list[tuple[int, str, int | None]]:
    """The 256 bytes with their characters in GPT-2's alphabet and their tokens; empty if bytes are no tokens."""
    find = PieceFinder(tokenizer).find
    if find(b"\xff") is None and find(b"\x80") is None:
        return []
    return [(byte, bytes_to_characters(bytes([byte])), find(bytes([byte]))) for byte in range(256)]


def length_bars(portrait: Portrait) -> list[tuple[str, int]]:
    """The tokens by number of characters: 1, 2, … 16, 17–32, 33–64 and so on, without lengths that no token has."""
    counts: Counter[int] = Counter()  # by the last length of a row
    for length, count in portrait.lengths.items():
        counts[length if length <= ONE_BY_ONE else 1 << (length - 1).bit_length()] += count
    titles = {
        last: number(last) if last <= ONE_BY_ONE else f"{number(last // 2 + 1)}–{number(last)}" for last in counts
    }
    return [(titles[last], counts[last]) for last in sorted(counts)]


_portraits: WeakKeyDictionary[NGram, NGramPortrait] = WeakKeyDictionary()


@dataclass(frozen=True)
class NGramContents:
    """What the page of an n-gram vocabulary shows: its orders, the most frequent n-grams, the neighbours of a word."""

    model: NGram
    texts = ngram_probabilities

    @property
    def portrait(self) -> NGramPortrait:
        """The portrait of the model, cached as long as the model exists."""
        found = _portraits.get(self.model)
        if found is None:
            found = _portraits[self.model] = ngram_portrait_of(self.model, FREQUENT)
        return found

    def after(self, word: str) -> tuple[list[tuple[str, int]], int]:
        """The first words after a word that is known, with their counts, and how many there are."""
        return following(self.model.counts, word, NEIGHBOURS)

    def before(self, word: str) -> tuple[list[tuple[str, int]], int]:
        """The first words before a word, like `after`."""
        return preceding(self.model.counts, word, NEIGHBOURS)
