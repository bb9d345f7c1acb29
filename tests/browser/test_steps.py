"""The steps in a browser: by links, by keys, played, opened from a token, and without JavaScript."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage

TEXT = "结婚的和尚未结婚的"
LAST = 7
LONGEST_PAUSE = 6_000  # of the player, in milliseconds


def at(page: Page, step: int) -> None:
    """Wait until the page and its address are at a step."""
    expect(page.locator("[data-step]")).to_have_attribute("data-step", str(step))
    expect(page).to_have_url(re.compile(rf"[?&]step={step}$"))


def ready(page: Page) -> None:
    page.wait_for_selector(".player a[data-htmx-powered]")


def test_links_move_from_step_to_step(open_page: OpenPage) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}")
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
    assert page.locator("#play").is_visible()


def test_on_a_phone_the_player_is_one_row_and_the_ticks_only_show_the_place(open_page: OpenPage) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}", width=390)
    ready(page)
    player = page.locator(".player").bounding_box()
    assert player is not None
    assert player["height"] <= 46
    before = page.locator(".say").bounding_box()
    page.click(".player a[rel=next]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "2")
    assert page.locator(".say").bounding_box() == before  # nothing jumps
    assert page.locator(".ticks a").first.evaluate("tick => getComputedStyle(tick).pointerEvents") == "none"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_arrow_keys_step_and_update_the_address(open_page: OpenPage) -> None:
    page = open_page("/steps/wordpiece?text=unbelievably")
    ready(page)
    page.focus(".player a[rel=next]")
    page.keyboard.press("Enter")
    at(page, 2)
    assert page.evaluate("document.activeElement.rel") == "next"
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


def test_it_plays_to_the_end_and_never_by_itself(open_page: OpenPage) -> None:
    page = open_page("/steps/fmm?text=研究生命科学")
    ready(page)
    assert page.get_attribute("[data-step]", "data-step") == "1"
    page.clock.install()
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pause")
    page.clock.run_for(LONGEST_PAUSE)
    at(page, 2)
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    page.click("#play")
    for step in (3, 4):
        page.clock.run_for(LONGEST_PAUSE)
        expect(page.locator("[data-step]")).to_have_attribute("data-step", str(step))
    page.clock.run_for(LONGEST_PAUSE)
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    expect(page.locator("#status")).to_have_text(re.compile("Bidirectional matching chooses"))


def test_a_token_links_to_the_step_that_produced_it(open_page: OpenPage) -> None:
    page = open_page(f"/?algorithm=bmm&text={TEXT}")
    page.click("#tokens >> text=尚未")
    page.click("text=Why this split?")
    page.wait_for_url(re.compile("/steps/bmm"))
    assert page.inner_text(".followed .now bdi") == "尚未"
    assert "“尚未” is" in (page.text_content(".say") or "")
