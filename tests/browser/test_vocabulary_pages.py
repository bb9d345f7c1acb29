"""The vocabulary pages as a visitor uses them, in a real Chromium."""

import re

from playwright.sync_api import Page, expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage
from webapp.vocabularies import shipped_tokenizer

PIECES = shipped_tokenizer("wordpiece").model.pieces


def ready(page: Page) -> Page:
    """Return the page once htmx is running: a person takes longer than that, a test does not."""
    page.wait_for_selector("form.search[data-htmx-powered]")
    return page


def first_cells(page: Page) -> list[str]:
    return page.locator("#tokens tbody td:first-child").all_inner_texts()


def test_tokens_are_searched_while_typing(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies/wordpiece"))
    before = page.evaluate("history.length")
    box = page.get_by_role("searchbox", name="Find tokens")
    box.press_sequentially("##ing", delay=10)
    expect(page.locator("#tokens tbody tr").first).to_contain_text("##ing")
    page.wait_for_url(re.compile(r"/vocabularies/wordpiece\?query=%23%23ing$"))
    assert int(first_cells(page)[0]) == PIECES.index("##ing")
    expect(box).to_be_focused()
    assert page.evaluate("history.length") == before
    expect(page.locator("#status")).to_contain_text("##ing")
    shown = first_cells(page)
    page.reload()
    assert first_cells(page) == shown
    expect(box).to_have_value("##ing")


def test_paging_is_in_the_history(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies/unigram"))
    page.get_by_role("link", name="Next", exact=True).click()
    expect(page.locator("#tokens tbody td").first).to_have_text("100")
    page.wait_for_url("**/vocabularies/unigram?page=2")
    expect(page.locator("#tokens .scroll")).to_be_focused()
    page.get_by_role("link", name="Last", exact=True).click()
    expect(page.locator("#tokens tbody td").first).to_have_text("31900")
    page.go_back()
    page.wait_for_url("**/vocabularies/unigram?page=2")
    expect(page.locator("#tokens tbody td").first).to_have_text("100")
    expect(page.get_by_role("heading", level=1)).to_have_text("Demo: Unigram, 32k")


def test_a_download_that_fails_says_so_in_its_row(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies?find=clip"))
    row = page.locator("#v-clip")
    row.get_by_role("button", name="Download “CLIP”").click()
    expect(row.locator(".error")).to_contain_text("could not be fetched", timeout=15_000)
    expect(row.get_by_role("button")).to_contain_text("Try again")
    expect(row.get_by_role("link", name="CLIP", exact=True)).to_be_focused()


def test_unreachable_tokens_are_filtered_without_a_reload(open_page: OpenPage) -> None:
    page = open_page("/vocabularies/bpe-bytes/unreachable")
    expect(page.locator("#survey .count")).to_contain_text("17")
    assert_accessible(page)
    page.get_by_role("navigation", name="Reason").get_by_role("link", name="Byte that is never needed").click()
    page.wait_for_url("**/unreachable?reason=byte")
    expect(page.locator("#survey tbody tr")).to_have_count(13)
