"""Long responses are sent while they are written, and are the same as when they are written at once."""

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from pydantic import TypeAdapter

from webapp.web.json_responses import BATCH, json_parts, json_response
from webapp.web.long_responses import PART, WHOLE, long_response

LONG: dict[str, Any] = {
    "text": '研 " \n \x00',
    "ids": list(range(3 * BATCH)),
    "pairs": [(1, 2)] * (2 * BATCH + 1),
    "rows": [{"unknown": [7] * (BATCH + 1), "title": None}, {"unknown": [], 3: 0.5}],
    "batch": [[1, 2], tuple(range(BATCH + 1))],
    "few": [{"start": 1, "end": True}],
}


def test_json_in_parts_equals_json_encoded_at_once() -> None:
    whole = TypeAdapter(Any).dump_json(LONG)
    assert b"".join(json_parts(LONG)) == whole
    lazy = {**LONG, "ids": iter(LONG["ids"]), "pairs": map(tuple, LONG["pairs"]), "few": iter(LONG["few"])}
    assert b"".join(json_parts(lazy)) == whole


@pytest.mark.parametrize(("count", "is_streamed"), [(10, False), (WHOLE, True)])
def test_only_long_responses_are_streamed(count: int, is_streamed: bool) -> None:
    with Flask(__name__).test_request_context():
        response = json_response({"numbers": iter(range(count))})
        assert response.is_streamed is is_streamed
        assert (response.content_length is None) is is_streamed
        assert b"".join(response.iter_encoded()) == TypeAdapter(Any).dump_json({"numbers": list(range(count))})


def test_parts_are_joined_and_nothing_writes_a_stream_into_memory() -> None:
    response = long_response(("ab" for _ in range(WHOLE)), mimetype="text/plain")
    assert min(len(part) for part in list(response.iter_encoded())[:-1]) >= PART
    with pytest.raises(RuntimeError):
        response.get_data()


def test_an_error_at_the_beginning_is_raised_before_the_response() -> None:
    def broken() -> Iterator[str]:
        yield "a"
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        long_response(broken(), mimetype="text/plain")


def test_an_error_in_the_middle_ends_the_stream_with_the_error() -> None:
    def broken() -> Iterator[str]:
        yield from ("a" * PART for _ in range(8))
        raise ValueError("broken")

    response = long_response(broken(), mimetype="text/plain")
    with pytest.raises(ValueError, match="broken"):
        list(response.iter_encoded())


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
@pytest.mark.parametrize("kind", ["json", "html"])
def test_long_downloads_are_compressed_as_streams(client: FlaskClient, kind: str, encoding: str) -> None:
    form = {"text": "low and 研究 " * 6_000, "algorithm": "bpe"}
    plain = client.post(f"/download/tokens.{kind}", data=form)
    compressed = client.post(f"/download/tokens.{kind}", data=form, headers={"Accept-Encoding": encoding})
    assert plain.status_code == compressed.status_code == 200
    assert "Content-Length" not in plain.headers
    assert compressed.headers["Content-Encoding"] == encoding
    assert len(compressed.data) < len(plain.data) / 4
