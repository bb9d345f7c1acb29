"""Requests that are refused: by the rate of work, which counts what they cost, and because too much else goes on."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, request
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.site import HTMX
from webapp import create_app
from webapp.settings import DEFAULTS
from webapp.web.server_variables import COST, STOPPED

TEXT = "keep <b>this</b>"


@pytest.fixture
def limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., FlaskClient]:
    """``limited("1 per minute")`` returns a client of a site with that rate, and an address that works.

    The work takes no time: the clock of the processor is moved.
    """
    worked = 0.0
    monkeypatch.setattr(time, "thread_time", lambda: worked)

    def limited(rate: str, **settings: Any) -> FlaskClient:
        app: Flask = create_app({"DATABASE_FILE": str(tmp_path / "site.sqlite"), "RATE_WORK": rate, **settings})

        @app.route("/work", methods=["GET", "POST"])
        def work() -> str:
            nonlocal worked
            worked += float(request.values["seconds"])
            return "done"

        return app.test_client()

    return limited


def ask(
    client: FlaskClient, seconds: float, estimate: float | None = None, address: str = "192.0.2.1", **options: Any
) -> TestResponse:
    """Ask for so much work, which the server has estimated; return the response."""
    environment = {"REMOTE_ADDR": address, **({} if estimate is None else {COST: str(estimate)})}
    form = {"seconds": str(seconds), "text": TEXT}
    with client.post("/work?lang=en", data=form, environ_overrides=environment, **options) as answer:
        return answer


def test_a_client_whose_work_is_used_up_waits_and_keeps_its_text(limited: Callable[..., FlaskClient]) -> None:
    client = limited("1 per minute")
    assert [ask(client, 0.4, 0.5).status_code for _ in range(3)] == [200, 200, 429]
    answer = ask(client, 0.4, 0.5)
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert "as much work for your network address as one address may ask for" in answer.text
    assert "\nkeep &lt;b&gt;this&lt;/b&gt;</textarea>" in answer.text
    assert "too many requests" not in answer.text.lower()
    assert ask(client, 0.4, 0.5, headers=HTMX).status_code == 429
    # Short texts and other clients are not affected.
    assert ask(client, 0, 0.02).status_code == 200
    assert ask(client, 0.1, 0.5, "192.0.2.2").status_code == 200


def test_an_ipv6_network_has_one_rate(limited: Callable[..., FlaskClient]) -> None:
    client = limited("1 per minute")
    asked = [ask(client, 0.4, 0.5, f"2001:db8::{number}").status_code for number in range(1, 4)]
    assert asked == [200, 200, 429]
    assert ask(client, 0.4, 0.5, "2001:db8:0:1::1").status_code == 200


def test_programs_get_problem_details(limited: Callable[..., FlaskClient]) -> None:
    client = limited("1 per minute")
    assert ask(client, 1.1, 1).status_code == 200
    environment = {"REMOTE_ADDR": "192.0.2.1", COST: "0.5"}
    answer = client.post("/api/v1/count", json={"text": "a"}, environ_overrides=environment)
    assert (answer.status_code, answer.mimetype) == (429, "application/problem+json")
    assert "Retry-After" in answer.headers


def test_the_real_cost_counts_if_the_estimate_is_wrong_or_missing(limited: Callable[..., FlaskClient]) -> None:
    client = limited("1 per minute")
    for _ in range(5):  # much too high
        assert ask(client, 0, 0.9).status_code == 200
    assert ask(client, 1.1, 0.02).status_code == 200  # much too low
    assert ask(client, 0, 0.3).status_code == 429
    assert [ask(client, 0.6, address="192.0.2.2").status_code for _ in range(3)] == [200, 200, 429]


def test_what_costs_more_than_the_rate_is_done_once_in_a_while(limited: Callable[..., FlaskClient]) -> None:
    client = limited("1 per minute")
    assert [ask(client, 0.4, 17).status_code for _ in range(2)] == [200, 429]


def test_a_request_that_was_stopped_costs_its_whole_time(limited: Callable[..., FlaskClient]) -> None:
    client = limited("35 per minute", MAX_REQUEST_SECONDS=30)
    environment = {"REMOTE_ADDR": "192.0.2.1", COST: "1", STOPPED: "time"}
    assert client.get("/work", environ_overrides=environment).status_code == 503
    assert ask(client, 0, 4).status_code == 200
    assert ask(client, 0, 7).status_code == 429


def test_a_class_behind_one_address_is_not_limited_by_default(limited: Callable[..., FlaskClient]) -> None:
    """Thirty students paste a short text every three seconds for a minute, and one a megabyte into six tokenizers."""
    client = limited(DEFAULTS["RATE_WORK"], RATE_READING=DEFAULTS["RATE_READING"])
    assert {ask(client, 0, 0.03).status_code for _ in range(600)} == {200}
    assert [ask(client, 0, 17).status_code for _ in range(5)] == [200] * 5


@pytest.mark.parametrize("where", ["file", "redis"])
def test_all_processes_count_together(
    limited: Callable[..., FlaskClient], where: str, request: pytest.FixtureRequest
) -> None:
    url = "" if where == "file" else request.getfixturevalue("redis").url
    one, other = (limited("1 per minute", REDIS_URL=url) for _ in range(2))
    assert [ask(one, 0.4, 0.5).status_code, ask(other, 0.4, 0.5).status_code] == [200, 200]
    assert {ask(client, 0, 0.5).status_code for client in (one, other)} == {429}


def test_an_unreachable_redis_leaves_each_process_its_own_count(limited: Callable[..., FlaskClient]) -> None:
    client = limited("1 per minute", REDIS_URL="redis://127.0.0.1:9/0")
    assert [ask(client, 0.6, 0.6).status_code for _ in range(3)] == [200, 429, 429]


def test_an_invalid_rate_is_refused(limited: Callable[..., FlaskClient]) -> None:
    with pytest.raises(ValueError, match="rate"):
        limited("a lot")


# --- requests that the server did not start: the page says so and keeps the input

SENT = "研究 <b>生命</b>"
ADDRESS = "/?text=low&algorithm=bpe"


def refused(client: FlaskClient, reason: str, address: str = "/", **options: object) -> TestResponse:
    environment = {"tokenscope.stopped": reason, "tokenscope.retry_after": "7"}
    return client.open(address, environ_overrides=environment, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("reason", "status"), [("busy", 503), ("crowded", 503), ("much", 429)])
def test_a_form_is_kept_and_says_when_it_is_sent_again(client: FlaskClient, reason: str, status: int) -> None:
    answer = refused(client, reason, method="POST", data={"text": SENT, "algorithm": "bpe", "view": "ids"})
    page = answer.get_data(as_text=True)
    assert (answer.status_code, answer.headers["Retry-After"]) == (status, "7")
    assert "Refresh" not in answer.headers  # which would lose the form
    assert 'data-retry="7"' in page
    assert "sent again in 7 s" in page
    assert "研究 &lt;b&gt;生命&lt;/b&gt;</textarea>" in page
    assert '<textarea name="view" hidden>\nids</textarea>' in page


def test_an_address_is_loaded_again_by_the_browser(client: FlaskClient) -> None:
    answer = refused(client, "busy", ADDRESS)
    assert (answer.status_code, answer.headers["Retry-After"], answer.headers["Refresh"]) == (503, "7", "7")
    assert f'href="{ADDRESS.replace("&", "&amp;")}"' in answer.get_data(as_text=True)


def test_a_part_of_a_page_is_a_notice(client: FlaskClient) -> None:
    headers = {"HX-Request-Type": "partial", "Accept-Language": "zh-CN"}
    answer = refused(client, "busy", method="POST", data={"text": SENT}, headers=headers)
    page = answer.get_data(as_text=True)
    assert answer.status_code == 503
    assert (answer.headers["HX-Reswap"], answer.headers["HX-Reselect"]) == ("afterbegin", "[data-retry]")
    assert "<html" not in page
    assert "将在 7 秒后自动重新发送" in page


def test_a_frame_says_so_too(client: FlaskClient) -> None:
    answer = refused(client, "busy", "/s/abc/embed")
    assert (answer.status_code, answer.headers["Refresh"]) == (503, "7")
    assert "frame-ancestors" not in answer.headers["Content-Security-Policy"]
