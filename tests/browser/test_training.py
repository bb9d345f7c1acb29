"""Training and its charts in a browser: by links and keys, from the form, and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import WIDE, assert_accessible
from tests.browser.conftest import OpenPage


@pytest.mark.parametrize("javascript", [True, False])
def test_a_corpus_of_ones_own_is_followed(open_page: OpenPage, javascript: bool) -> None:
    page = open_page("/steps/training/bpe", javascript=javascript, width=390)
    page.fill("[name=corpus]", "不亦说乎 不亦乐乎 不亦君子乎")
    page.fill("[name=size]", "4")
    page.click("button.primary")
    expect(page.locator("[data-step]")).to_have_attribute("data-last", "5")
    assert page.input_value("[name=corpus]") == "不亦说乎 不亦乐乎 不亦君子乎"
    if javascript:
        page.wait_for_selector(".leafing a[data-htmx-powered]")
        page.keyboard.press("ArrowRight")
    else:
        page.click(".leafing a[rel=next]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "1")
    expect(page).to_have_url(re.compile(r"step=1(#show)?$"))
    assert "“不” and “亦” occur next to each other 3 times" in page.inner_text(".told")
    assert page.locator(".winner .symbol").all_inner_texts() == ["不", "亦"]
    page.click(".leafing a[rel=last]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "5")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


PLACES = [
    "/steps/training/bpe?step=3",
    "/steps/training/wordpiece?step=2",
    "/steps/training/unigram?step=1",
    "/steps/training/unigram?step=2",
    "/vocabularies/unigram",
]


@pytest.mark.parametrize("path", PLACES)
def test_nothing_stands_in_anybodys_way(open_page: OpenPage, path: str) -> None:
    assert_accessible(open_page(path), WIDE)
