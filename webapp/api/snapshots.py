"""The operations on snapshots: share a result, and get it."""

import re
from contextlib import suppress
from datetime import date, datetime
from typing import Annotated, Any

from flask import Response, current_app, url_for
from pydantic import BeforeValidator, Field

from webapp.api.operations import operation, refuse_foreign, refuse_to_store
from webapp.api.texts import Offsets
from webapp.sharing.kinds import shown_of
from webapp.sharing.results import share_result
from webapp.storage import storage
from webapp.tokenization import snapshots
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import tokenize
from webapp.tools.inputs import AnswerModel, Text
from webapp.tools.picker import AlgorithmId, TokenizerInput
from webapp.web.json_responses import Piece, cached_for, json_response
from webapp.web.problems import refuse
from webapp.web.rates import stores


def _day(value: Any) -> Any:
    """A date in RFC 3339's format; pydantic alone would also accept seconds since 1970."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    if value is None:
        return None
    raise ValueError("write the date as YYYY-MM-DD, for example 2030-12-31")


class SnapshotBody(TokenizerInput):
    """A text to tokenize and share."""

    text: Text
    title: str = Field("", max_length=snapshots.LONGEST_TITLE, description="A title, one line.")
    note: str = Field("", max_length=snapshots.LONGEST_NOTE, description="A note, one or two paragraphs.")
    expires: Annotated[date | None, BeforeValidator(_day)] = Field(
        None, description="The last day of the snapshot, in UTC. Default: it does not expire."
    )


class SharedAnswer(AnswerModel):
    """A new snapshot."""

    id: str
    url: str = Field(description="The page of the snapshot.")
    secret: str = Field(description="The secret for deleting the snapshot. Only this response contains it.")
    delete_url: str = Field(description="The page that deletes the snapshot.")


class KeptRow(AnswerModel):
    """One tokenizer of a shared comparison, with its tokens."""

    algorithm: AlgorithmId
    vocabulary: str
    vocabulary_hash: str = Field(description="The SHA-256 of the vocabulary's content.")
    options: dict[str, bool | int | str | None] = Field(description="The options that differ from their defaults.")
    ids: list[int] = Field(description="The ids at the time of sharing.")
    pieces: list[Piece]
    offsets: Offsets
    unknown: list[int] = Field(description="The indexes of the tokens that stand for unknown text.")
    special: list[int] = Field(description="The indexes of the special tokens.")
    decoded: str


class SnapshotAnswer(AnswerModel):
    """A snapshot: the tokens of one result, or the `rows` of a comparison, each with its own tokens."""

    id: str
    url: str
    created: datetime
    expires: datetime | None
    title: str
    note: str
    text: str
    core_version: str
    rows: list[KeptRow] = Field([], description="The tokenizers of a comparison. Each row then has the fields below.")
    algorithm: AlgorithmId | None = None
    vocabulary: str | None = None
    vocabulary_hash: str = Field("", description="The SHA-256 of the vocabulary's content.")
    options: dict[str, bool | int | str | None] = Field({}, description="The options that differ from their defaults.")
    ids: list[int] = Field([], description="The ids at the time of sharing.")
    pieces: list[Piece] = Field([])
    offsets: Offsets = Field([])
    unknown: list[int] = Field([], description="The indexes of the tokens that stand for unknown text.")
    special: list[int] = Field([], description="The indexes of the special tokens.")
    decoded: str = ""


GONE = {
    "expired": "This snapshot has expired.",
    "deleted": "The author of this snapshot has deleted it.",
    "removed": "The operator of this site has removed this snapshot.",
}


@operation(
    "post",
    "/snapshots",
    body=SnapshotBody,
    answer=SharedAnswer,
    status=201,
    errors=(403, 404, 409, 410, 413, 503, 507),
    example={"text": "研究生命科学", "vocabulary": "jieba", "title": "Where is it split?"},
)
@stores
def share(body: SnapshotBody) -> Response:
    """Share a result under a permanent link.

    The same text, vocabulary, options, title and note always have the same link. Each request gets its own secret for
    deleting it.
    """
    refuse_foreign()
    expires = None if body.expires is None else snapshots.end_of(body.expires)
    if body.expires is not None and expires is None:
        sentence = (
            f"The expiry date is out of range. It must be after today and within {snapshots.LONGEST_YEARS} years."
        )
        raise InputProblem(sentence, 409, "expires")
    state, tokenizer = body.tokenizer(body.text)
    result = tokenize(state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"], tokenizer=tokenizer)
    try:
        shared = share_result(result, snapshots.ShareTerms(" ".join(body.title.split()), body.note.strip(), expires))
    except InputProblem as problem:
        refuse_to_store(problem)
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


@operation(
    "get",
    "/snapshots/<id>",
    answer=SnapshotAnswer,
    errors=(404, 410, 503),
    example={"text": "研究生命科学", "vocabulary": "jieba"},
)
def snapshot(id: str) -> Response:
    """Get a snapshot: the text and its tokens at the time of sharing.

    A snapshot never changes. The status is 410 after it has been deleted or has expired.
    """
    found = storage().snapshots.get(id) if re.fullmatch("[0-9a-z]{1,64}", id) else None
    if found is None:
        refuse(404, "No snapshot has ever had this id.")
    if found.condition != "kept":
        refuse(410, GONE[found.condition])
    if snapshots.kind_of(found.snapshot) == "evaluation":
        refuse(404, f"This is an evaluation. GET /evaluate/{id}?format=json shows it.")
    if snapshots.kind_of(found.snapshot) == "sheet":
        refuse(404, f"This is a sheet of exercises. GET /homework?sheet={id} shows it.")
    if snapshots.kind_of(found.snapshot) == "conversation":
        refuse(404, f"This is a conversation. GET /s/{id}.json shows it.")
    response = cached_for(json_response(shown_of(found).as_json()), 0)
    response.headers["Cache-Control"] = "public, no-cache"
    response.headers["X-Robots-Tag"] = "noindex"
    return response
