"""A site with a queue but no worker: a training runs when a test says so."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from webapp.jobs import jobs_of

_RANDOM = Random(13)
_WORDS = ["".join(_RANDOM.choices(("lo", "wer", "new", "est", "wi", "de", "r", "s", "un"), k=3)) for _ in range(400)]
TEXT = "".join(" ".join(_RANDOM.choices(_WORDS, k=8)) + "，新的词。\n" for _ in range(400))


@pytest.fixture
def client(storing_app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FlaskClient]:
    """Return a client of a site that can store, with a folder of corpora for this test."""
    monkeypatch.setattr(jobs_of(storing_app).corpora, "folder", tmp_path)
    with storing_app.test_client() as client:
        yield client


def send(client: FlaskClient, *files: tuple[bytes, str], **form: str) -> TestResponse:
    """Send the form with a corpus."""
    data = {"files": [(io.BytesIO(content), name) for content, name in files], **form}
    return client.post("/train/corpus", data=data, content_type="multipart/form-data")


@pytest.fixture
def corpus(client: FlaskClient) -> str:
    """Return the id of an uploaded corpus."""
    answer = send(client, (TEXT.encode(), "words.txt"))
    assert answer.status_code == 303, answer.text
    found = re.search(r"corpus=([\w-]+)", answer.headers["Location"])
    assert found is not None
    return found[1]
