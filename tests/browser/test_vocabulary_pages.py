"""The vocabulary pages as a visitor uses them, in a real Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
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


def test_the_list_is_searched_while_typing(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies"))
    total = page.locator("#list li").count()
    box = page.get_by_role("searchbox", name="Search vocabularies")
    box.fill("wordpiece")
    expect(page.locator("#list h2")).to_have_text(["Same corpus, same size (for teaching)", "Downloaded on first use"])
    page.wait_for_url("**/vocabularies?find=wordpiece")
    page.get_by_role("navigation", name="Show").get_by_role("link", name="Ready").click()
    page.wait_for_url("**/vocabularies?show=ready&find=wordpiece")
    expect(ready(page).locator("#list h2")).to_have_text(["Same corpus, same size (for teaching)"])
    box.fill("zzzz")
    expect(page.locator("#list")).to_contain_text("No vocabulary matches.")
    page.get_by_role("link", name="Show all").click()
    page = ready(page)
    expect(page.locator("#list li")).to_have_count(total)
    page.wait_for_url(re.compile("/vocabularies$"))


def test_a_vocabulary_is_uploaded_in_a_panel_of_the_list(open_page: OpenPage, tmp_path: Path) -> None:
    words = tmp_path / "words.csv"
    words.write_text("研究,5\n生命,4\n", encoding="utf-8")
    page = ready(open_page("/vocabularies"))
    page.get_by_role("button", name="Upload").click()
    panel = page.get_by_role("dialog", name="Upload a vocabulary")
    expect(panel).to_be_visible()
    panel.locator("input[type=file]").set_input_files(words)
    panel.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/vocabularies/upload-*")
    expect(page.get_by_role("heading", level=1)).to_contain_text("words.csv")


def test_a_download_that_fails_says_so_in_its_row(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies?find=clip"))
    row = page.locator("#v-clip")
    row.get_by_role("button", name="Download “CLIP”").click()
    expect(row.locator(".error")).to_contain_text("could not be fetched", timeout=15_000)
    expect(row.get_by_role("button")).to_contain_text("Try again")
    expect(row.get_by_role("link", name="CLIP", exact=True)).to_be_focused()


@pytest.mark.parametrize("path", ["/vocabularies?find=gpt", "/vocabularies/unigram"])
def test_links_are_large_enough_and_nothing_widens_the_page(open_page: OpenPage, path: str) -> None:
    page = open_page(path, width=390)
    links = page.locator(".shelf .name:visible, .shelf .btn:visible, .longest a:visible")
    boxes = [link.bounding_box() for link in links.all()]
    assert boxes
    assert all(box and box["height"] >= 24 for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_wide_tables_scroll_in_their_frame(open_page: OpenPage) -> None:
    page = open_page("/vocabularies/bpe-bytes?query=e4+b8", width=390)
    table = page.locator("#tokens .scroll")
    assert table.evaluate("element => element.scrollWidth > element.clientWidth")
    assert "linear-gradient" in table.evaluate("element => getComputedStyle(element).backgroundImage")


def test_a_token_leads_to_other_tokens(open_page: OpenPage) -> None:
    page = open_page("/vocabularies/bpe-bytes?query=+the")
    page.locator("#tokens tbody td:first-child a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Token 270")
    assert_accessible(page)
    page.get_by_role("link", name="Next token").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Token 271")
    page.go_back()
    page.get_by_role("link", name="The byte alphabet, and all marks").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Demo: byte-level BPE, 32k")
    expect(page.get_by_role("heading", name="The byte alphabet")).to_be_in_viewport()


def test_unreachable_tokens_are_filtered_without_a_reload(open_page: OpenPage) -> None:
    page = open_page("/vocabularies/bpe-bytes/unreachable")
    expect(page.locator("#survey .count")).to_contain_text("17")
    assert_accessible(page)
    page.get_by_role("navigation", name="Reason").get_by_role("link", name="Byte that is never needed").click()
    page.wait_for_url("**/unreachable?reason=byte")
    expect(page.locator("#survey tbody tr")).to_have_count(13)
    page.go_back()
    expect(page.locator("#survey tbody tr")).to_have_count(17)
    page.locator("#survey tbody a").first.click()
    expect(page.locator("main .notice.bad:not([hidden])")).to_contain_text("No text gives this token.")
    assert_accessible(page)
