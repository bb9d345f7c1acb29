"""Snapshots in the API: shared, shown, deleted, expired."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.api.conftest import Ask, problem_of
from webapp import create_app

NOWHERE = {"HUB": "http://127.0.0.1:9"}


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    """Return the site, once on SQLite and once on PostgreSQL."""
    return storing_app


BODY: Any = {"text": "研究生命的起源 乸", "vocabulary": "bpe-bytes", "title": "A title"}


def test_a_shared_result_is_returned_unchanged(client: FlaskClient, post: Ask) -> None:
    shared = post("snapshots", status=201, **BODY)
    assert shared["url"].endswith(f"/s/{shared['id']}")
    answer = client.get(f"/api/v1/snapshots/{shared['id']}")
    details = answer.get_json()
    tokens = post("tokenize", text=BODY["text"], vocabulary="bpe-bytes")
    for key in ("ids", "pieces", "offsets"):
        assert details[key] == tokens[key]
    assert details["text"] == details["decoded"] == BODY["text"]
    assert details["title"] == "A title"
    assert details["expires"] is None
    again = client.get(f"/api/v1/snapshots/{shared['id']}", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    assert client.get(f"/s/{shared['id']}.json").get_json() == details
    unknown = {"text": "研究生 x", "vocabulary": "own-dictionary", "dictionary": "研究"}
    details = client.get(f"/api/v1/snapshots/{post('snapshots', status=201, **unknown)['id']}").get_json()
    assert details["pieces"] == post("tokenize", **unknown)["pieces"]


def test_a_deleted_snapshot_answers_410(client: FlaskClient, post: Ask) -> None:
    shared = post("snapshots", status=201, text="to be deleted")
    assert client.post(shared["delete_url"]).status_code in (200, 410)
    for path in (f"/api/v1/snapshots/{shared['id']}", f"/s/{shared['id']}.json"):
        problem_of(client.get(path), 410)
    for id in ("nope", "23456789a", "%00", "a" * 200, "乸"):
        problem_of(client.get(f"/api/v1/snapshots/{id}"), 404)


def test_a_snapshot_expires_at_the_end_of_its_last_day(client: FlaskClient, post: Ask) -> None:
    day = (datetime.now(UTC) + timedelta(days=9)).date()
    shared = post("snapshots", status=201, text="for nine days", expires=day.isoformat())
    details = client.get(f"/api/v1/snapshots/{shared['id']}").get_json()
    assert details["expires"].startswith(f"{day + timedelta(days=1)}T00:00:00")


def test_an_unreachable_database_answers_503(tmp_path: Path) -> None:
    away = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none", "MAX_DATABASE_SECONDS": 1}
    client = create_app({"VOCABULARY_FOLDER": str(tmp_path), **NOWHERE, **away}).test_client()
    for answer in (client.post("/api/v1/snapshots", json=BODY), client.get("/api/v1/snapshots/23456789a")):
        problem_of(answer, 503)
        assert int(answer.headers["Retry-After"]) > 0
    assert client.post("/api/v1/count", json={"text": "low"}).get_json()["tokens"] == 1
