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
    page.wait_for_selector(".player a[data-htmx-powered]")


@pytest.mark.parametrize("javascript", [True, False])
def test_links_move_from_step_to_step(open_page: OpenPage, javascript: bool) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}", javascript=javascript)
    if javascript:
        ready(page)
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "1")
    page.click(".player a[rel=next]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "2")
    assert "taken" in page.inner_text(".say")
    page.click(".player a[rel=last]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", str(LAST))
    assert "Bidirectional matching chooses BMM" in page.inner_text(".say")
    page.click(".player a[rel=prev]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", str(LAST - 1))
    page.click(".ticks a >> nth=2")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "3")
    expect(page.locator(".ticks [aria-current=step]")).to_have_attribute("aria-label", "Step 3")
    page.click(".player a[rel=first]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "1")
    assert page.locator("#play").is_visible() == javascript


@pytest.mark.parametrize("javascript", [True, False])
def test_on_a_phone_the_player_is_one_row_and_the_ticks_only_show_the_place(
    open_page: OpenPage, javascript: bool
) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}", javascript=javascript, width=390)
    if javascript:
        ready(page)
    player = page.locator(".player").bounding_box()
    assert player is not None
    assert player["height"] <= 46
    before = page.locator(".say").bounding_box()
    page.click(".player a[rel=next]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "2")
    assert page.locator(".say").bounding_box() == before or not javascript  # nothing jumps
    assert page.locator(".ticks a").first.evaluate("tick => getComputedStyle(tick).pointerEvents") == "none"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_many_steps_have_few_ticks(open_page: OpenPage) -> None:
    page = open_page("/steps/unigram?text=" + "internationalization " * 4 + "&step=60")
    assert page.locator(".ticks a").count() == 40
    assert page.locator(".ticks [aria-current=step]").count() == 1
    assert int(page.get_attribute("[data-step]", "data-last") or 0) > 80


def test_arrow_keys_step_and_update_the_address(open_page: OpenPage) -> None:
    page = open_page("/steps/wordpiece?text=unbelievably")
    ready(page)
    page.keyboard.press("ArrowRight")
    at(page, 2)
    page.keyboard.press("ArrowRight")
    at(page, 3)
    page.keyboard.press("ArrowLeft")
    at(page, 2)
    page.keyboard.press("End")
    expect(page.locator(".player a[rel=next]")).to_have_count(0)
    page.keyboard.press("Home")
    at(page, 1)
    page.click(".asked-menu > summary")
    page.focus("#text")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    at(page, 1)


def test_the_focus_stays_on_the_link_that_was_clicked(open_page: OpenPage) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}")
    ready(page)
    page.focus(".player a[rel=next]")
    page.keyboard.press("Enter")
    at(page, 2)
    assert page.evaluate("document.activeElement.rel") == "next"
    page.keyboard.press("Enter")
    at(page, 3)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_it_plays_to_the_end_and_never_by_itself(open_page: OpenPage, motion: str) -> None:
    page = open_page("/steps/fmm?text=研究生命科学", reduced_motion=motion)
    ready(page)
    assert page.get_attribute("[data-step]", "data-step") == "1"
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pause")
    at(page, 2)
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    page.click("#play")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "4", timeout=20_000)
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    expect(page.locator("#status")).to_have_text(re.compile("Bidirectional matching chooses"))


@pytest.mark.parametrize("javascript", [True, False])
def test_a_token_links_to_the_step_that_produced_it(open_page: OpenPage, javascript: bool) -> None:
    page = open_page(f"/?algorithm=bmm&text={TEXT}", javascript=javascript)
    page.click("#tokens >> text=尚未")
    page.click("text=Why this split?")
    page.wait_for_url(re.compile("/steps/bmm"))
    assert page.inner_text(".followed .now bdi") == "尚未"
    assert "“尚未” is" in (page.text_content(".say") or "")


def test_another_text_starts_at_its_first_step(open_page: OpenPage) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}&step=3&runs=0")
    page.click(".asked-menu > summary")
    page.fill("#text", "研究A4")
    page.click("#asked button.go")
    page.wait_for_url(re.compile("text=.*A4"))
    assert page.get_attribute("[data-step]", "data-step") == "1"
    assert not page.is_checked("[name=runs][type=checkbox]")


def test_a_text_too_long_for_an_address_links_to_its_first_sentence(open_page: OpenPage) -> None:
    page = open_page("/steps/bmm", javascript=False, expected=["status of 413"])
    page.click(".asked-menu > summary")
    page.fill("#text", "今天下雨。" + "带伞！" * 3_000)
    page.click("#asked button.go")
    assert "The text has 9,005 characters; steps are shown for up to 200." in page.inner_text(".notice.bad")
    page.click(".notice.bad a")
    assert page.input_value("#text") == "今天下雨。"
    assert page.locator("[data-step]").count() == 1


@pytest.mark.parametrize("kind", ["SVG", "PNG"])
def test_the_picture_is_exported(open_page: OpenPage, kind: str) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}&step=2")
    page.click(".export > summary")
    with page.expect_download() as started:
        page.click(f".export a >> text=/^{kind}$/")
    assert started.value.suggested_filename == f"fmm-windows-step-2.{kind.lower()}"


@pytest.mark.parametrize("javascript", [True, False])
def test_the_dictionary_is_changed_on_the_page(open_page: OpenPage, javascript: bool) -> None:
    page = open_page("/steps/fmm?text=研究生命科学", javascript=javascript)
    page.fill("textarea[name=dictionary]:not([hidden])", "研究\n生命\n科学")
    page.click("text=Use only these words")
    page.wait_for_url(re.compile("own-dictionary"))
    assert "Your own dictionary, with 3 words" in page.inner_text("#dictionary-words")
