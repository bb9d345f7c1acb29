"""Maximum probability in a browser: the settings that apply, the modes, and the suggested frequency, with and without
JavaScript."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage

TEXT = "他来到了网易杭研大厦"
PAGE = f"/?algorithm=max-probability&text={TEXT}&lang=en"


def test_the_settings_are_those_of_the_algorithm_and_change_the_result(open_page: OpenPage) -> None:
    page = open_page(PAGE)
    page.click(".settings > summary")
    assert page.locator("select[name=mode]").is_visible()
    assert not page.locator(".settings [name=runs][type=checkbox]").is_visible()
    page.uncheck(".settings [name=hmm][type=checkbox]")
    expect(page.locator(".count b")).to_have_text("7")
    page.select_option("select[name=mode]", "full")
    expect(page.locator("#result")).to_contain_text("words in full mode")
    expect(page).to_have_url(re.compile("hmm=0&mode=full"))
    page.click("label[for=a-fmm]")
    page.click(".settings > summary")  # it closes when something else is clicked
    assert page.locator(".settings [name=runs][type=checkbox]").is_visible()
    assert not page.locator("select[name=mode]").is_visible()


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_names_of_the_algorithms_fit_into_the_picker(open_page: OpenPage, width: int) -> None:
    for language in ("en", "zh"):
        page = open_page(f"{PAGE[:-7]}&lang={language}", width=width)
        overflowing = page.eval_on_selector_all(
            ".seg.rows label",
            "all => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText)",
        )
        assert overflowing == []
        page.close()


def test_the_arrow_keys_move_through_the_picker(open_page: OpenPage) -> None:
    page = open_page(PAGE)
    page.focus("#a-bidirectional")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#a-max-probability")).to_be_checked()


@pytest.mark.parametrize("javascript", [True, False])
def test_a_frequency_is_suggested_and_applied(open_page: OpenPage, javascript: bool) -> None:
    page = open_page(f"/steps/max-probability?text={TEXT}&hmm=0&lang=en", javascript=javascript)
    page.fill("#want", "杭研")
    page.click(".suggestion button")
    expect(page.locator(".suggestion")).to_contain_text("it would need the frequency 1")
    page.click("text=Show the steps with this frequency")
    page.click(".player a[rel=last]")
    expect(page.locator(".view")).to_contain_text("杭研")
