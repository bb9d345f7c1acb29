"""The routes under `/api/v1`: each receives a validated model, calls the core and returns JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from flask import Response, request, url_for

from webapp.api import sharing, uploads
from webapp.api.document import document_of
from webapp.api.evaluation import evaluation_of
from webapp.api.language_models import meter_json
from webapp.api.registry import blueprint, operations
from webapp.api.schemas import requests, responses
from webapp.api.schemas.evaluation import EvaluateAnswer, EvaluateBody
from webapp.api.tokenizer_choice import texts_of, tokenizer_by_name
from webapp.core.algorithms import ALGORITHMS
from webapp.serializers.json import cached_for, json_response
from webapp.serializers.skipped_lines import skipped_json
from webapp.serializers.snapshot import snapshot_json
from webapp.serializers.tokenization import counts_json, tokenization_stream, words_json
from webapp.serializers.vocabulary import NoPageError, entry_json, tokens_json, vocabulary_json
from webapp.tokenization.encoding import EncodingOptions, encode, ids_of
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, tokenizer_of, well_known
from webapp.vocabularies.language_models import model_of
from webapp.web.problems import refuse
from webapp.web.rates import stores, stores_by_hash

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


@operations.add(
    "post",
    "/evaluate",
    body=EvaluateBody,
    answer=EvaluateAnswer,
    errors=(409, 413, 503),
    example={"gold": "研究 生命 的 起源", "methods": [{"algorithm": "fmm"}, {"algorithm": "bmm"}]},
)
def evaluate(body: EvaluateBody) -> Response:
    """Score segmentations against a gold text.

    A word is right if it begins and ends where a gold word does. Each error belongs to the first kind that
    applies: `number`, `name`, `unknown`, `overlap`, `merged`, `split`. Nothing is stored.
    """
    return json_response(evaluation_of(body))


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
    entry = uploads.store_upload(request)
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
    shared = sharing.share_text(request, body)
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
    response = cached_for(json_response(snapshot_json(sharing.find_snapshot(id))), 0)
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
