"""How a vocabulary is applied, in a browser: fields appear where they apply, with and without JavaScript."""

from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage

TEXT = "Unbelievably, antidisestablishmentarianism isn't trivial."


def test_fields_appear_where_they_apply_and_the_result_says_what_it_is(open_page: OpenPage) -> None:
    page = open_page(f"/?algorithm=bpe&text={quote(TEXT)}")
    page.wait_for_selector("#playground[data-htmx-powered]", state="attached")
    page.click(".settings summary")
    expect(page.locator("[name=dropout]")).to_be_hidden()
    page.select_option("#inference", "dropout")
    expect(page.locator("[name=dropout]")).to_be_visible()
    expect(page.locator("[name=seed]")).to_be_visible()
    expect(page.locator("[name=alpha]")).to_be_hidden()
    page.fill("[name=dropout]", "0.5")
    page.click("button.go")
    note = page.locator(".inference[role=note]")
    expect(note).to_contain_text("not the vocabulary’s own rule")
    expect(note).to_contain_text("probability 0.5, seed 0")
    assert_accessible(page)
    note.get_by_role("link", name="Next sample").click()
    expect(note).to_contain_text("seed 1")
    assert parse_qs(urlsplit(page.url).query)["seed"] == ["1"]
    note.get_by_role("link", name="Own rule").click()
    expect(note).to_have_count(0)
    page.get_by_role("button", name="Algorithm").click()  # the page is as narrow as a phone now
    page.click("label[for=a-unigram]")
    page.click(".settings summary")
    page.select_option("#inference", "sample")
    expect(page.locator("[name=alpha]")).to_be_visible()
    expect(page.locator("[name=dropout]")).to_be_hidden()
