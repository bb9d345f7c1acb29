"""Requests that run for many seconds: they and their work end in time, also when the client leaves."""

import html
import json
import socket
import struct
import time
from typing import Any, NamedTuple

import pytest

from tests.attacks.conftest import Watched
from tests.attacks.exchange import ask, form_bytes, request_bytes

LIMIT = 2  # seconds
SETTINGS = {"TOKENSCOPE_MAX_REQUEST_SECONDS": str(LIMIT)}
ANSWER_GOAL = LIMIT + 1.5
QUIET_GOAL = 2.0  # seconds from the response to the end of its work
LEFT_GOAL = 3.0  # seconds from the client's disconnect to the end of its work
UPLOAD_PATIENCE = 10.0
AT_ONCE = 16  # requests whose clients disconnect together

MEGABYTE = 1_000_000


class Work(NamedTuple):
    """A vocabulary to upload, and a text that it is slow on; `way` is the kind of request."""

    document: dict[str, Any]
    text: str
    way: str = "page"


def _document(**parts: Any) -> dict[str, Any]:
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0]]}
    return {"version": "1.0", "added_tokens": [], "model": model, **parts}


def _split(pattern: str) -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return _document(pre_tokenizer=split)


# Tokens with a long common prefix: `re` tries each of them at each position, in one call.
_FLAGS = dict.fromkeys(("special", "normalized", "single_word", "lstrip", "rstrip"), False)
_TOKENS = [{"id": 2 + at, "content": "a" * (700 + at) + "b", **_FLAGS} for at in range(300)]
_PIECES = [["<unk>", 0.0], *(["a" * length, -length - 0.5] for length in range(1, 1001))]
_EMPTY = _split("(?:)|x")

# In Python, and inside single C calls, which hold the interpreter's lock.
WORK = {
    "nested Unigram pieces": Work(_document(model={"type": "Unigram", "unk_id": 0, "vocab": _PIECES}), "a" * 250_000),
    "a million empty matches": Work(_EMPTY, "a" * MEGABYTE),
    "a million empty matches for htmx": Work(_EMPTY, "a" * MEGABYTE, "part"),
    "NFKC of 350,000 ligatures": Work(_document(normalizer={"type": "NFKC"}), "\ufdfa" * (MEGABYTE // 3)),
    "one call of re": Work(_document(added_tokens=_TOKENS), "a" * MEGABYTE),
    "one call of regex, API": Work(_split("a{900}b"), "a" * MEGABYTE, "api"),
}


@pytest.mark.parametrize("name", WORK)
def test_a_long_request_is_answered_and_ends_in_time(site: Watched, name: str) -> None:
    work = WORK[name]
    if not (request := _prepared(site, work)):
        return
    answer = ask(site.address, request, patience=ANSWER_GOAL + 1)
    assert answer.seconds < ANSWER_GOAL
    assert answer.status in (200, 409, 413, 422, 503)
    if answer.status == 503 and work.way == "api":
        assert json.loads(answer.body)["detail"]
    if answer.status == 503 and work.way == "page":
        assert work.text in html.unescape(answer.text)
    assert site.is_quiet_after(QUIET_GOAL)


LEAVING = ["nested Unigram pieces", "a million empty matches", "NFKC of 350,000 ligatures", "one call of re"]


@pytest.mark.parametrize(
    ("name", "clients", "reset"),
    [*((name, 1, False) for name in LEAVING), ("one call of re", 1, True), ("one call of re", AT_ONCE, False)],
)
def test_the_work_ends_when_the_client_leaves(site: Watched, name: str, clients: int, reset: bool) -> None:
    """Half a second after it has sent the request."""
    if not (request := _prepared(site, WORK[name])):
        return
    connections = [socket.create_connection(site.address, timeout=5) for _ in range(clients)]
    for connection in connections:
        connection.sendall(request)
    time.sleep(0.5)
    for connection in connections:
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    assert site.is_quiet_after(LEFT_GOAL)


def _prepared(site: Watched, work: Work) -> bytes:
    """Upload the vocabulary; return the request that is slow with it, empty if the upload is refused with a reason."""
    content = json.dumps(work.document).encode()
    answer = ask(site.address, form_bytes("/api/v1/vocabularies", {}, [("file", content)]), patience=UPLOAD_PATIENCE)
    told = json.loads(answer.body)
    if answer.status != 201:
        assert 400 <= answer.status < 500
        assert told["detail"]
        return b""
    if work.way == "api":
        body = json.dumps({"text": work.text, "vocabulary": told["name"]}).encode()
        return request_bytes("POST", "/api/v1/count", body, content_type="application/json")
    fields = {"hx_request": "true", "hx_request_type": "partial"} if work.way == "part" else {}
    values = {"algorithm": "unigram", "vocabulary": told["name"], "text": work.text}
    return form_bytes("/", values, **fields)
