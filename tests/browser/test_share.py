"""Permanent links as visitors use them: shared, opened on a phone, embedded, previewed, deleted."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage

TEXT = "研究生命科学的学生"
DICTIONARY = "研究\n研究生\n生命\n科学\n学生"
WORDS = ["研究生", "命", "科学", "的", "学生"]


def share(page: Page, title: str = "") -> tuple[str, str]:
    """Share what the page shows; return the link and the address that deletes it."""
    open_panel(page)
    page.locator("#title").fill(title)
    page.get_by_role("button", name="Create link").click()
    return page.locator("#link").input_value(), page.locator("#deletion").input_value()


def open_panel(page: Page) -> None:
    page.get_by_role("button", name="Share", exact=True).click()


def tokens(page: Page) -> list[str]:
    return page.locator("#tokens > .chunk > *").all_inner_texts()


@pytest.mark.exhaustive
def test_a_link_from_creation_to_deletion(open_page: OpenPage, browser: Browser, tmp_path: Path) -> None:
    """With a pasted dictionary, on a phone without JavaScript, in a frame, until deleted."""
    page = open_page(f"/?algorithm=fmm&vocabulary=own-dictionary&text={TEXT}")
    page.locator("#dictionary").fill(DICTIONARY)
    expect(page.locator("#tokens > .chunk > *")).to_have_text(WORDS)
    link, deletion = share(page, "一句话")
    assert re.search(r"/s/[2-9a-hjkmnp-z]{14}$", link)
    phone = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False, locale="zh-CN")
    page = phone.new_page()
    page.goto(link)
    assert page.locator("h1").inner_text() == "一句话"
    assert tokens(page) == WORDS
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    blog = tmp_path / "blog.html"
    code = page.locator("#embed-code").input_value()
    blog.write_text(f"<!doctype html><title>My blog</title>{code}", encoding="utf-8")
    page.goto(blog.as_uri())
    expect(page.frame_locator("iframe").locator("#tokens > .chunk > *")).to_have_text(WORDS)
    size = page.request.get(f"{link}.png").body()[16:24]
    assert size == (1200).to_bytes(4, "big") + (630).to_bytes(4, "big")
    page.goto(deletion)
    page.locator(".btn.go").click()
    expect(page.locator("h1")).to_have_text("快照已删除")
    assert [page.request.get(f"{link}{ending}").status for ending in ("", "/embed", ".png")] == [410, 410, 410]
    phone.close()


def test_the_shared_link_stays_while_the_text_changes(open_page: OpenPage) -> None:
    page = open_page("/?text=one text")
    open_panel(page)
    page.locator("#title").fill("A title")
    page.locator("#text").fill("two texts")
    expect(page.locator("#tokens > .chunk > *").first).to_have_text("two")
    assert page.locator("#title").input_value() == "A title"
    page.locator("#title").press("Enter")  # same as the button
    first = page.locator("#link")
    expect(first).to_be_focused()
    assert page.evaluate("getSelection().toString()") == first.input_value()
    expect(page.locator("#create-link")).to_be_hidden()
    expect(page.locator("#link-before")).to_be_hidden()

    address, deletion = first.input_value(), page.locator("#deletion").input_value()
    page.locator("#text").fill("three")
    expect(page.locator("#tokens > .chunk > *").first).to_have_text("three")
    expect(page.locator("#link-before")).to_contain_text("This link is for “two texts”")
    assert (first.input_value(), page.locator("#deletion").input_value()) == (address, deletion)
    page.locator("#text").fill("two texts")
    expect(page.locator("#link-before")).to_be_hidden()
    page.locator("#text").fill("three")
    expect(page.locator("#ids")).to_be_visible()
    page.locator("#create-link").click()
    expect(page.locator("#link-before")).to_be_hidden()
    assert first.input_value() != address
    page.locator("#another-link").click()
    expect(first).to_have_count(0)
    expect(page.locator("#create-link")).to_be_visible()
    page.goto(address)
    expect(page.locator("h1")).to_have_text("A title")


def test_sharing_without_javascript(open_page: OpenPage) -> None:
    page = open_page("/?text=plain forms", javascript=False)
    link, _deletion = share(page, "No script")
    expect(page.locator("h1")).to_have_text("The result was shared")
    expect(page.locator("#link")).to_be_focused()
    page.get_by_role("button", name="Back to the text").click()
    assert page.locator("#text").input_value() == "plain forms"
    page.goto(link)
    expect(page.locator("h1")).to_have_text("No script")


def test_an_invalid_share_form_has_a_message_and_can_be_corrected(open_page: OpenPage) -> None:
    page = open_page("/?text=until when", expected=["status of 422"])
    open_panel(page)
    page.locator("#title").fill("kept title")
    page.locator("[name=keep][value=until]").check()
    page.locator("[name=until]").fill("2001-01-01")
    page.get_by_role("button", name="Create link").click()
    expect(page.locator("[role=alert]:visible")).to_contain_text("Choose a day after today")
    assert page.locator("#title").input_value() == "kept title"
    page.locator("[name=keep][value=forever]").check()
    page.locator("[name=until]").fill("2099-01-01")
    page.get_by_role("button", name="Create link").click()
    expect(page.locator("#link")).to_be_visible()
    page.goto(page.locator("#link").input_value())
    expect(page.locator("h1")).to_have_text("kept title")
    expect(page.locator(".shared-head")).to_contain_text("kept until January 1, 2099 (UTC)")


def test_the_pages_are_accessible(open_page: OpenPage) -> None:
    page = open_page("/?text=the lowest")
    link, deletion = share(page, "A title")
    assert_accessible(page)
    for address in (link, f"{link}/embed", f"{link}/report", deletion):
        page.goto(address)
        assert_accessible(page)
