"""A request that the server did not start because too much else is going on: the page says so and keeps the input."""

import json

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

TEXT = "研究 <b>生命</b>"
ADDRESS = "/?text=low&algorithm=bpe"


def refused(client: FlaskClient, reason: str, address: str = "/", **options: object) -> TestResponse:
    environment = {"tokenscope.stopped": reason, "tokenscope.retry_after": "7"}
    return client.open(address, environ_overrides=environment, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("reason", "status"), [("busy", 503), ("crowded", 503), ("much", 429)])
def test_a_form_is_kept_and_says_when_it_is_sent_again(client: FlaskClient, reason: str, status: int) -> None:
    answer = refused(client, reason, method="POST", data={"text": TEXT, "algorithm": "bpe", "view": "ids"})
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
    answer = refused(client, "busy", method="POST", data={"text": TEXT}, headers=headers)
    page = answer.get_data(as_text=True)
    assert answer.status_code == 503
    assert (answer.headers["HX-Reswap"], answer.headers["HX-Reselect"]) == ("afterbegin", "[data-retry]")
    assert "<html" not in page
    assert "将在 7 秒后自动重新发送" in page


def test_a_frame_says_so_too(client: FlaskClient) -> None:
    answer = refused(client, "busy", "/s/abc/embed")
    assert (answer.status_code, answer.headers["Refresh"]) == (503, "7")
    assert "frame-ancestors" not in answer.headers["Content-Security-Policy"]


def test_programs_get_problem_details(client: FlaskClient) -> None:
    answer = refused(client, "much", "/api/v1/tokenize", method="POST", json={"text": TEXT})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")
    assert answer.mimetype == "application/problem+json"
    assert "Try again in 7 s." in json.loads(answer.data)["detail"]
