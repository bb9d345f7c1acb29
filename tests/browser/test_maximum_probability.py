"""Maximum probability in a browser: the settings that apply, and the modes."""

from __future__ import annotations

import re

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


def test_the_names_of_the_algorithms_fit_into_the_picker(open_page: OpenPage) -> None:
    for language in ("en", "zh"):
        page = open_page(f"{PAGE[:-7]}&lang={language}", width=390)
        overflowing = page.eval_on_selector_all(
            ".seg.rows label",
            "all => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText)",
        )
        assert overflowing == []
        page.close()
