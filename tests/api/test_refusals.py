"""Every invalid request gets problem details."""

import io
import json
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask.testing import FlaskClient

from tests.api.conftest import problem_of
from webapp import create_app
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer

TALK = {"role": "user", "content": "a"}
SLOW = "{% for a in range(9999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
GOLD = "研究 生命 的 起源\n"
FMM = [{"algorithm": "fmm", "vocabulary": "jieba"}]
# A valid body for each operation, which a row of the table changes; `...` leaves a field out.
VALID: dict[str, dict[str, Any]] = {
    "tokenize": {"text": "a"},
    "count": {"text": "a"},
    "decode": {"ids": [1]},
    "split": {"text": "a", "max_tokens": 4},
    "ambiguities": {"text": "研究生命"},
    "measures": {"text": "a", "tokenizers": [{"vocabulary": "wordpiece"}]},
    "evaluate": {"gold": GOLD, "methods": FMM},
    "messages": {"messages": [TALK]},
    "snapshots": {"text": "a"},
}
# The operation, what is changed, the status, the part that the problem points to, and a part of the sentence.
REFUSED: list[tuple[str, dict[str, Any], int, str] | tuple[str, dict[str, Any], int, str, str]] = [
    ("tokenize", {"text": ...}, 422, "#/"),
    ("tokenize", {"texts": ["b"]}, 422, "#/"),
    ("tokenize", {"text": 3}, 422, "#/text"),
    ("tokenize", {"text": ..., "texts": ["a", 3]}, 422, "#/texts/1"),
    ("tokenize", {"text": ..., "texts": [""] * 1_001}, 422, "#/texts"),
    ("tokenize", {"want": ["ids", "bytes"]}, 422, "#/want/1"),
    ("tokenize", {"special": "yes"}, 422, "#/special"),
    ("tokenize", {"a/b~": 1}, 422, "#/a~1b~0"),
    ("tokenize", {"algorithm": "bpe2"}, 422, "#/algorithm"),
    ("tokenize", {"vocabulary": "nope"}, 404, "#/vocabulary"),
    ("tokenize", {"vocabulary": "wordpiece", "algorithm": "bpe"}, 409, "#/algorithm"),
    ("tokenize", {"algorithm": "ngram", "edits": "a 5"}, 409, "#/edits"),
    ("tokenize", {"inference": "dropout", "vocabulary": "unigram"}, 409, "#/inference"),
    ("tokenize", {"inference": "dropout", "dropout": 1.1}, 422, "#/dropout"),
    ("tokenize", {"inference": "sample", "vocabulary": "unigram", "alpha": 0}, 422, "#/alpha"),
    ("tokenize", {"inference": "dropout", "seed": 2**31 + 1}, 422, "#/seed"),
    ("count", {"algorithm": "words"}, 409, "#/vocabulary"),
    ("count", {"vocabulary": "learned-unigram", "size": 1}, 409, "#/size"),
    ("count", {"vocabulary": "own-dictionary", "dictionary": "a x y z"}, 422, "#/dictionary"),
    ("count", {"text": ..., "texts": ["x" * 600_000, "y" * 600_000]}, 413, "#/texts"),
    ("count", {"vocabulary": "learned-bytes", "corpus": "x" * 300_000}, 413, "#/corpus"),
    ("decode", {"ids": [10**9]}, 404, "#/ids"),
    ("decode", {"ids": [10**9], "want": ["tokens"]}, 404, "#/ids"),
    ("decode", {"ids": [1] * 100_001, "want": ["tokens"]}, 413, "#/ids"),
    ("split", {"overlap": 3}, 409, "#/overlap"),
    ("split", {"text": "🜁", "max_tokens": 1}, 409, "#/max_tokens"),
    ("ambiguities", {"limit": 1_001}, 422, "#/limit"),
    ("ambiguities", {"vocabulary": "bpe-bytes"}, 409, "#/vocabulary"),
    ("ambiguities", {"text": "x" * 1_048_577}, 413, "#/text"),
    ("measures", {"tokenizers": [{"vocabulary": "wordpiece"}] * 7}, 422, "#/tokenizers"),
    ("measures", {"gold": "研究生命的起源"}, 409, "#/gold"),
    ("measures", {"text": "a" * 1_100_000}, 413, "#/text"),
    ("measures", {"gold": "a " * 600_000}, 413, "#/gold"),
    ("evaluate", {"methods": ...}, 409, "#/methods"),
    ("evaluate", {"methods": FMM * 4, "outputs": [{"text": GOLD}] * 3}, 409, "#/methods"),
    ("evaluate", {"gold": "研究生命的起源"}, 409, "#/gold"),
    ("evaluate", {"methods": ..., "outputs": [{"text": "研究 生物"}]}, 409, "#/outputs"),
    ("evaluate", {"methods": FMM * 7}, 422, "#/methods"),
    ("messages", {"messages": [TALK] * 501}, 422, "#/messages"),
    ("messages", {"messages": [{"content": "a"}]}, 409, "#/messages/0"),
    ("messages", {"messages": [TALK, {"role": "user", "content": [{"type": "image_url"}]}]}, 409, "#/messages/1"),
    ("messages", {"messages": [{**TALK, "content": "a" * 1_100_000}]}, 413, "#/messages"),
    ("messages", {"template": "nope"}, 404, "#/template"),
    ("messages", {"template": "vocabulary"}, 409, "#/template"),
    ("messages", {"template": "chatml", "template_source": "a"}, 409, "#/template_source"),
    ("messages", {"template_source": "{% for"}, 409, "#/template_source"),
    ("messages", {"template_source": SLOW}, 409, "#/template_source"),
    ("messages", {"template_source": "{{ 'a' * 10 ** 10 }}"}, 409, "#/template_source"),
    ("messages", {"template_source": "a" * 100_001}, 413, "#/template_source"),
    ("count", {"model": "gpt4o"}, 404, "#/model", "There is no model “gpt4o” in the list. Similar: gpt-4o"),
    ("count", {"model": "claude-opus-5"}, 409, "#/model", "The tokenizer of Claude Opus 5 is not public"),
    ("count", {"model": "gpt-4o", "vocabulary": "wordpiece"}, 409, "#/model", "uses o200k_base, not wordpiece"),
    ("tokenize", {"prefix": ["[gMASK]"]}, 409, "#/prefix/0", "The vocabulary has no token '[gMASK]'"),
    ("tokenize", {"suffix": ["#1", "#999999"]}, 409, "#/suffix/1", "The vocabulary has no token '#999999'"),
    ("tokenize", {"prefix": ["a"] * 21}, 422, "#/prefix"),
    ("tokenize", {"prefix": ["#1", "a b"]}, 409, "#/prefix/1", "The name 'a b' has white space"),
    ("tokenize", {"added": ["x"], "algorithm": "fmm"}, 409, "#/added", "Tokens cannot be added for fmm"),
    ("tokenize", {"added": ["x" * 65]}, 422, "#/added/0"),
    ("tokenize", {"added": ["x", " "]}, 409, "#/added/1", "it is empty, or it has a line end"),
    ("tokenize", {"added": ["x"] * 101}, 422, "#/added", "The list has 101 entries; the limit is 100."),
    ("snapshots", {"title": "x" * 121}, 422, "#/title"),
    ("snapshots", {"note": "x" * 2_001}, 422, "#/note"),
    ("snapshots", {"expires": "2025-02-30"}, 422, "#/expires"),
    ("snapshots", {"expires": "2000-01-01"}, 409, "#/expires"),
    ("snapshots", {"expires": "9999-12-31"}, 409, "#/expires"),
    ("snapshots", {"text": "x" * 1_100_000}, 413, "#/text"),
]


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: f"{row[0]} {row[3]}")
def test_the_problem_points_to_the_field(client: FlaskClient, row: tuple[str, dict[str, Any], int, str]) -> None:
    path, changes, status, pointer, *sentence = row
    body = {name: value for name, value in (VALID[path] | changes).items() if value is not ...}
    details = problem_of(client.post(f"/api/v1/{path}", json=body), status)
    assert pointer in [place["pointer"] for place in details["errors"]][:1]
    assert all(each in details["detail"] for each in sentence)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"nope", b'{"text": "\\ud800"}', b'{"text": "\xff"}', b"[" * 100_000, b'{"text": "a"} b', b"\x00"],
)
def test_invalid_json_is_refused(client: FlaskClient, body: bytes) -> None:
    answer = client.post("/api/v1/tokenize", data=body, content_type="application/json")
    assert "JSON" in problem_of(answer, 400)["detail"]


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_other_content_types_are_refused(client: FlaskClient, kind: str | None) -> None:
    problem_of(client.post("/api/v1/tokenize", data=b'{"text": "a"}', content_type=kind), 415)


def test_unknown_addresses_and_methods_are_problems(client: FlaskClient) -> None:
    answer = client.get("/api/v1/nope", headers={"Accept-Language": "zh-CN"})
    assert problem_of(answer, 404)["detail"].isascii()
    problem_of(client.post("/api/v1/tokenize", json=[]), 422)
    unavailable = client.post("/api/v1/count", json={"text": "a", "vocabulary": "llama-3"})
    problem_of(unavailable, 503)
    assert int(unavailable.headers["Retry-After"]) > 0
    for path in ("", "/nope", "/tokenize/", "/vocabularies/nope", "/vocabularies/nope/tokens"):
        problem_of(client.get(f"/api/v1{path}"), 404)
    assert "POST" in client.get("/api/v1/tokenize").headers["Allow"]
    problem_of(client.delete("/api/v1/vocabularies"), 405)
    problem_of(client.get("/api/v1/vocabularies/own-dictionary"), 404)
    for query in ("page=0", "page=x", "page=１", "colour=red", "page=1&page=2", f"query={'a' * 101}"):
        details = problem_of(client.get(f"/api/v1/vocabularies/wordpiece/tokens?{query}"), 422)
        assert details["errors"][0]["pointer"] in ("page", "colour", "query")
    problem_of(client.get("/api/v1/vocabularies/wordpiece/tokens?page=9999"), 404)


def test_bodies_over_the_limit_are_not_read(client: FlaskClient) -> None:
    answer = client.post("/api/v1/count", data=b"x" * 20_000_000, content_type="application/json")
    assert "1,048,576" in problem_of(answer, 413)["detail"]


def test_internal_errors_show_no_traceback(tmp_path: Path) -> None:
    settings = {"VOCABULARY_FOLDER": str(tmp_path), "DATABASE_FILE": str(tmp_path / "site.sqlite")}
    app = create_app(settings | {"PROPAGATE_EXCEPTIONS": False})
    del app.extensions["vocabularies"]
    answer = app.test_client().post("/api/v1/count", json={"text": "a", "vocabulary": "x"})
    assert "Traceback" not in json.dumps(problem_of(answer, 500))


def test_invalid_vocabulary_files_are_refused(client: FlaskClient) -> None:
    def file(content: bytes, name: str = "file") -> tuple[io.BytesIO, str]:
        return io.BytesIO(content), name

    problem_of(client.post("/api/v1/vocabularies", data={"file": file(b"\x00\xff\x00")}), 409)
    problem_of(client.post("/api/v1/vocabularies", data={"other": file(b"word")}), 422)
    problem_of(client.post("/api/v1/vocabularies", data={"file": [file(b"a"), file(b"b"), file(b"c")]}), 422)
    problem_of(client.post("/api/v1/vocabularies", json={}), 415)
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
    for size in (68_000_000, 140_000_000):
        body = head + b"x" * size + b"\r\n--x--\r\n"
        large = client.post("/api/v1/vocabularies", data=body, content_type="multipart/form-data; boundary=x")
        assert "67,108,864" in problem_of(large, 413)["detail"]


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://example.org"}])
def test_nothing_is_stored_for_another_site(client: FlaskClient, headers: dict[str, str]) -> None:
    data = {"file": (io.BytesIO(b"word\n"), "file")}
    problem_of(client.post("/api/v1/vocabularies", data=data, headers=headers), 403)
    problem_of(client.post("/api/v1/snapshots", json={"text": "a"}, headers=headers), 403)


@pytest.mark.parametrize("path", ["/api/v1/tokenize", "/api/v1/nope", "/api/v1/vocabularies"])
def test_cors_allows_any_origin_without_cookies(client: FlaskClient, path: str) -> None:
    fields = client.options(path, headers={"Origin": "https://example.org", "Access-Control-Request-Method": "POST"})
    answered = client.post(path, json={"text": "a"}, headers={"Origin": "https://example.org"})
    for answer in (fields, answered):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    if path != "/api/v1/nope":
        assert fields.status_code == 204
        assert "Content-Type" not in fields.headers
        assert "POST" in fields.headers["Access-Control-Allow-Methods"]
        assert "Content-Type" in fields.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Origin" not in client.get("/").headers


@pytest.mark.parametrize("path", ["/api/v1/tokenize", "/api/v1/vocabularies"])
def test_an_incomplete_body_is_refused(site: str, path: str) -> None:
    kind = "application/json" if path.endswith("tokenize") else "multipart/form-data; boundary=x"
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: 1000\r\n\r\n"
    with socket.create_connection((urlsplit(site).hostname, urlsplit(site).port), timeout=10) as connection:
        connection.sendall(head.encode() + b'{"text": "half')
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in answer
    assert b"incomplete: 14 of 1,000 bytes" in answer


def test_ids_of_a_too_long_text_are_refused(client: FlaskClient) -> None:
    pieces = shipped_tokenizer("bpe-bytes").model.pieces
    longest = max(range(len(pieces)), key=lambda id: len(pieces[id]))
    body = {"vocabulary": "bpe-bytes", "ids": [longest] * (1 << 20)}
    details = problem_of(client.post("/api/v1/decode", json=body), 413)
    assert "the limit is 4,194,304" in details["detail"]
    assert details["errors"][0]["pointer"] == "#/ids"
