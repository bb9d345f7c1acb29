"""Unigram's lattice in a browser: filled step by step, traced back, and viewed on a phone."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage

TEXT = "unbelievable hugs!"
ADDRESS = f"/steps/unigram?text={TEXT}"


def test_the_table_is_filled_and_traced_back(open_page: OpenPage) -> None:
    page = open_page(f"{ADDRESS}&step=7")
    page.wait_for_selector(".player a[data-htmx-powered]")
    expect(page.locator(".say")).to_contain_text("wins")
    expect(page.locator(".candidates .hit td").first).to_contain_text("eli")
    expect(page.locator("text.win", has_text="−28.46")).to_be_visible()
    page.click(".player a[rel=next]")
    expect(page.locator(".candidates .hit td").first).to_contain_text("wins: e")
    page.click(".player a[rel=last]")
    expect(page.locator(".lattice")).to_have_count(3)
    expect(page.locator(".segmentations").first.locator("tbody tr")).to_have_count(5)
    page.fill("[name=n]", "3")
    page.click(".draws button")
    expect(page.locator(".segmentations").first.locator("tbody tr")).to_have_count(3)
    expect(page).to_have_url(re.compile("n=3"))


def test_on_a_phone_the_picture_begins_at_the_step_and_can_be_scrolled(open_page: OpenPage) -> None:
    page = open_page(f"{ADDRESS}&step=12", width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box, here = page.locator(".picture").bounding_box(), page.locator("rect.band").bounding_box()
    assert box is not None
    assert here is not None
    assert box["x"] < here["x"]
    assert here["x"] + here["width"] < box["x"] + box["width"]
    page.evaluate("document.querySelector('.picture').scrollLeft = 0")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("document.querySelector('.picture').scrollLeft") == 0


def test_labels_do_not_overlap(open_page: OpenPage) -> None:
    page = open_page("/steps/unigram?text=internationalization&step=15")
    boxes = page.locator(".lattice text.halo").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect()).map((r) => [r.left, r.top + 3, r.right, r.bottom - 3])"
    )
    assert len(boxes) > 20
    for at, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:at]:
            assert other[2] <= left or other[0] >= right or other[3] <= top or other[1] >= bottom
