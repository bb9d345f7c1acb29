"""Exporting a result: copied with a button, downloaded with and without JavaScript."""

from __future__ import annotations

import base64
import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage
from webapp.vocabularies import shipped_tokenizer

TEXT = "low lower lowest"
ADDRESS = "/?algorithm=bpe&text=low+lower+lowest"


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_ids_and_tokens_are_copied(open_page: OpenPage) -> None:
    page = open_page(ADDRESS)
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_role("button", name="Copy ids").click()
    expect(page.locator("#copied")).to_have_text("Copied.")
    assert json.loads(clipboard(page)) == shipped_tokenizer("bpe-bytes").ids(TEXT)
    page.get_by_label("Separator").select_option("bar")
    page.get_by_role("button", name="Copy tokens").click()
    for _ in range(50):  # the text arrives after the button's message, which says the same as before
        if "|" in clipboard(page):
            break
        page.wait_for_timeout(100)
    assert "".join(clipboard(page).split(" | ")) == TEXT


def test_a_failed_copy_has_a_message(open_page: OpenPage) -> None:
    page = open_page(ADDRESS, expected=["503", "Failed to load"])
    page.route("**/download/tokens.txt", lambda route: route.fulfill(status=503))
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_role("button", name="Copy tokens").click()
    expect(page.locator("#copied")).to_contain_text("Copying failed")


@pytest.mark.parametrize("javascript", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("kind", ["SVG", "PNG", "HTML", "JSON", "CSV", "Plain text"])
def test_a_download_does_not_change_the_page(open_page: OpenPage, javascript: bool, kind: str) -> None:
    page = open_page(ADDRESS, javascript=javascript)
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=kind, exact=True).click()
    ending = {"Plain text": "txt"}.get(kind, kind.lower())
    assert download.value.suggested_filename == f"tokens.{ending}"
    assert download.value.path().stat().st_size > 10
    expect(page.locator("#text")).to_have_value(TEXT)


def test_without_javascript_there_are_no_copy_buttons(open_page: OpenPage) -> None:
    page = open_page(ADDRESS, javascript=False)
    page.get_by_role("button", name="Export", exact=True).click()
    expect(page.get_by_role("button", name="Copy ids")).to_be_hidden()
    expect(page.get_by_label("Separator")).to_be_visible()


def test_open_menus_and_choices_stay_while_the_text_is_edited(page: Page) -> None:
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_label("Separator").select_option("tab")
    page.locator("#text").fill("low low")
    expect(page.locator("#figures dd").first).to_have_text("7")
    expect(page.get_by_label("Separator")).to_be_visible()
    expect(page.get_by_label("Separator")).to_have_value("tab")


def test_a_browser_renders_the_svg(open_page: OpenPage) -> None:
    page = open_page(ADDRESS)
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG", exact=True).click()
    content = base64.b64encode(download.value.path().read_bytes()).decode()
    width = page.evaluate(
        "(url) => { const image = new Image(); image.src = url; return image.decode().then(() => image.width) }",
        f"data:image/svg+xml;base64,{content}",
    )
    assert width == 760


def test_the_open_menu_is_accessible_and_fits(open_page: OpenPage) -> None:
    page = open_page(ADDRESS)
    page.get_by_role("button", name="Export", exact=True).click()
    assert_accessible(page, part="#export")
