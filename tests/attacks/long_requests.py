"""Requests that run for many seconds: they and their work end in time, also when the client leaves."""

import html
import json
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.attacks.exchange import Answer, BrokenError, ask, form_bytes, get, request_bytes
from tests.attacks.findings import Finding
from tests.attacks.site import Site

LIMIT = 2  # seconds: the site's TOKENSCOPE_MAX_REQUEST_SECONDS
ANSWER_GOAL = LIMIT + 1.5
QUIET_GOAL = 2.0  # seconds from the response to the end of its work
LEFT_GOAL = 3.0  # seconds from the client's disconnect to the end of its work
UPLOAD_PATIENCE = 10.0
AT_ONCE = 16  # requests whose clients disconnect together

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Work:
    """A vocabulary to upload, and a text of `times` letters that it is slow on; `way` is the kind of request."""

    name: str
    document: dict[str, Any]
    letter: str
    times: int
    way: str = "page"

    @property
    def text(self) -> str:
        return self.letter * self.times


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

NESTED = Work(
    "nested Unigram pieces", _document(model={"type": "Unigram", "unk_id": 0, "vocab": _PIECES}), "a", 250_000
)
EMPTY = Work("a million empty matches", _split("(?:)|x"), "a", MEGABYTE)
OF_PAGE = Work("the same for htmx", EMPTY.document, "a", MEGABYTE, "part")
NFKC = Work("NFKC of 350,000 ligatures", _document(normalizer={"type": "NFKC"}), "\ufdfa", MEGABYTE // 3)
IN_RE = Work("one call of re", _document(added_tokens=_TOKENS), "a", MEGABYTE)
IN_REGEX = Work("one call of regex, API", _split("a{900}b"), "a", MEGABYTE, "api")


def long_request(site: Site) -> Iterator[Finding]:
    """Send slow requests, in Python and inside single C calls, which hold the interpreter's lock."""
    for work in (NESTED, EMPTY, OF_PAGE, NFKC, IN_RE, IN_REGEX):
        yield _in_time(site, work)


def _in_time(site: Site, work: Work) -> Finding:
    goal = f"refused, or a response in {ANSWER_GOAL} s"
    try:
        request, refusal = _prepared(site, work)
        if refusal:
            return Finding(work.name, refusal, goal, True)
        answer = ask(site.address, request, patience=ANSWER_GOAL + 1)
    except BrokenError as error:
        site.restart()
        return Finding(work.name, f"no response: {error}", goal, False)
    quiet = site.seconds_until_quiet(QUIET_GOAL)
    seen = f"{answer.status} after {answer.seconds:.1f} s"
    wrong = _wrong(answer, work)
    if wrong:
        seen += f", {wrong}"
    elif quiet is None:
        seen += f", still busy {QUIET_GOAL:.0f} s later"
        site.restart()
    else:
        seen += f", idle {quiet:.1f} s later"
    return Finding(work.name, seen, goal, not wrong and quiet is not None and answer.seconds < ANSWER_GOAL)


def _wrong(answer: Answer, work: Work) -> str:
    """Return what is missing in a response; empty if nothing is."""
    if answer.status not in (200, 409, 413, 422, 503):
        return "an unexpected status"
    if answer.status != 503 or work.way == "part":
        return ""
    if work.way == "api":
        return "" if json.loads(answer.body).get("detail") else "without a message"
    return "" if work.text in html.unescape(answer.text) else "without the text that was sent"


def client_left(site: Site) -> Iterator[Finding]:
    """Disconnect half a second after sending a slow request."""
    for work in (NESTED, EMPTY, NFKC, IN_RE):
        yield _left(site, work, 1)
    yield _left(site, IN_RE, 1, reset=True)
    yield _left(site, IN_RE, AT_ONCE)


def _left(site: Site, work: Work, clients: int, *, reset: bool = False) -> Finding:
    tried = work.name + (", reset" if reset else "") + (f", {clients} at once" if clients > 1 else "")
    goal = f"refused, or idle in {LEFT_GOAL:.0f} s"
    try:
        request, refusal = _prepared(site, work)
    except BrokenError as error:
        site.restart()
        return Finding(tried, f"no response: {error}", goal, False)
    if refusal:
        return Finding(tried, refusal, goal, True)
    connections = [socket.create_connection(site.address, timeout=5) for _ in range(clients)]
    for connection in connections:
        connection.sendall(request)
    time.sleep(0.5)
    for connection in connections:
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    quiet = site.seconds_until_quiet(LEFT_GOAL)
    if quiet is None:
        answers = _answers(site)
        site.restart()
        return Finding(tried, f"still busy after {LEFT_GOAL:.0f} s, /healthz {answers}", goal, False)
    return Finding(tried, f"idle {quiet:.1f} s later", goal, True)


def _answers(site: Site) -> str:
    try:
        return f"responds {get(site.address, '/healthz', patience=2).status}"
    except BrokenError:
        return "does not respond"


def _prepared(site: Site, work: Work) -> tuple[bytes, str]:
    """Upload the vocabulary; return the request that is slow with it, or the reason for a refusal.

    Raises `BrokenError` when the upload gets no response, or is refused without a reason.
    """
    content = json.dumps(work.document).encode()
    upload = form_bytes("/api/v1/vocabularies", {}, [("file", content)])
    answer = ask(site.address, upload, patience=UPLOAD_PATIENCE)
    told = json.loads(answer.body) if answer.body.startswith(b"{") else {}
    if 400 <= answer.status < 500 and told.get("detail"):
        return b"", f"refused: {told['detail'][:45]}…"
    if answer.status != 201:
        raise BrokenError(f"the upload got the response {answer.status}")
    return _request(work, told["name"]), ""


def _request(work: Work, vocabulary: str) -> bytes:
    if work.way == "api":
        body = json.dumps({"text": work.text, "vocabulary": vocabulary}).encode()
        return request_bytes("POST", "/api/v1/count", body, content_type="application/json")
    values = {"algorithm": "unigram", "vocabulary": vocabulary, "text": work.text}
    fields = {}
    if work.way == "part":
        fields = {"hx_request": "true", "hx_request_type": "partial", "accept": "text/html"}
    return form_bytes("/", values, **fields)
