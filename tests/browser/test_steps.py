"""Steps of encoding and of training in a browser: by links, by keys, played, and their pictures on a phone."""

import re
from datetime import datetime

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage
from webapp.core.algorithms import ALGORITHMS
from webapp.rendering.source_listing import source_listing

TEXT = "结婚的和尚未结婚的"
LAST = 7
MERGES = "The widest internationalizations 研究生"
LATTICE = "/steps/unigram?text=unbelievable hugs!"
TEXTBOOK = "low 5 lower 2 newest 6 widest 3"
A_STEP = 800  # of the player, in milliseconds


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
    page.click(".player a[rel=last]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", str(LAST))
    page.locator(".scrub").fill("3")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "3")
    expect(page).to_have_url(re.compile("[?&]step=3$"))
    page.click(".player a[rel=first]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "1")
    assert page.locator("#play").is_visible()


def test_on_a_phone_the_player_has_two_rows_and_nothing_jumps(open_page: OpenPage) -> None:
    page = open_page(f"/steps/fmm?text={TEXT}", width=390)
    ready(page)
    player = page.locator(".player").bounding_box()
    assert player is not None
    assert player["height"] <= 100
    before = page.locator(".say").bounding_box()
    page.click(".player a[rel=next]")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "2")
    assert page.locator(".say").bounding_box() == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_phone_the_algorithms_are_a_panel_without_a_script(open_page: OpenPage) -> None:
    page = open_page("/steps/unigram?text=low", javascript=False, width=390)
    expect(page.locator("#algorithms")).to_be_hidden()
    page.get_by_role("button", name="Algorithm").click()
    page.get_by_role("link", name="BPE", exact=True).click()
    page.wait_for_url("**/steps/bpe?**")
    expect(page.locator("#algorithms")).to_be_hidden()


def test_the_merge_tree_fills_the_stage_and_the_next_merge_is_first(open_page: OpenPage) -> None:
    page = open_page("/steps/bpe?text=unbelievable&step=6")
    tree, view = page.locator(".tree .diagram").bounding_box(), page.locator(".steps-stage > .view").bounding_box()
    assert tree is not None
    assert view is not None
    assert 0.9 * view["width"] < tree["width"] <= view["width"]
    ranks = page.locator(".side tbody tr td:last-child").all_inner_texts()
    merged = [int(rank.replace(",", "")) for rank in ranks if rank != "–"]
    assert merged == sorted(merged)
    assert ranks[len(merged) :] == ["–"] * (len(ranks) - len(merged)), "pairs that cannot be merged are last"
    expect(page.locator(".side tbody tr").first).to_have_class("hit")


def test_the_slider_stays_in_the_hand_while_it_is_dragged(open_page: OpenPage) -> None:
    page = open_page("/steps/unigram?text=internationalization&step=1")
    ready(page)
    slider = page.locator(".scrub").element_handle()
    box = page.locator(".scrub").bounding_box()
    assert slider is not None
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 10, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=6)
    middle = slider.evaluate("slider => slider.value")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", middle)
    page.mouse.move(box["x"] + box["width"] - 2, y, steps=6)
    last = page.get_attribute("[data-step]", "data-last") or ""
    expect(page.locator("[data-step]")).to_have_attribute("data-step", last)
    page.mouse.up()
    assert slider.evaluate("slider => slider.isConnected")
    assert 1 < int(middle) < int(last)


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
    page.clock.run_for(A_STEP)
    at(page, 2)
    page.click("#play")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    page.click("#play")
    for step in (3, 4):
        page.clock.run_for(A_STEP)
        expect(page.locator("[data-step]")).to_have_attribute("data-step", str(step))
    page.clock.run_for(A_STEP)
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")
    expect(page.locator("#status")).to_have_text(re.compile("Bidirectional matching chooses"))


@pytest.mark.parametrize(("speed", "pause"), [("0.5", 1_600), ("1", 800), ("4", 200)])
def test_a_step_lasts_as_long_as_the_speed_says(open_page: OpenPage, speed: str, pause: int) -> None:
    page = open_page("/steps/fmm?text=研究生命科学")
    ready(page)
    page.clock.install(time=datetime(2026, 1, 1))
    page.clock.pause_at(datetime(2026, 1, 1, 1))  # or the seconds of a busy machine would count
    page.click(f".speed button[value='{speed}']")
    page.click("#play")
    page.clock.run_for(pause - 50)
    assert page.get_attribute("[data-step]", "data-step") == "1"
    page.clock.run_for(50)
    at(page, 2)
    expect(page.locator(f".speed button[value='{speed}']")).to_have_attribute("aria-pressed", "true")


# --- BPE and its trees


@pytest.mark.parametrize(("motion", "ghosts"), [("no-preference", 2), ("reduce", 0)])
def test_two_symbols_slide_together(open_page: OpenPage, motion: str, ghosts: int) -> None:
    page = open_page("/steps/bpe?text=lower&step=2", reduced_motion=motion)
    ready(page)
    pair = page.locator(".together .merge-symbol bdi").all_inner_texts()
    # Counts the tiles that move after the next step, before any of them is removed.
    page.evaluate("""() => {
        const animate = Element.prototype.animate;
        window.moved = [];
        Element.prototype.animate = function (...how) {
            if (this.matches(".sliding")) window.moved.push(this.querySelector("bdi").textContent);
            return animate.apply(this, how);
        };
    }""")
    page.click(".player a[rel=next]")
    at(page, 3)
    assert "".join(pair) in page.locator(".merge-symbols > .tile bdi, .together bdi").all_inner_texts()
    assert page.evaluate("window.moved") == pair[:ghosts]
    expect(page.locator(".sliding")).to_have_count(0)


def test_the_hmm_is_an_entry_of_the_switch(open_page: OpenPage) -> None:
    page = open_page("/steps")
    page.click("h2 a:text-is('HMM')")
    expect(page.locator(".seg [aria-current=page]")).to_have_text("HMM")
    assert page.locator(".picture svg").count()
    page.click(".seg a:text-is('Max probability')")
    expect(page.locator(".seg [aria-current=page]")).to_have_text("Max probability")
    page.click(".seg a:text-is('HMM')")
    expect(page.locator(".seg [aria-current=page]")).to_have_text("HMM")


# --- the race


def test_a_race_runs_step_in_step_on_a_projector(open_page: OpenPage) -> None:
    page = open_page("/steps/race?text=low&view=large", height=720)
    ready(page)
    expect(page.locator(".lane")).to_have_count(4)
    assert not page.locator(".top").is_visible()
    assert page.evaluate("document.documentElement.scrollHeight") <= 720
    assert page.locator(".lanes").evaluate("lanes => lanes.scrollHeight <= lanes.clientHeight")
    page.keyboard.press("ArrowRight")
    at(page, 1)
    page.keyboard.press("4")
    expect(page.locator(".speed [aria-pressed=true]")).to_have_text("4×")
    page.keyboard.press("Space")
    last = int(page.get_attribute("[data-step]", "data-last") or 0)
    at(page, last)
    expect(page.locator(".lane.done")).to_have_count(4)
    page.keyboard.press("q")
    assert page.locator(".phone .menu .qr").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator(".phone .menu .qr").is_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".top")).to_be_visible()
    expect(page.locator("#text")).to_have_value("low")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("path", "locale"), [("/steps/race?step=5", "en-US"), ("/steps/race?step=5&view=large", "zh-CN")]
)
def test_the_race_is_accessible_and_fits(open_page: OpenPage, path: str, locale: str, scheme: str) -> None:
    page = open_page(path, locale=locale, color_scheme=scheme)
    assert_accessible(page)
    for width in (768, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_four_lanes_fit_on_a_screen(open_page: OpenPage) -> None:
    page = open_page("/steps/race", height=720)
    expect(page.locator(".lane")).to_have_count(4)
    expect(page.locator(".lane").last).to_be_in_viewport(ratio=1)


def test_the_race_needs_no_script(open_page: OpenPage) -> None:
    page = open_page("/steps/race?text=lower", javascript=False)
    page.click(".player a[rel=next]")
    at_step = page.locator("[data-step]")
    expect(at_step).to_have_attribute("data-step", "1")
    page.click(".player a[rel=last]")
    expect(page.locator(".lane.done")).to_have_count(4)
    page.fill("#text", "newest")
    page.select_option("select[name=with] >> nth=3", "")
    page.click("button:text-is('Start the race')")
    expect(page.locator(".lane")).to_have_count(3)
    assert page.locator(".lane .track").first.inner_text().replace("\n", "") == "newest"


# --- trees


def test_steps_lead_through_the_merges_to_the_trees(open_page: OpenPage) -> None:
    page = open_page(f"/steps/bpe?text={MERGES}&step=1", width=390)
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


@pytest.mark.parametrize(
    ("path", "picture", "here"),
    [
        ("/steps/bpe?text=internationalization&token=1", ".tree .picture", ".tree rect.rank.new"),
        (f"{LATTICE}&step=12", ".picture", "rect.band"),
        (f"/steps/tagger?text={TEXT}&step=9", ".picture", "rect.hit >> nth=0"),
    ],
)
def test_on_a_phone_a_picture_begins_at_the_step_and_can_be_scrolled(
    open_page: OpenPage, path: str, picture: str, here: str
) -> None:
    page = open_page(path, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box, drawn = page.locator(picture).bounding_box(), page.locator(here).bounding_box()
    assert box is not None
    assert drawn is not None
    assert box["x"] < drawn["x"]
    assert drawn["x"] + drawn["width"] < box["x"] + box["width"]
    step = page.url
    page.focus(picture)
    scrolled = page.evaluate_handle(
        "(where) => ({done: new Promise((done) => document.querySelector(where).onscroll = done)})", picture
    )
    page.keyboard.press("ArrowLeft")
    scrolled.evaluate("({done}) => done.then(() => true)")
    assert page.url == step


def test_pieces_fit_in_their_boxes(open_page: OpenPage) -> None:
    page = open_page(f"/steps/bpe?text={MERGES}&token=2")
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


# --- Unigram's lattice


def test_the_table_is_filled_and_traced_back(open_page: OpenPage) -> None:
    page = open_page(f"{LATTICE}&step=7")
    page.wait_for_selector(".player a[data-htmx-powered]")
    expect(page.locator(".say")).to_contain_text("wins")
    expect(page.locator(".candidates .hit td").first).to_contain_text("eli")
    expect(page.locator("text.win", has_text="−28.46")).to_be_visible()
    page.click(".player a[rel=next]")
    expect(page.locator(".candidates .hit td").first).to_contain_text("wins: e")
    page.click(".player a[rel=last]")
    expect(page.locator(".filling")).to_have_count(3)
    expect(page.locator(".segmentations").first.locator("tbody tr")).to_have_count(5)
    page.fill("[name=n]", "3")
    page.click(".draws button")
    expect(page.locator(".segmentations").first.locator("tbody tr")).to_have_count(3)
    expect(page).to_have_url(re.compile("n=3"))


def test_labels_do_not_overlap(open_page: OpenPage) -> None:
    page = open_page("/steps/unigram?text=internationalization&step=15")
    boxes = page.locator(".filling text.halo").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect()).map((r) => [r.left, r.top + 3, r.right, r.bottom - 3])"
    )
    assert len(boxes) > 20
    for at, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:at]:
            assert other[2] <= left or other[0] >= right or other[3] <= top or other[1] >= bottom


# --- training


def test_the_steps_of_a_typed_corpus(open_page: OpenPage) -> None:
    page = open_page("/steps/training/bpe", width=390)
    page.click("text=Change corpus")
    page.fill("[name=corpus]", "不亦说乎 不亦乐乎 不亦君子乎")
    page.fill("[name=size]", "4")
    page.click(".corpus-form .go")
    expect(page.locator("[data-step]")).to_have_attribute("data-last", "5")
    assert page.input_value("[name=corpus]") == "不亦说乎 不亦乐乎 不亦君子乎"
    page.wait_for_selector(".player a[data-htmx-powered]")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-step]")).to_have_attribute("data-step", "1")
    expect(page).to_have_url(re.compile(r"step=1(#show)?$"))
    assert "“不” and “亦” occur next to each other 3 times" in (page.text_content(".say") or "")
    assert page.locator(".winner .symbol").all_inner_texts() == ["不", "亦"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_pasted_textbook_corpus_is_read_as_counts_and_replaces_the_text(open_page: OpenPage) -> None:
    page = open_page("/steps/training/bpe")
    page.click("text=Change corpus")
    assert page.input_value("[name=text]")
    page.fill("[name=corpus]", TEXTBOOK)
    assert page.input_value("[name=text]") == ""
    page.click(".corpus-form .go")
    expect(page.locator(".reading")).to_contain_text("low × 5, lower × 2, newest × 6, widest × 3")
    assert page.input_value("[name=text]") == ""


# --- the listing


def test_the_code_is_copied_exactly_as_in_the_file(open_page: OpenPage) -> None:
    page = open_page("/steps/bpe")
    assert not page.is_visible("#source")
    page.click(".whole-algorithm summary")
    page.click(".whole-algorithm button")
    page.wait_for_selector("#source-copied:text-is('Copied')", state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == source_listing(*ALGORITHMS["bpe"].reference).text
    assert_accessible(page)
