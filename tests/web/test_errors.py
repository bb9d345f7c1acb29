"""Error pages outside any form."""

from __future__ import annotations

import io
import re

import pytest

from tests.site import HTMX, NOWHERE
from webapp import create_app
from webapp.web.server_variables import STOPPED

BACK = "Go back one page in your browser"


@pytest.mark.parametrize(
    ("method", "path", "status", "heading"),
    [
        ("GET", "/nothing/here", 404, "Page not found"),
        ("POST", "/vocabularies/unigram", 405, "Method not allowed"),
        ("POST", "/upload", 413, "Request too large"),
        ("POST", "/", 413, "Request too large"),
    ],
)
def test_an_error_page_names_the_error(method: str, path: str, status: int, heading: str) -> None:
    app = create_app(NOWHERE | {"MAX_CONTENT_LENGTH": 100_000, "MAX_UPLOAD_BYTES": 20_000})
    form = {"text": "x" * 200_000} if method == "POST" else None
    with app.test_client() as client:
        answer = client.open(path, method=method, data=form)
        assert answer.status_code == status
        assert re.findall("<h1>(.*)</h1>", answer.text) == [heading]
        assert f"<title>{heading} · Tokenscope</title>" in answer.text
        assert f"Status {status}" in answer.text
        assert (BACK in answer.text) == (method == "POST")
        assert "20,000 bytes" in answer.text or path != "/upload"
        part = client.open(path, method=method, data=form, headers=HTMX)
        assert part.status_code == status
        assert "<h1>" not in part.text


def test_numbers_are_formatted_for_the_language_of_the_page() -> None:
    with create_app(NOWHERE | {"MAX_CONTENT_LENGTH": 1000}).test_client() as client:
        assert "1,048,576" in client.post("/?lang=zh", data={"text": "x" * 2000}).text


def test_an_upload_that_was_stopped_gets_a_page(caplog: pytest.LogCaptureFixture) -> None:
    with create_app(NOWHERE | {"MAX_CONTENT_LENGTH": 100_000}).test_client() as client:
        form = {"vocabulary_file": (io.BytesIO(b"x" * 200_000), "words"), "text": "a"}
        answer = client.post("/upload?lang=en", data=form, environ_overrides={STOPPED: "time"})
        assert answer.status_code == 503
        assert "so the server stopped it" in answer.text
    assert "could not be rendered" not in caplog.text
