"""What the operator is told about proxies."""

import pytest

from webapp import create_app

FORWARDED = {"X-Forwarded-For": "203.0.113.9"}


@pytest.mark.parametrize(("proxies", "warnings"), [(0, 1), (1, 0)])
def test_a_proxy_that_is_not_counted_is_told_once(
    proxies: int, warnings: int, caplog: pytest.LogCaptureFixture
) -> None:
    with create_app({"PROXIES": proxies}).test_client() as client:
        client.get("/healthz")
        assert "TOKENSCOPE_PROXIES" not in caplog.text
        for _ in range(3):
            client.get("/healthz", headers=FORWARDED)
    assert caplog.text.count("all visitors share the limits of one address") == warnings
    assert "203.0.113.9" not in caplog.text


@pytest.mark.parametrize(
    ("hosts", "host", "status"),
    [
        ("", "evil.example", 200),
        ("", "", 400),
        ("", "evil.example/path", 400),
        ("tokens.example, .t.example", "tokens.example:8443", 200),
        ("tokens.example, .t.example", "www.t.example", 200),
        ("tokens.example, .t.example", "evil.example", 400),
        ("tokens.example, .t.example", "www.tokens.example", 400),
        ("tokens.example, .t.example", "", 400),
    ],
)
@pytest.mark.parametrize("path", ["/vocabularies", "/api/v1/vocabularies", "/static/app.css", "/nowhere", "/healthz"])
def test_a_site_answers_to_its_names(hosts: str, host: str, status: int, path: str) -> None:
    with create_app({"HOSTS": hosts}).test_client() as client:
        answer = client.get(path, environ_overrides={"HTTP_HOST": host})
        answer.close()
    found = 404 if path == "/nowhere" else 200
    assert answer.status_code == (400 if status == 400 and path != "/healthz" else found)
    assert "evil" not in answer.text if answer.status_code == 400 else True
