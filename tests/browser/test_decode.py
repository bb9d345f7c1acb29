"""Decoding ids in a browser: from a result to its ids and back, without scripts, and in both themes."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage


def test_ids_are_decoded_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("/decode", width=390)
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
