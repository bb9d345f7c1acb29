"""The editor of a dictionary and the page of ambiguities in a browser, with and without scripts."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage

FMM = "/?algorithm=fmm&text=研究生命科学"
TOKENS = "#tokens > .chunk > *"


def test_the_segmentation_changes_at_once(open_page: OpenPage) -> None:
    page = open_page(FMM)
    expect(page.locator(f"{TOKENS}")).to_have_count(3)
    page.locator("#edit-word").fill("研究生")
    page.locator("#edit-remove").click()
    expect(page.locator(TOKENS)).to_have_count(2)
    expect(page).to_have_url(re.compile("edits="))
    page.locator("#edit-word").fill("研究生命科学")
    page.locator("#edit-frequency").fill("7")
    page.locator("#edit-word").press("Enter")
    expect(page.locator(TOKENS)).to_have_count(1)
    expect(page.locator(".changes li")).to_have_count(2)
    page.reload()
    expect(page.locator(TOKENS)).to_have_count(1)
    page.get_by_role("button", name="Undo the change of 研究生命科学").click()
    expect(page.locator(TOKENS)).to_have_count(2)
    page.get_by_role("button", name="Undo all").click()
    expect(page.locator(TOKENS)).to_have_count(3)


def test_the_disagreements_of_a_short_text_are_seen_whole(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=fmm&text=研究生命科学%0A结婚的和尚未结婚的&lang=en")
    page.set_viewport_size({"width": 1280, "height": 800})
    hidden = "box => box.scrollHeight - box.clientHeight"
    assert page.locator(".disagreements").evaluate(hidden) == 0
