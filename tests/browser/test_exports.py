"""Exporting a result: copied with a button, downloaded with and without JavaScript."""

import base64
import json

from playwright.sync_api import Page, Route, expect

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


def test_a_click_before_the_script_of_the_panels_waits_for_it(open_page: OpenPage) -> None:
    page = open_page(ADDRESS)
    held: list[Route] = []
    page.route("**/panels.js*", lambda route: held.append(route))
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_role("button", name="Choose a vocabulary").click()
    page.locator("#choices button[value=gpt2]").click()
    expect(page.locator("#v-bpe")).not_to_have_value("gpt2")
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator("#v-bpe")).to_have_value("gpt2")
    expect(page.locator("#copied")).to_have_text("Copied.")
    assert json.loads(clipboard(page)) == shipped_tokenizer("bpe-bytes").ids(TEXT)


def test_a_failed_copy_has_a_message(open_page: OpenPage) -> None:
    page = open_page(ADDRESS, expected=["503", "Failed to load"])
    page.route("**/download/tokens.txt", lambda route: route.fulfill(status=503))
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_role("button", name="Copy tokens").click()
    expect(page.locator("#copied")).to_contain_text("Copying failed")


def test_a_download_does_not_change_the_page(open_page: OpenPage) -> None:
    page = open_page(ADDRESS)
    page.get_by_role("button", name="Export", exact=True).click()
    assert_accessible(page, part="#export")
    page.set_viewport_size({"width": 1280, "height": 800})
    files = {}
    for kind in ("SVG", "PNG", "HTML", "JSON", "CSV", "Plain text"):
        with page.expect_download() as download:
            page.get_by_role("button", name=kind, exact=True).click()
        ending = {"Plain text": "txt"}.get(kind, kind.lower())
        assert download.value.suggested_filename == f"tokens.{ending}"
        files[kind] = download.value.path().read_bytes()
        assert len(files[kind]) > 10
    expect(page.locator("#text")).to_have_value(TEXT)
    width = page.evaluate(
        "(url) => { const image = new Image(); image.src = url; return image.decode().then(() => image.width) }",
        f"data:image/svg+xml;base64,{base64.b64encode(files['SVG']).decode()}",
    )
    assert width == 760
