"""The routes under `/api/v1`: each receives a validated model, calls the core and returns JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NoReturn

from flask import Request, Response, current_app, request, url_for
from pydantic import Field

from webapp.api.document import document_of
from webapp.api.operations import blueprint, operations, texts_of, tokenizer_by_name, whole_body
from webapp.api.schemas import requests, responses
from webapp.api.schemas.requests import Body, SnapshotBody
from webapp.core.algorithms import ALGORITHMS
from webapp.storage import ShareReceipt, StoredSnapshot, storage
from webapp.tokenization import messages
from webapp.tokenization.answers import (
    NoPageError,
    counts_json,
    entry_json,
    skipped_json,
    tokenization_stream,
    tokens_json,
    vocabulary_json,
    words_json,
)
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import EncodingOptions, encode, ids_of
from webapp.tokenization.result import tokenize as tokenize_state
from webapp.tokenization.sharing import shown_of
from webapp.tokenization.sharing.results import share_result
from webapp.tokenization.sharing.snapshots import LONGEST_YEARS, ShareTerms, end_of, kind_of
from webapp.tokenization.state import State
from webapp.tools.models import LONGEST_QUERY, ModelsAnswer, entry_of
from webapp.vocabularies import CATALOGUE, CatalogueEntry, tokenizer_of, well_known
from webapp.vocabularies.language_models import LanguageModel, find_models, model_of
from webapp.web.json_responses import cached_for, json_response
from webapp.web.problems import refuse
from webapp.web.rates import stores, stores_by_hash
from webapp.web.security import is_foreign


def store_upload(request: Request) -> CatalogueEntry:
    """Store the vocabulary file of a multipart request; its catalogue entry, or a problem."""
    if is_foreign(request):
        refuse(403, "The request came from a page of another site, so nothing was stored. Send it from a program.")
    if request.mimetype != "multipart/form-data" or "boundary" not in request.mimetype_params:
        refuse(415, "Send the file as multipart/form-data, in the field `file`.")
    limit = current_app.config["MAX_UPLOAD_BYTES"]
    request.max_content_length = 2 * limit + 100_000
    whole_body(request, keep=True)
    if "file" in request.form:
        refuse(422, "The field `file` has no file name. Send it as a file.", errors=[("#/file", "It has no file name")])
    unknown = sorted({*request.form, *request.files} - {"file"})
    if unknown:
        refuse(422, "Send only the field `file`.", errors=[(f"#/{unknown[0][:40]}", "There is no such field")])
    count = len(request.files.getlist("file"))
    if not 1 <= count <= 2:
        refuse(422, f"Send one file, or two; the request has {count}.", errors=[("#/file", "One or two")])
    try:
        return messages.store_upload(request.files.getlist("file"))
    except InputProblem as problem:
        _refuse(problem, "#/file")


UNSTORED = {
    503: "The site's storage cannot be reached at the moment, so nothing was stored.",
    507: "The site's storage is full, so nothing was stored. Everything else works.",
}


def _refuse(problem: InputProblem, pointer: str = "") -> NoReturn:
    """Refuse what cannot be stored; the sentences of pages about storage speak of a form."""
    message = UNSTORED.get(problem.status, problem.message)
    errors = [(pointer, message)] if pointer else []
    refuse(409 if problem.status == 422 else problem.status, message, errors=errors)


GONE = {
    "expired": "This snapshot has expired.",
    "deleted": "The author of this snapshot has deleted it.",
    "removed": "The operator of this site has removed this snapshot.",
}


def share_text(request: Request, body: SnapshotBody) -> ShareReceipt:
    """Tokenize the text of `body`, store the result as a snapshot, and return its receipt.

    Refuses with 403, 409, 410, 413 or 507, or while the vocabulary is unavailable.
    """
    if is_foreign(request):
        refuse(403, "The request came from a page of another site, so nothing was stored. Send it from a program.")
    wanted = ShareTerms(" ".join(body.title.split()), body.note.strip(), _expires(body))
    state, tokenizer = body.tokenizer(body.text)
    result = tokenize_state(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"], tokenizer=tokenizer)
    try:
        return share_result(result, wanted)
    except InputProblem as problem:
        _refuse(problem)


def find_snapshot(id: str) -> StoredSnapshot:
    """The snapshot with this id; answers 404 or 410 if there is none."""
    found = storage().snapshots.get(id) if re.fullmatch("[0-9a-z]{1,64}", id) else None
    if found is None:
        refuse(404, "No snapshot has ever had this id.")
    if found.condition != "kept":
        refuse(410, GONE[found.condition])
    if kind_of(found.snapshot) == "evaluation":
        refuse(404, f"This is an evaluation. GET /evaluate/{id}?format=json shows it.")
    if kind_of(found.snapshot) == "conversation":
        refuse(404, f"This is a conversation. GET /s/{id}.json shows it.")
    return found


def _expires(body: SnapshotBody) -> datetime | None:
    """The end of the last day in UTC; None if the snapshot does not expire."""
    if body.expires is None:
        return None
    expires = end_of(body.expires)
    if expires is None:
        sentence = f"It must be after today and within {LONGEST_YEARS} years."
        refuse(409, f"The expiry date is out of range. {sentence}", errors=[("#/expires", sentence)])
    return expires


MINUTES_5, HOUR = 300, 3_600


@operations.add(
    "post",
    "/tokenize",
    body=requests.TokenizeBody,
    answer=responses.TokenizeAnswer,
    errors=(404, 409, 413, 503),
    example={"text": "研究 tokens", "vocabulary": "bpe-bytes", "want": ["ids", "pieces", "offsets"]},
)
def tokenize(body: requests.TokenizeBody) -> Response:
    """Tokenize a text, or up to 1,000 texts.

    The response has the keys that `want` names. For `texts`, each key holds a list with one entry per text. A batch
    counts as one request.
    """
    texts = texts_of(body)
    state, tokenizer = body.tokenizer("\n".join(texts))
    found = [
        {
            **tokenization_stream(encode(tokenizer, text, **_options(state)), body.want),
            **words_json(tokenizer, state.mode, text),
        }
        for text in texts
    ]
    keys = dict.fromkeys([*body.want, *(["words"] if found and "words" in found[0] else [])])
    return _one_or_all(body, found, keys, skipped_json(tokenizer))


@operations.add(
    "post",
    "/count",
    body=requests.CountBody,
    answer=responses.CountAnswer,
    errors=(404, 409, 413, 503),
    example={"texts": ["How many tokens?", "多少个词？"], "vocabulary": "unigram"},
)
def count(body: requests.CountBody) -> Response:
    """Count the tokens of a text, or of several texts.

    This is faster than `/tokenize`. For `texts`, each key of the response holds a list with one entry per text. With
    `model`, `meter` has its context window and the price of all texts together.
    """
    texts = texts_of(body)
    state, tokenizer = body.tokenizer("\n".join(texts))
    found = [counts_json(text, len(ids_of(tokenizer, text, **_options(state)))) for text in texts]
    model = model_of(state.model) if state.model else None
    meter = {"meter": meter_json(model, sum(one["tokens"] for one in found))} if model else {}
    return _one_or_all(body, found, ("tokens", "characters", "bytes"), {**meter, **skipped_json(tokenizer)})


@operations.add("get", "/vocabularies", answer=responses.VocabulariesAnswer)
def vocabularies() -> Response:
    """List the vocabularies: built-in, trained or pasted, and well-known ones that the site downloads.

    The list does not show uploaded vocabularies: only people who know the name of one can use it.
    """
    entries = [*CATALOGUE.values(), *well_known()]
    return cached_for(json_response({"vocabularies": [entry_json(entry) for entry in entries]}), MINUTES_5)


@operations.add(
    "post",
    "/vocabularies",
    body=requests.VocabularyUpload,
    answer=responses.VocabularyEntry,
    status=201,
    errors=(403, 409, 413, 507),
    example={"words.txt": "研究\n生命\n起源\n"},
)
@stores_by_hash
def upload_vocabulary() -> Response:
    """Upload a vocabulary file, and use it by the `name` in the response.

    The body is `multipart/form-data` with the file in the field `file`. Send a `vocab.json` together with its
    `merges.txt`, each in a field `file`. The formats are tokenizer.json, SentencePiece models, .tiktoken, vocab.txt,
    vocab.json with merges.txt, tekken.json, merges as nested lists, merge codes of subword-nmt, counts of n-grams,
    tokens with scores, and word lists. The name depends on the content alone: the same file always has
    the same name, and anyone who knows it can use it.
    """
    entry = store_upload(request)
    response = json_response({**entry_json(entry), **skipped_json(tokenizer_of(entry.name))}, 201)
    response.headers["Location"] = url_for("api.vocabulary", name=entry.name)
    return response


@operations.add(
    "get", "/vocabularies/<name>", answer=responses.VocabularyAnswer, errors=(404, 503), example={"name": "wordpiece"}
)
def vocabulary(name: str) -> Response:
    """Describe a vocabulary: its size, tokens and pipeline."""
    return cached_for(json_response(vocabulary_json(*tokenizer_by_name(name))), HOUR)


@operations.add(
    "get",
    "/vocabularies/<name>/tokens",
    query=requests.TokensQuery,
    answer=responses.TokensAnswer,
    errors=(404, 503),
    example={"name": "bpe-bytes", "query": "token"},
)
def tokens(name: str, query: requests.TokensQuery) -> Response:
    """List the tokens of a vocabulary, 100 per page, or search them.

    Results start with the token whose id is the query, then exact matches, then tokens that contain the query.
    """
    _entry, tokenizer = tokenizer_by_name(name)
    try:
        return cached_for(json_response(tokens_json(tokenizer, query.query, query.page)), HOUR)
    except NoPageError as error:
        refuse(404, f"There is no page {query.page}; the last page is {error.last}.", errors=[("page", "No such page")])


@operations.add(
    "post",
    "/snapshots",
    body=requests.SnapshotBody,
    answer=responses.SharedAnswer,
    status=201,
    errors=(403, 404, 409, 410, 413, 503, 507),
    example={"text": "研究生命科学", "vocabulary": "jieba", "title": "Where is it split?"},
)
@stores
def share(body: requests.SnapshotBody) -> Response:
    """Share a result under a permanent link.

    The same text, vocabulary, options, title and note always have the same link. Each request gets its own secret for
    deleting it.
    """
    shared = share_text(request, body)
    receipt = {
        "id": shared.id,
        "url": url_for("share.page", id=shared.id, _external=True),
        "secret": shared.secret,
        "delete_url": url_for("share.delete", id=shared.id, secret=shared.secret, _external=True),
    }
    response = json_response(receipt, 201)
    response.headers["Location"] = url_for("api.snapshot", id=shared.id)
    response.headers["Cache-Control"] = "no-store"
    return response


@operations.add(
    "get",
    "/snapshots/<id>",
    answer=responses.SnapshotAnswer,
    errors=(404, 410, 503),
    example={"text": "研究生命科学", "vocabulary": "jieba"},
)
def snapshot(id: str) -> Response:
    """Get a snapshot: the text and its tokens at the time of sharing.

    A snapshot never changes. The status is 410 after it has been deleted or has expired.
    """
    response = cached_for(json_response(shown_of(find_snapshot(id)).as_json()), 0)
    response.headers["Cache-Control"] = "public, no-cache"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


class ModelsQuery(Body):
    """The language models to list."""

    query: str = Field(
        "", max_length=LONGEST_QUERY, description="Words that the names of a model contain. Default: all models."
    )


@operations.add("get", "/models", query=ModelsQuery, answer=ModelsAnswer, example={"query": "gpt-4o"})
def models(query: ModelsQuery) -> Response:
    """List language models: the vocabulary, the context window and the price of each, with source and date.

    The model of that name comes first. A name that only begins like a known one has the tokenizer of that model, but
    none of its figures.
    """
    return cached_for(json_response({"models": list(map(entry_of, find_models(query.query)))}), MINUTES_5)


def meter_json(model: LanguageModel, tokens: int) -> dict[str, Any]:
    """The context window and the exact price of some tokens."""
    priced = model.price_up_to is None or tokens <= model.price_up_to
    return {
        "model": model.id,
        "tokens": tokens,
        "context": model.context,
        "price_in": _exact(tokens, model.price_in) if priced else None,
        "price_out": _exact(tokens, model.price_out) if priced else None,
        "source": model.source or None,
        "as_of": model.as_of.isoformat() if model.as_of else None,
    }


def _exact(tokens: int, per_million: Any) -> str | None:
    return None if per_million is None else f"{(tokens * per_million / 1_000_000).normalize():f}"


def _options(state: State) -> EncodingOptions:
    return {"algorithm": state.algorithm, "special": state.special, "template": state.puts_around}


def _one_or_all(
    body: requests.Texts, found: Sequence[Mapping[str, Any]], keys: Iterable[str], remarks: Mapping[str, Any]
) -> Response:
    """The only result for `text`; for `texts`, each key with the list of its values, one per text; and the remarks."""
    if "text" in body.model_fields_set:
        return json_response({**found[0], **remarks})
    return json_response({**{key: [one[key] for one in found] for key in keys}, **remarks})


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """Send the OpenAPI document of this API."""
    return cached_for(json_response(document()), MINUTES_5)


def document() -> dict[str, Any]:
    """The OpenAPI document, built once per process for the registered algorithms."""
    return _document(tuple(ALGORITHMS))


@cache
def _document(_algorithms: tuple[str, ...]) -> dict[str, Any]:
    return document_of(operations.all)
