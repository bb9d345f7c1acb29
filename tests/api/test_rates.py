"""Rate limits for one address, with limits small enough to reach."""

import io
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.api.conftest import problem_of
from webapp import create_app


@pytest.fixture
def limited(tmp_path: Path) -> Any:
    """``limited(reading="3 per minute")`` returns a client of a site with such limits."""

    def limited(reading: str = "", storing: str = "", **settings: Any) -> FlaskClient:
        rates = {"RATE_READING": reading, "RATE_STORING": storing}
        app: Flask = create_app(
            {"VOCABULARY_FOLDER": str(tmp_path), "DATABASE_FILE": str(tmp_path / "site.sqlite"), **rates, **settings}
        )
        return app.test_client()

    return limited


def upload(client: FlaskClient, path: str = "/api/v1/vocabularies", field: str = "file") -> TestResponse:
    form = {"text": "a"} if path == "/upload" else {}
    return client.post(path, data={field: (io.BytesIO(b"word\n"), "words"), **form})


def test_a_rate_limited_page_says_when_to_retry(limited: Any) -> None:
    client = limited("3 per minute")
    assert [client.get("/vocabularies").status_code for _ in range(4)] == [200, 200, 200, 429]
    answer = client.get("/", headers={"Accept-Language": "en"})
    assert answer.status_code == 429
    assert answer.mimetype == "text/html"
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert f"in {answer.headers['Retry-After']} seconds" in answer.text
    answer = client.post("/api/v1/count", json={"text": "a"})
    assert "Try again in" in problem_of(answer, 429)["detail"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    with pytest.raises(ValueError, match="rate"):
        limited("often")


def test_storing_requests_have_their_own_limit(limited: Any) -> None:
    client = limited("100 per minute", "2 per minute")
    assert [upload(client).status_code for _ in range(3)] == [201, 201, 429]
    assert upload(client, "/upload", "vocabulary_file").status_code == 429
    assert client.get("/api/v1/vocabularies").status_code == 200


def test_the_processes_of_a_machine_count_together(limited: Any) -> None:
    one, other = limited(storing="2 per minute"), limited(storing="2 per minute")
    assert [upload(client).status_code for client in (one, other, one, other)] == [201, 201, 429, 429]


def test_health_and_static_files_do_not_count(limited: Any) -> None:
    client = limited("1 per minute")
    assert {client.get("/healthz").status_code for _ in range(5)} == {200}
    for _ in range(5):
        with client.get("/static/app.css") as answer:
            assert answer.status_code == 200


def test_each_visitor_behind_a_proxy_is_counted(limited: Any) -> None:
    def ask(client: FlaskClient, forwarded: str) -> int:
        return client.get("/vocabularies", headers={"X-Forwarded-For": forwarded}).status_code

    believing = limited("1 per minute", PROXIES=1)
    assert [ask(believing, "10.0.0.1"), ask(believing, "10.0.0.2"), ask(believing, "10.0.0.1")] == [200, 200, 429]
    assert ask(believing, "forged, 10.0.0.2") == 429
    alone = limited("1 per minute")
    assert [ask(alone, "10.0.0.1"), ask(alone, "10.0.0.2")] == [200, 429]


def test_an_ipv6_network_counts_as_one_client(limited: Any) -> None:
    client = limited("1 per minute", PROXIES=1)

    def ask(address: str) -> int:
        return client.get("/vocabularies", headers={"X-Forwarded-For": address}).status_code

    assert [ask("2001:db8::1"), ask("2001:db8::ffff:2"), ask("2001:db8:0:1::1")] == [200, 429, 200]
    assert [ask("192.0.2.1"), ask("::ffff:192.0.2.1"), ask("not an address")] == [200, 429, 200]


@pytest.mark.parametrize(
    ("headers", "proxies", "base"),
    [
        ({"X-Forwarded-Proto": "https"}, 1, "https://localhost"),
        ({"X-Forwarded-Proto": "http, https"}, 2, "https://localhost"),
        ({"X-Forwarded-Proto": "https"}, 0, "http://localhost"),
        ({"X-Forwarded-Proto": "javascript"}, 1, "http://localhost"),
        ({"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example"}, 1, "https://localhost"),
        ({"Forwarded": "host=evil.example;proto=https", "X-Forwarded-Port": "8"}, 1, "http://localhost"),
        ({"X-Forwarded-Prefix": "/evil"}, 1, "http://localhost"),
    ],
)
def test_only_necessary_headers_of_proxies_are_trusted(
    limited: Any, headers: dict[str, str], proxies: int, base: str
) -> None:
    answer = limited(PROXIES=proxies).get("/api", headers=headers)
    assert f"{base}/api/v1" in answer.text
    assert "evil" not in answer.text
    assert ("Strict-Transport-Security" in answer.headers) == base.startswith("https")


@pytest.mark.parametrize("settings", [{}, {"REDIS_URL": "redis://127.0.0.1:9/0"}])
def test_a_store_of_counts_that_cannot_be_used_leaves_each_process_its_own(
    limited: Any, tmp_path: Path, settings: dict[str, str]
) -> None:
    (tmp_path / "site-rates.sqlite").write_bytes(b"no database" * 1_000)
    client = limited("2 per minute", **settings)
    assert [client.get("/vocabularies").status_code for _ in range(3)] == [200, 200, 429]


@pytest.mark.parametrize("path", ["/s/zzzzzzzzz/embed", "/s/zzzzzzzzz"])
def test_a_rate_limited_embed_may_be_framed(limited: Any, path: str) -> None:
    client = limited("1 per minute")
    client.get(path)
    answer = client.get(path)
    assert answer.status_code == 429
    framed = path.endswith("embed")
    assert ("frame-ancestors" not in answer.headers["Content-Security-Policy"]) == framed
    assert ("X-Frame-Options" not in answer.headers) == framed
    assert ("<nav" not in answer.text) == framed
