"""Fixtures for tests in a real Chromium: above all ``open_page`` and ``page``."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(site: str, browser: Browser) -> Iterator[OpenPage]:
    """Open pages of the site, each in a fresh browser profile; errors in the browser fail the test.

    ``open_page("/", javascript=False, locale="zh-CN", color_scheme="dark", width=390)``; ``expected`` lists
    parts of error messages that the test provokes, such as ``["status of 413"]``.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_page(
        path: str = "/",
        *,
        javascript: bool = True,
        locale: Literal["en-US", "zh-CN"] = "en-US",
        color_scheme: Literal["light", "dark"] = "light",
        width: int = 1280,
        height: int = 800,
        reduced_motion: Literal["reduce", "no-preference"] = "no-preference",
        expected: Sequence[str] = (),
    ) -> Page:
        context = browser.new_context(
            base_url=site,
            java_script_enabled=javascript,
            locale=locale,
            color_scheme=color_scheme,
            viewport={"width": width, "height": height},
            reduced_motion=reduced_motion,
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        _listen(page, site, expected, complaints)
        page.goto(path)
        if javascript and page.locator("#playground").count():
            # A person takes longer than htmx to get ready; a test does not.
            page.wait_for_selector("#playground[data-htmx-powered]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints, "The browser complained:\n" + "\n".join(complaints)


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """Open the playground with the usual settings: JavaScript on, English, light, 1280 pixels wide.

    With the demo vocabulary for teaching, whose tokens the tests name.
    """
    return open_page("/?algorithm=bpe")


def _listen(page: Page, site: str, expected: Sequence[str], complaints: list[str]) -> None:
    """Record errors, CSP violations, failed requests and requests to other sites in ``page``."""

    def note(complaint: str) -> None:
        if not any(part in complaint for part in expected):
            complaints.append(complaint)

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            note(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

    def on_failure(request: Request) -> None:
        # A newer request of the page's own may overtake an older one and abort it, which is intended.
        if request.failure != "net::ERR_ABORTED":
            note(f"failed: {request.method} {request.url} {request.failure}")

    def on_request(request: Request) -> None:
        if not request.url.startswith((site, "data:", "blob:")):
            note(f"left the site: {request.method} {request.url}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: note(f"page error: {error}"))
    page.on("requestfailed", on_failure)
    page.on("request", on_request)
