"""What the operator is told about proxies."""

from __future__ import annotations

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
