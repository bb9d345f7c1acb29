"""`/vocabularies/NAME`: the contents of a vocabulary, with its byte alphabet, and the vocabulary as files."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from weakref import WeakKeyDictionary

from flask import Response, abort, redirect, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.algorithms import UNREADABLE
from webapp.core.analysis.frequencies import RankedToken
from webapp.core.analysis.pipeline_summary import pipeline_summary
from webapp.core.analysis.portrait import NGramPortrait, Portrait, following, ngram_portrait_of, preceding, ranked_words
from webapp.core.analysis.token_origin import PieceFinder
from webapp.core.expansion import base_kind
from webapp.core.formats import (
    huggingface,
    minimal_bpe,
    ngram_counts,
    rwkv,
    sentencepiece,
    tagger_weights,
    tiktoken_encoding,
    vocab_json,
    vocab_txt,
)
from webapp.core.formats.loading_code import loading_code
from webapp.core.formats.reading import FormatError
from webapp.core.models import Model
from webapp.core.models.ngram import NGram
from webapp.core.models.word_models import WordModel
from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.tokenizer import Tokenizer
from webapp.pages.vocabularies import listing, token_table
from webapp.pages.vocabularies.found import HeadedPage, answer, blueprint, end, entry_of, too_long, vocabulary_of
from webapp.pages.walkthrough import ngram_probabilities
from webapp.tokenization.answers import vocabulary_json
from webapp.tokenization.exports import FREQUENCY_WRITERS, Frequencies
from webapp.tokenization.exports import download as written
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.measures.measured import article_measures, language_lines, text_lines
from webapp.tokenization.messages import translated
from webapp.vocabularies import CatalogueEntry, default_for, library, title_of
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.surveys import stored_survey
from webapp.vocabularies.token_kinds import kind_title
from webapp.web.htmx import attachment, private, wants_partial
from webapp.web.json_responses import cached_for, json_response
from webapp.web.localization import number
from webapp.web.templates import Context, render


@dataclass(frozen=True)
class DownloadFormat:
    """A format that a vocabulary can be downloaded in.

    `files` maps the last part of each file's address to its MIME type. `write` returns their content, or a tuple of
    their contents in that order; it raises FormatError for a tokenizer that the format cannot hold, so that reading the
    files back gives the same ids. `check` raises the same errors and takes less time.
    """

    files: Mapping[str, str]
    write: Callable[[Tokenizer], str | bytes | tuple[str | bytes, ...]]
    check: Callable[[Tokenizer], object] | None = None

    def contents(self, tokenizer: Tokenizer) -> list[bytes]:
        """The content of each file, in the order of `files`; raises FormatError as `write` does."""
        written = self.write(tokenizer)
        parts = written if isinstance(written, tuple) else (written,)
        return [part.encode() if isinstance(part, str) else part for part in parts]


JSON, TEXT = "application/json", "text/plain"
FORMATS = (
    DownloadFormat({"tokenizer.json": JSON}, huggingface.write, huggingface.check),
    DownloadFormat({"tokenizer.model": "application/octet-stream"}, sentencepiece.write, sentencepiece.check),
    DownloadFormat({"ranks.tiktoken": TEXT, "encoding.json": JSON}, tiktoken_encoding.write),
    DownloadFormat({"vocab.json": JSON, "merges.txt": TEXT}, vocab_json.write),
    DownloadFormat({"vocab.txt": TEXT}, vocab_txt.write),
    DownloadFormat({"ngrams.json": JSON}, ngram_counts.write_json, ngram_counts.counted_model),
    DownloadFormat({"ngrams.txt": TEXT}, ngram_counts.write_text, ngram_counts.check_text),
    DownloadFormat({"tagger.json": JSON}, tagger_weights.write, tagger_weights.tagger_of),
    DownloadFormat({"bpe.json": JSON}, minimal_bpe.write),
    DownloadFormat({"rwkv_vocab.txt": TEXT}, rwkv.write),
)
FORMAT_OF = {file: format for format in FORMATS for file in format.files}
"""The last part of a file's address → its format."""

_fitting: WeakKeyDictionary[Tokenizer, Sequence[DownloadFormat]] = WeakKeyDictionary()


def content_of(tokenizer: Tokenizer, file: str) -> bytes:
    """The content of a file; `file` is a key of `FORMAT_OF`. Raises FormatError if it cannot hold the vocabulary."""
    format = FORMAT_OF[file]
    return format.contents(tokenizer)[list(format.files).index(file)]


def download_name(file: str, vocabulary: str) -> str:
    """The name of a saved file. Libraries expect fixed names, except for `.tiktoken` and `.model`.

    >>> download_name("vocab.json", "gpt2"), download_name("ranks.tiktoken", "cl100k_base")
    ('vocab.json', 'cl100k_base.tiktoken')
    """
    ending = file.rpartition(".")[2]
    return f"{vocabulary}.{ending}" if ending in ("tiktoken", "model") else file


def fitting_formats(tokenizer: Tokenizer) -> Sequence[DownloadFormat]:
    """The formats that can hold a vocabulary, cached as long as the tokenizer exists.

    To find out, those without a check are written once, which takes up to 0.7 s for 50,000 pieces.
    """
    formats = _fitting.get(tokenizer)
    if formats is None:
        formats = _fitting[tokenizer] = [format for format in FORMATS if _fits(format, tokenizer)]
    return formats


def _fits(format: DownloadFormat, tokenizer: Tokenizer) -> bool:
    try:
        (format.check or format.write)(tokenizer)
    except FormatError:
        return False
    return True


ONE_BY_ONE = 16  # lengths up to this have their own row; longer ones share rows
FREQUENT = 20  # n-grams of each order
NEIGHBOURS = 50  # words before and after a word
LONGEST_WORD = 64  # characters of a search

for function in (
    *(article_measures, base_kind, description_of, download_name, fitting_formats, following, kind_title),
    *(language_lines, loading_code, pipeline_summary, preceding, stored_survey, text_lines),
    *(token_table.lengths_of, token_table.shown_token),
    *(
        ngram_probabilities.context_text,
        ngram_probabilities.parameters_of,
        ngram_probabilities.probability_text,
        ngram_probabilities.smoothing_name,
        ngram_probabilities.smoothing_sentence,
        ngram_probabilities.word_text,
    ),
):
    blueprint.add_app_template_global(function)


class TokensContext(Context):
    """A page of the tokens of a vocabulary, for htmx."""

    template = "vocabularies/_tokens.html"

    entry: CatalogueEntry
    query: str
    problem: InputProblem | None
    page: token_table.TokenPage | None  # None if there is a problem


class FollowingContext(Context):
    """The words after and before a word of an n-gram vocabulary, for htmx."""

    template = "vocabularies/_following.html"

    entry: CatalogueEntry
    after: str  # the word that is searched, as typed
    after_problem: InputProblem | None
    ngrams: NGram | None  # None for other vocabularies
    longest_word: int = LONGEST_WORD  # characters of a search
    most_neighbours: int = NEIGHBOURS


class VocabularyPage(HeadedPage):
    """The contents of a vocabulary."""

    template = "vocabularies/page.html"

    tokens: TokensContext
    following_words: FollowingContext
    tokenizer: Tokenizer
    is_dictionary: bool
    sample: str = listing.SAMPLE


@blueprint.get("/vocabularies/<name>")
def vocabulary(name: str) -> Response:
    """The contents of a vocabulary; `query` and `page` select its tokens."""
    entry, tokenizer = vocabulary_of(name)
    neighbours = _following(entry, tokenizer.model)
    if wants_partial() and "after" in request.args:
        return answer(render(neighbours), neighbours.after_problem, name=name, after=neighbours.after)
    tokens = _tokens(entry, tokenizer)
    if wants_partial():
        at = tokens.page.number if tokens.page and tokens.page.number > 1 else None
        return answer(render(tokens), tokens.problem, name=name, query=tokens.query, page=at)
    page = VocabularyPage(
        entry=entry,
        tokens=tokens,
        following_words=neighbours,
        tokenizer=tokenizer,
        is_dictionary=isinstance(tokenizer.model, WordModel),
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


@blueprint.get("/vocabularies/<name>/frequencies.<kind>")
def frequency_files(name: str, kind: str) -> Response:
    """How often each word of an n-gram vocabulary was counted, as a file."""
    entry, tokenizer = vocabulary_of(name)
    if kind not in FREQUENCY_WRITERS or not isinstance(tokenizer.model, NGram):
        abort(404)
    words = ranked_words(tokenizer.model) or abort(404)
    return written(FREQUENCY_WRITERS[kind], counted_words(entry, tokenizer.model, words), f"frequencies.{kind}")


@blueprint.get("/vocabularies/<name>/<file>")
def download(name: str, file: str) -> Response:
    """A vocabulary as a file for other libraries; `file` is one of `FORMAT_OF`."""
    if file not in FORMAT_OF:
        abort(404)
    entry = entry_of(name)
    try:
        if UNREADABLE in entry.algorithms and file == "tokenizer.json":
            content, _companion = library().uploads.content(name)
        else:
            content = content_of(vocabulary_of(name)[1], file)
    except FormatError as error:
        title = title_of(entry)
        end(404, _("There is no %(file)s of “%(title)s”: %(why)s.", file=file, title=title, why=translated(error)))
    response = cached_for(Response(content, mimetype=FORMAT_OF[file].files[file]), 0)
    return attachment(response, download_name(file, name))  # private: an upload belongs to one visitor


def _tokens(entry: CatalogueEntry, tokenizer: Tokenizer) -> TokensContext:
    """The tokens that `query` and `page` of the address select."""
    query, page = request.args.get("query", ""), None
    problem = too_long(query, token_table.LONGEST_QUERY)
    try:
        if not problem:
            tokens = description_of(tokenizer).tokens
            page = token_table.page_of(tokenizer.model, tokens, query, request.args.get("page", "1"))
    except InputProblem as found:
        problem = found
    return TokensContext(entry=entry, query=query, problem=problem, page=page)


def _following(entry: CatalogueEntry, model: Model) -> FollowingContext:
    """The neighbours of the word `after` of the address, in an n-gram vocabulary."""
    word = request.args.get("after", "").strip()
    return FollowingContext(
        entry=entry,
        after=word[:LONGEST_WORD],
        after_problem=too_long(word, LONGEST_WORD),
        ngrams=model if isinstance(model, NGram) else None,
    )


@blueprint.app_template_global()
def sample_tokens(entry: CatalogueEntry) -> Markup | None:
    """How a vocabulary splits the sample."""
    return listing.samples([entry]).get(entry.name)


@blueprint.app_template_global()
def byte_alphabet_of(tokenizer: Tokenizer) -> list[tuple[int, str, int | None]]:
    """The 256 bytes with their characters in GPT-2's alphabet and their tokens; empty if bytes are no tokens."""
    find = PieceFinder(tokenizer).find
    if find(b"\xff") is None and find(b"\x80") is None:
        return []
    return [(byte, bytes_to_characters(bytes([byte])), find(bytes([byte]))) for byte in range(256)]


@blueprint.app_template_global()
def length_bars(portrait: Portrait) -> list[tuple[str, int]]:
    """The tokens by number of characters: 1, 2, … 16, 17–32, 33–64 and so on, without lengths that no token has."""
    counts: Counter[int] = Counter()  # by the last length of a row
    for length, count in portrait.lengths.items():
        counts[length if length <= ONE_BY_ONE else 1 << (length - 1).bit_length()] += count
    titles = {
        last: number(last) if last <= ONE_BY_ONE else f"{number(last // 2 + 1)}–{number(last)}" for last in counts
    }
    return [(titles[last], counts[last]) for last in sorted(counts)]


@blueprint.app_template_global()
def counted_words(entry: CatalogueEntry, model: NGram, ranks: Sequence[RankedToken]) -> Frequencies:
    """Words of an n-gram vocabulary by their rank."""
    total = sum(model.counts.levels[0].counts[: len(model.counts.words)])
    return Frequencies(title_of(entry), ranks, total, model.pieces.__getitem__, words=True)


@blueprint.app_template_global()
def counted_books() -> Frequencies:
    """The words of the books that the shipped n-gram vocabulary was counted in."""
    entry, tokenizer = vocabulary_of("ngram")
    model = cast("NGram", tokenizer.model)
    return counted_words(entry, model, ngram_portrait(model).ranks)


_portraits: WeakKeyDictionary[NGram, NGramPortrait] = WeakKeyDictionary()


@blueprint.app_template_global()
def ngram_portrait(model: NGram) -> NGramPortrait:
    """The orders and the most frequent n-grams of a model, cached as long as the model exists."""
    found = _portraits.get(model)
    if found is None:
        found = _portraits[model] = ngram_portrait_of(model, FREQUENT)
    return found
