"""Training and its charts in a browser: by links and keys, from the form, as a table, and without JavaScript."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage

TEXTBOOK = "low 5 lower 2 newest 6 widest 3"


def test_the_steps_of_a_typed_corpus(open_page: OpenPage) -> None:
    page = open_page("/steps/training/bpe", width=390)
    page.click("text=Change corpus")
    page.fill("[name=corpus]", "不亦说乎 不亦乐乎 不亦君子乎")
    page.fill("[name=size]", "4")
    page.click(".corpus-form .go")
    expect(page.locator("[data-step]")).to_have_attribute("data-last", "5")
    assert page.input_value("[name=corpus]") == "不亦说乎 不亦乐乎 不亦君子乎"
    page.wait_for_selector(".player a[data-htmx-powered]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "1")
    expect(page).to_have_url(re.compile(r"step=1(#show)?$"))
    assert "“不” and “亦” occur next to each other 3 times" in (page.text_content(".say") or "")
    assert page.locator(".winner .symbol").all_inner_texts() == ["不", "亦"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_pasted_textbook_corpus_is_read_as_counts_and_replaces_the_text(open_page: OpenPage) -> None:
    page = open_page("/steps/training/bpe")
    page.click("text=Change corpus")
    assert page.input_value("[name=text]")
    page.fill("[name=corpus]", TEXTBOOK)
    assert page.input_value("[name=text]") == ""
    page.click(".corpus-form .go")
    expect(page.locator(".reading")).to_contain_text("low × 5, lower × 2, newest × 6, widest × 3")
    assert page.input_value("[name=text]") == ""
    assert "".join(page.locator(".cell bdi").all_inner_texts()).replace("</w>", " ").split() == [
        "low",
        "lower",
        "newest",
        "widest",
    ]
    page.click("text=Change corpus")
    page.fill("[name=text]", "lowest")
    page.fill("[name=corpus]", f"{TEXTBOOK} wider 1")
    assert page.input_value("[name=text]") == "lowest"
    page.click(".corpus-form .go")
    expect(page.locator(".reading")).to_contain_text("wider × 1")
    assert page.input_value("[name=text]") == "lowest"


def test_all_rounds_are_printed_whole(open_page: OpenPage) -> None:
    page = open_page("/steps/training/bpe")
    page.click("nav >> text=All rounds")
    rows = page.locator(".rounds tbody tr")
    expect(rows).to_have_count(19)
    page.emulate_media(media="print")
    assert page.locator(".rounds").is_visible()
    assert not page.locator(".top").is_visible()
    frame = page.locator(".rounds-stage .scroll")
    assert frame.evaluate("frame => frame.scrollHeight <= frame.clientHeight + 1")
