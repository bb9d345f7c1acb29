"""The steps in a browser: by links, by keys, played, opened from a token, and without JavaScript."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage

TEXT = "结婚的和尚未结婚的"
LAST = 7


def at(page: Page, step: int) -> None:
    """Wait until the page and its address are at a step."""
    expect(page.locator("[data-step]")).to_have_attribute("data-step", str(step))
    expect(page).to_have_url(re.compile(rf"[?&]step={step}$"))


def ready(page: Page) -> None:
    page.wait_for_selector(".leafing a[data-htmx-powered]")


@pytest.mark.parametrize("javascript", [True, False])
def test_links_move_from_step_to_step(open_page: OpenPage, javascript: bool) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}", javascript=javascript, width=390)
    if javascript:
        ready(page)
    page.click(".leafing >> text=Forward")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "1")
    assert "taken" in page.inner_text(".told")
    page.click(".leafing >> text=End")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", str(LAST))
    assert "Bidirectional matching chooses BMM" in page.inner_text(".told")
    page.click(".leafing >> text=Back")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", str(LAST - 1))
    page.click(".leafing >> text=Start")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "0")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("#player").is_visible() == javascript


def test_arrow_keys_step_and_update_the_address(open_page: OpenPage) -> None:
    page = open_page("/steps/wordpiece?text=unbelievably")
    ready(page)
    page.keyboard.press("ArrowRight")
    at(page, 1)
    page.keyboard.press("ArrowRight")
    at(page, 2)
    page.keyboard.press("ArrowLeft")
    at(page, 1)
    page.keyboard.press("End")
    expect(page.locator(".leafing a[rel=next]")).to_have_count(0)
    page.keyboard.press("Home")
    at(page, 0)
    page.focus("#text")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    at(page, 0)


def test_the_focus_stays_on_the_link_that_was_clicked(open_page: OpenPage) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}")
    ready(page)
    page.focus(".leafing a[rel=next]")
    page.keyboard.press("Enter")
    at(page, 1)
    assert page.evaluate("document.activeElement.rel") == "next"
    page.keyboard.press("Enter")
    at(page, 2)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_it_plays_to_the_end_and_never_by_itself(open_page: OpenPage, motion: str) -> None:
    page = open_page("/steps/fmm?text=研究生命科学", reduced_motion=motion)
    ready(page)
    page.select_option("#pace", "700")
    assert page.get_attribute("[data-step]", "data-step") == "0"
    page.click("#play")
    expect(page.locator("#play")).to_have_text("Pause")
    at(page, 1)
    page.click("#play")
    expect(page.locator("#play")).to_have_text("Play")
    page.click("#play")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "4", timeout=20_000)
    expect(page.locator("#play")).to_have_text("Play")
    expect(page.locator("#status")).to_have_text(re.compile("Bidirectional matching chooses"))


@pytest.mark.parametrize("javascript", [True, False])
def test_a_token_links_to_the_step_that_produced_it(open_page: OpenPage, javascript: bool) -> None:
    page = open_page(f"/?algorithm=bmm&text={TEXT}", javascript=javascript)
    page.click("#tokens >> text=尚未")
    page.click("text=Why this split?")
    page.wait_for_url(re.compile("/steps/bmm"))
    assert page.inner_text(".followed .now bdi") == "尚未"
    assert "“尚未” is" in page.inner_text(".told")


def test_another_text_starts_at_its_first_step(open_page: OpenPage) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}&step=3&runs=0")
    page.fill("#text", "研究A4")
    page.click("button.primary")
    page.wait_for_url(re.compile("text=.*A4"))
    assert page.get_attribute("[data-step]", "data-step") == "0"
    assert not page.is_checked("[name=runs][type=checkbox]")


def test_a_text_too_long_for_an_address_links_to_its_first_sentence(open_page: OpenPage) -> None:
    page = open_page("/steps/bmm", javascript=False, expected=["status of 413"])
    page.fill("#text", "今天下雨。" + "带伞！" * 3_000)
    page.click("#asked button.primary")
    assert "The text has 9,005 characters; steps are shown for up to 200." in page.inner_text(".problem")
    page.click(".problem a")
    assert page.input_value("#text") == "今天下雨。"
    assert page.locator("[data-step]").count() == 1
