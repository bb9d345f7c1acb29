"""A busy site: the page tells the visitor, and sends the same request again by itself."""

from collections.abc import Callable

import pytest
from flask import Flask
from playwright.sync_api import Page, Response, Route, expect

from tests.browser.conftest import OpenPage

BUSY = {"tokenscope.stopped": "busy", "tokenscope.retry_after": "1"}


@pytest.fixture
def refuse(app: Flask) -> Callable[[Page, int], list[str]]:
    """Refuse the next requests of a page that send a form, with the site's own answer; returns what they sent."""

    def refuse(page: Page, times: int) -> list[str]:
        sent: list[str] = []

        def answer(route: Route) -> None:
            if route.request.method != "POST" or route.request.url.endswith("/others"):
                route.continue_()
                return
            if len(sent) >= times:
                sent.append(route.request.post_data or "")
                route.continue_()
                return
            sent.append(route.request.post_data or "")
            chosen = ("hx-request-type", "accept", "accept-language", "content-type")
            headers = {name: value for name, value in route.request.headers.items() if name in chosen}
            response = app.test_client().post(
                "/", data=route.request.post_data_buffer, headers=headers, environ_overrides=BUSY
            )
            route.fulfill(status=503, headers=dict(response.headers), body=response.data)

        page.route("**/*", answer)
        return sent

    return refuse


def is_refusal(response: Response) -> bool:
    return response.status == 503


def test_a_result_arrives_by_itself_after_the_site_was_busy(
    open_page: OpenPage, refuse: Callable[[Page, int], list[str]]
) -> None:
    page = open_page("/", expected=["503"])
    sent = refuse(page, 2)
    page.locator("#text").fill("lowest")
    notice = page.locator("#result [data-retry]")
    expect(notice).to_contain_text("It is sent again in 1 s.")
    expect(page.locator("#tokens")).to_contain_text("lowest")
    expect(notice).to_have_count(0)
    assert len(sent) == 3
    first, *_, last = ([line for line in form.split("\r\n") if "Boundary" not in line] for form in sent)
    assert first == last


def test_what_the_visitor_types_meanwhile_goes_first(
    open_page: OpenPage, refuse: Callable[[Page, int], list[str]]
) -> None:
    page = open_page("/", expected=["503"])
    sent = refuse(page, 1)
    page.locator("#text").fill("lowest")
    expect(page.locator("#result [data-retry]")).to_be_visible()
    page.clock.install()
    page.locator("#text").fill("newest")
    expect(page.locator("#tokens")).to_contain_text("newest")
    page.clock.run_for(2_000)
    page.evaluate("fetch('/healthz')")  # whatever was sent before it is in the list
    assert len(sent) == 2


def test_after_five_attempts_the_visitor_decides(open_page: OpenPage, refuse: Callable[[Page, int], list[str]]) -> None:
    page = open_page("/", expected=["503"])
    sent = refuse(page, 100)
    page.clock.install()
    with page.expect_response(is_refusal):
        page.locator("#text").fill("lowest")
    for _attempt in range(5):
        with page.expect_response(is_refusal):
            page.clock.run_for(1_000)
    expect(page.locator("[data-gave-up]")).to_be_visible()
    assert len(sent) == 6
    expect(page.locator("#text")).to_have_value("lowest")


def test_a_page_sends_its_form_again(open_page: OpenPage, refuse: Callable[[Page, int], list[str]]) -> None:
    page = open_page("/", expected=["503"])
    sent = refuse(page, 1)
    page.evaluate("document.getElementById('text').value = 'lowest'; document.getElementById('playground').submit()")
    page.wait_for_selector("[data-retry] ~ form")
    expect(page.locator("#text")).to_have_value("lowest")
    expect(page.locator("#tokens")).to_contain_text("lowest")
    assert len(sent) == 2
