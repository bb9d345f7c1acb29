"""Training and its charts in a browser: by links and keys, from the form, and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage


@pytest.mark.parametrize("javascript", [True, False])
def test_the_steps_of_a_typed_corpus(open_page: OpenPage, javascript: bool) -> None:
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
