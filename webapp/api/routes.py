"""The routes under `/api/v1`: each receives a validated model, calls the core and returns JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from flask import Request, Response, current_app, request, url_for

from webapp.api.document import document_of
from webapp.api.language_models import meter_json
from webapp.api.operations import blueprint, operations, texts_of, tokenizer_by_name, whole_body
from webapp.api.schemas import requests, responses
from webapp.api.schemas.requests import SnapshotBody
from webapp.core.algorithms import ALGORITHMS
from webapp.core.formats.fields import FormatError
from webapp.serializers.json import cached_for, json_response
from webapp.serializers.snapshot import snapshot_json
from webapp.serializers.tokenization import counts_json, skipped_json, tokenization_stream, words_json
from webapp.serializers.vocabulary import NoPageError, entry_json, tokens_json, vocabulary_json
from webapp.sharing.conversations import is_conversation
from webapp.sharing.evaluations import is_evaluation
from webapp.sharing.results import LONGEST_YEARS, ShareTerms, UnshareableError, end_of, share_result
from webapp.storage import RemovedSnapshotError, ShareReceipt, StorageFullError, StoredSnapshot, storage
from webapp.tokenization.encoding import EncodingOptions, encode, ids_of
from webapp.tokenization.messages import wrong_file
from webapp.tokenization.result import tokenize as tokenize_state
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, CatalogueEntry, library, tokenizer_of, well_known
from webapp.vocabularies.language_models import model_of
from webapp.web.problems import refuse
from webapp.web.rates import stores, stores_by_hash
from webapp.web.same_origin import is_foreign


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
    contents = [file.stream.read() for file in request.files.getlist("file")]
    if not 1 <= len(contents) <= 2:
        refuse(422, f"Send one file, or two; the request has {len(contents)}.", errors=[("#/file", "One or two")])
    for content in contents:
        if len(content) > limit:
            sentence = f"It has {len(content):,} bytes; a vocabulary file may have {limit:,}."
            refuse(413, f"The file is too large. {sentence}", errors=[("#/file", sentence)])
    try:
        return library().store(*contents)
    except FormatError as error:
        refuse(409, f"The file is not a usable vocabulary: {wrong_file(error)}", errors=[("#/file", str(error))])
    except StorageFullError:
        refuse(507, "The site's storage for uploaded vocabularies is full. Everything else works.")


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
    except RemovedSnapshotError:
        refuse(410, "The operator of this site has removed this result. It cannot be shared again.")
    except UnshareableError as error:
        refuse(409, f"The result cannot be shared, because its vocabulary cannot be stored: {wrong_file(error.why)}.")
    except StorageFullError as error:
        if error.what == "vocabularies":
            refuse(507, "The site's storage for vocabularies is full. Share a result of a built-in vocabulary instead.")
        refuse(507, "The site's storage for shared results is full. Everything else works.")


def find_snapshot(id: str) -> StoredSnapshot:
    """The snapshot with this id; answers 404 or 410 if there is none."""
    found = storage().snapshots.get(id) if re.fullmatch("[0-9a-z]{1,64}", id) else None
    if found is None:
        refuse(404, "No snapshot has ever had this id.")
    if found.condition != "kept":
        refuse(410, GONE[found.condition])
    if is_evaluation(found.snapshot):
        refuse(404, f"This is an evaluation. GET /evaluate/{id}?format=json shows it.")
    if is_conversation(found.snapshot):
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
    response = cached_for(json_response(snapshot_json(find_snapshot(id))), 0)
    response.headers["Cache-Control"] = "public, no-cache"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


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
