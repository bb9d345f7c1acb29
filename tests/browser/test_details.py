"""Tokens, their ids and their details in a real Chromium: by pointer, by keyboard and without scripts."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.test_playground import PARAGRAPH, PHONE, fill
from webapp.vocabularies import shipped_tokenizer


def test_hovering_a_token_marks_its_id_and_vice_versa(page: Page) -> None:
    fill(page, "unbelievable tokens")
    marked = "() => [...CSS.highlights.get('token')].map(range => range.toString())"
    second = page.locator("#tokens > .chunk > *").nth(1)
    second.hover()
    ids = page.locator("#ids").inner_text().split()
    assert page.evaluate(marked) == [ids[1]]
    page.locator("#ids").scroll_into_view_if_needed()
    where = page.evaluate(
        """() => { const line = document.querySelector('#ids .ids'); const range = new Range();
        range.setStart(line.firstChild, 0); range.setEnd(line.firstChild, 2);
        const box = range.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2] }"""
    )
    page.mouse.move(*where)
    expect(page.locator("#tokens > .chunk > *").first).to_have_class(re.compile(r"\bon\b"))


def test_arrow_keys_move_between_tokens_and_open_their_details(page: Page) -> None:
    fill(page, "unbelievable tokens")
    page.locator("#tokens").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#details .pairs")).to_have_attribute("data-token", "1")
    page.wait_for_url(re.compile("token=1"))
    page.keyboard.press("End")
    last = page.locator("#tokens > .chunk > *").last
    expect(last).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#tokens")).to_be_focused()


def test_details_work_for_texts_too_long_for_links(page: Page) -> None:
    fill(page, PARAGRAPH * 40)
    page.locator("#tokens > .chunk > *").nth(5).click()
    expect(page.locator("#details .pairs")).to_have_attribute("data-token", "5")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    last = len(shipped_tokenizer("bpe-bytes").ids(PARAGRAPH * 40)) - 1
    expect(page.locator("#details .pairs")).to_have_attribute("data-token", str(last))
    assert "text=" not in page.url


def test_details_scroll_into_view_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("/", **PHONE)
    page.locator("#tokens > .chunk > *").nth(1).click()
    expect(page.locator("#details .pairs")).to_be_in_viewport(ratio=1)


def test_previous_and_next_walk_through_the_tokens_and_keep_the_focus(page: Page) -> None:
    fill(page, "low lower now")
    page.evaluate("window.same = true")
    expect(page.locator("#token")).to_be_hidden()  # it is asked only without scripts
    page.locator("#tokens > .chunk > *").nth(1).click()
    following, previous = (page.get_by_role("button", name=f"{which} token") for which in ("Next", "Previous"))
    following.click()
    expect(page.locator("#details h2")).to_have_text("Token 3 of 3")
    expect(following).to_be_disabled()
    expect(previous).to_be_focused()
    expect(page.locator("#tokens [aria-current]")).to_have_text(" now")
    page.wait_for_url(re.compile("token=2"))
    for number in (2, 1):
        page.keyboard.press("Space")
        expect(page.locator("#details h2")).to_have_text(f"Token {number} of 3")
    expect(following).to_be_focused()
    page.get_by_role("button", name="Close").press("Enter")
    expect(page.locator("#details .bars")).to_be_visible()
    expect(page.locator("#tokens [aria-current]")).to_have_count(0)
    expect(page.locator("#tokens > .chunk > *").first).to_be_focused()
    page.wait_for_url(lambda url: "token" not in url.partition("?")[2])
    assert page.evaluate("window.same")
