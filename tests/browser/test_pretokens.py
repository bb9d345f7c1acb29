"""The page of pre-tokens in a browser, with and without scripts."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from webapp.core.text.split_patterns import QWEN

CELLS = '[aria-label="Pre-tokens"] > i'


def test_an_own_pattern_is_compared_and_corrected(open_page: OpenPage) -> None:
    page = open_page("/pretokens?text=pay+12345", expected=["status of 422"])
    expect(page.locator(CELLS)).to_have_text(["pay", "·12345"])
    page.locator("#pattern").fill(r"\p{L}+|(\d{1,3}")
    page.get_by_role("button", name="Show pre-tokens").click()
    expect(page.locator("#pattern-error")).to_contain_text("not valid at character")
    expect(page.locator("#pattern")).to_have_value(r"\p{L}+|(\d{1,3}")
    page.locator("#pattern").fill(r"\p{L}+|\d{1,3}")
    page.get_by_role("button", name="Show pre-tokens").click()
    expect(page.locator(".split-rows > li")).to_have_count(2)
    expect(page.locator("#pattern-error")).to_be_hidden()
    page.get_by_role("button", name="Tokens", exact=True).click()
    expect(page.get_by_role("button", name="Tokens", exact=True)).to_have_attribute("aria-pressed", "true")
    assert "under=tokens" in page.url
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    assert download.value.suggested_filename == "pretokens.json"


def test_a_known_pattern_is_filled_in_and_the_typed_text_stays(open_page: OpenPage) -> None:
    page = open_page("/pretokens?text=a")
    page.locator("#text").fill("typed 12345")
    page.get_by_role("button", name="Qwen").click()
    expect(page.locator("#pattern")).to_have_value(QWEN)
    expect(page.locator("#text")).to_have_value("typed 12345")
    expect(page.locator(".split-rows > li")).to_have_count(2)


def test_a_link_opens_what_decoding_changes(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=wordpiece&lowercase=1&text=Café+É#round-trip")
    rows = page.locator("#round-trip .round-trip > li")
    expect(rows.filter(has_text="LATIN SMALL LETTER E WITH ACUTE")).to_contain_text("accents are removed")
    expect(page.locator("#round-trip")).to_be_in_viewport()
    summary = page.get_by_text("Through 2 stages")
    summary.click()
    expect(page.locator("#round-trip details[open] li")).to_have_count(2)
