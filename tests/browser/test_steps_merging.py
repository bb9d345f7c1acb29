"""BPE step by step in a browser: from merge to merge, and trees that never make the page wider than a phone."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.test_steps import ready

TEXT = "The widest internationalizations 研究生"


def test_steps_lead_through_the_merges_to_the_trees(open_page: OpenPage) -> None:
    page = open_page(f"/steps/bpe?text={TEXT}&step=1", width=390)
    ready(page)
    page.click(".player a[rel=next]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "2")
    assert page.locator(".together .merge-symbol").count() == 2
    rank = page.inner_text(".together .gap")
    assert rank in page.inner_text(".say")
    assert rank in page.locator(".tree text.rank.on-accent").all_text_contents()
    page.goto(page.url.partition("&step")[0] + f"&step={page.get_attribute('[data-step]', 'data-last')}")
    expect(page.locator(".tree")).to_have_count(4)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # The widest tree scrolls in its own box.
    assert page.locator(".tree .picture").nth(2).evaluate("box => box.scrollWidth > box.clientWidth")


def test_on_a_phone_the_tree_begins_at_the_merge_and_can_be_scrolled(open_page: OpenPage) -> None:
    page = open_page("/steps/bpe?text=internationalization&token=1", width=390)
    box, here = page.locator(".tree .picture").bounding_box(), page.locator(".tree rect.rank.new").bounding_box()
    assert box is not None
    assert here is not None
    assert box["x"] < here["x"]
    assert here["x"] + here["width"] < box["x"] + box["width"]
    step = page.url
    page.focus(".tree .picture")
    scrolled = page.evaluate_handle(
        "() => ({done: new Promise((done) => document.querySelector('.tree .picture').onscroll = done)})"
    )
    page.keyboard.press("ArrowLeft")
    scrolled.evaluate("({done}) => done.then(() => true)")
    assert page.url == step


def test_pieces_fit_in_their_boxes(open_page: OpenPage) -> None:
    page = open_page(f"/steps/bpe?text={TEXT}&token=2")
    ready(page)
    page.keyboard.press("End")
    expect(page.locator(".tree rect.token").first).to_be_visible()
    outside = page.evaluate(
        """() => [...document.querySelectorAll(".tree .diagram")].filter(svg => {
            const box = svg.getBBox()
            return box.x < 0 || box.x + box.width > svg.width.baseVal.value ||
                   box.y + box.height > svg.height.baseVal.value
        }).length"""
    )
    assert outside == 0
