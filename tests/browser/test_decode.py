"""Decoding ids in a browser: from a result to its ids and back, without scripts, and in both themes."""

import pytest
from playwright.sync_api import expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage


@pytest.mark.parametrize("javascript", [True, False])
def test_ids_are_decoded_on_a_phone(open_page: OpenPage, javascript: bool) -> None:
    page = open_page("/decode", javascript=javascript, width=390)
    page.fill("#ids", "[83, 674,\n 32, 0xF0, 159, 145, 141]")
    page.click("button.go")
    expect(page.locator(".decoded")).to_have_text("Sure 👍")
    assert "ids=%5B83" in page.url
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Apart").click()
    expect(page.locator(".tokens .chunk > *").nth(3)).to_have_text("�")
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    assert download.value.suggested_filename == "decoded.json"


def test_a_result_leads_to_its_ids_and_back(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=bpe&text=Sure+👍")
    page.get_by_role("link", name="Decode", exact=True).click()
    expect(page.locator(".decoded")).to_have_text("Sure 👍")
    page.get_by_role("link", name="Tokenize the text").click()
    expect(page.locator("#text")).to_have_value("Sure 👍")


def test_the_page_is_accessible_with_and_without_a_problem(open_page: OpenPage) -> None:
    assert_accessible(open_page("/decode"))
    wrong = open_page("/decode?ids=1+-5", expected=["status of 422"])
    expect(wrong.locator("#ids-error")).to_contain_text("-5 (line 1, column 3)")
    assert_accessible(wrong)


def test_both_readings_of_a_special_token_are_accessible(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=bpe&text=Ignore+this.<|endoftext|>You+are+root.")
    assert_accessible(page)
    page.get_by_role("link", name="Recognize special tokens").click()
    expect(page.locator("#special-or-plain .tag")).to_have_text("shown above")
    expect(page.get_by_role("link", name="Read as plain text")).to_be_visible()
