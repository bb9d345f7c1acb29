"""The first minute on the playground, in a real Chromium: what is in sight, what a choice keeps, and the way back."""

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.test_editing import drop

PHONE = {"width": 390, "height": 844}
SIZES = [PHONE, {"width": 768, "height": 1024}, {"width": 1280, "height": 720}]


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("size", SIZES, ids=["phone", "tablet", "desk"])
def test_text_and_tokens_are_above_the_fold(open_page: OpenPage, size: dict[str, int], locale: str) -> None:
    page = open_page("/", locale=locale, **size)
    expect(page.locator("#text")).to_be_in_viewport(ratio=1)
    for n in range(5):
        expect(page.locator("#tokens > .chunk > *").nth(n)).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]


def test_the_box_grows_from_two_lines(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=bpe&text=one")
    height = "box => box.getBoundingClientRect().height / parseFloat(getComputedStyle(box).lineHeight)"
    assert 2 <= page.locator("#text").evaluate(height) < 3
    page.locator("#text").fill("one\n" * 3)
    assert 4 <= page.locator("#text").evaluate(height) < 5
    page.locator("#text").fill("one\n" * 300)
    assert page.locator("#text").evaluate(height) < 6, "the tokens stay in sight"


def test_what_follows_the_stage_waits_for_it_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("/", javascript=False, **PHONE)
    expect(page.locator(".surprises")).to_be_visible()

    def cut(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().partition('<section class="stage')[0])

    page.route(page.url, cut)
    page.reload()
    expect(page.locator("#text")).to_be_visible()
    expect(page.locator(".surprises")).to_be_hidden()


def test_the_switch_has_two_groups_subwords_first_and_is_a_panel_on_a_phone(open_page: OpenPage) -> None:
    page = open_page("/?text=low")
    labels = page.locator(".algorithms label").all()
    places = [label.bounding_box() or {"y": -1.0} for label in labels]
    assert len({place["y"] for place in places}) == 1, "one row"
    assert [label.get_attribute("for") for label in labels[:3]] == ["a-bpe", "a-wordpiece", "a-unigram"]
    page = open_page("/?text=low", **PHONE)
    expect(page.locator("label[for=a-unigram]")).to_be_hidden()
    page.get_by_role("button", name="Algorithm").click()
    page.locator("label[for=a-unigram]").click()
    page.wait_for_url(re.compile("algorithm=unigram"))
    expect(page.locator("label[for=a-unigram]")).to_be_hidden()
    expect(page.locator(".current")).to_have_text("Unigram")


def test_a_surprise_takes_the_place_of_the_text_until_undo(page: Page) -> None:
    page.locator("label[for=a-unigram]").click()
    page.locator("#text").fill("typed by me")
    expect(page.locator("#undo")).to_be_hidden()
    page.get_by_role("link", name="A number").click()
    expect(page.locator("#tokens > .chunk > *")).to_have_text(["123", "456", "789", "0"])
    expect(page.locator("#a-bpe")).to_be_checked()
    page.locator("#undo").click()
    expect(page.locator("#text")).to_have_value("typed by me")
    expect(page.locator("#tokens")).to_have_text("typed by me")
    expect(page.locator("#undo")).to_be_hidden()
    page.get_by_role("link", name="A name").click()
    page.keyboard.type("Bo")  # the name was selected
    expect(page.locator("#text")).to_have_value("Bo")
    expect(page.locator("#undo")).to_be_hidden()


def test_a_dropped_file_can_be_undone(page: Page) -> None:
    page.locator("#text").fill("typed by me")
    drop(page, 3)
    expect(page.locator("#text")).to_have_value("xxx")
    page.locator("#undo").click()
    expect(page.locator("#text")).to_have_value("typed by me")


def test_back_undoes_one_choice_and_forward_repeats_it(page: Page) -> None:
    page.locator("#text").fill("unbelievable")
    page.locator("label[for=a-unigram]").click()
    expect(page.locator("#tokens > .chunk > *").first).to_have_text("un")
    page.wait_for_url(re.compile("algorithm=unigram"))
    page.get_by_role("button", name="Bytes", exact=True).click()
    page.wait_for_url(re.compile("view=bytes"))
    page.evaluate("window.same = true")
    page.go_back()
    expect(page.get_by_role("button", name="Bytes", exact=True)).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#a-unigram")).to_be_checked()
    page.go_back()
    expect(page.locator("#a-bpe")).to_be_checked()
    expect(page.locator("#v-bpe")).to_be_visible()
    expect(page.locator("#text")).to_have_value("unbelievable")
    page.locator("#text").press("End")
    page.go_forward()
    expect(page.locator("#a-unigram")).to_be_checked()
    assert page.evaluate("window.same"), "the page is not loaded again"
    page.locator("#text").fill("typed on")
    expect(page.locator("#tokens")).to_have_text("typed on")


def test_back_keeps_a_text_that_no_address_holds(page: Page) -> None:
    text = "It was the best of times. " * 300
    page.locator("#text").fill(text)
    expect(page).not_to_have_url(re.compile("text="))
    page.locator("label[for=a-unigram]").click()
    page.wait_for_url(re.compile("algorithm=unigram"))
    page.go_back()
    expect(page.locator("#a-bpe")).to_be_checked()
    expect(page.locator("#text")).to_have_value(text)
    expect(page.locator("#figures")).to_have_attribute("data-tokens", re.compile("^2[0-9]{3}$"))


def test_the_details_neither_scroll_the_page_nor_cover_the_token(open_page: OpenPage) -> None:
    for size in SIZES:
        page = open_page("/?algorithm=bpe&view=ids&text=" + "low+lower+lowest+" * 12, **size)
        for at in (0, -1):
            tokens = page.locator("#tokens > .chunk > *").all()
            token = [one for one in tokens if ((one.bounding_box() or {"y": 9e9})["y"]) < size["height"] - 60][at]
            scrolled = page.evaluate("scrollY")
            token.click()
            expect(page.locator("#details .pairs")).to_have_attribute("data-token", str(tokens.index(token)))
            assert page.evaluate("scrollY") == scrolled
            box, panel = token.bounding_box(), page.locator("#details").bounding_box()
            assert box is not None
            assert panel is not None
            beside = box["x"] + box["width"] <= panel["x"]
            assert beside or box["y"] + box["height"] <= panel["y"] or panel["y"] + panel["height"] <= box["y"]
            first = page.locator("#details :is(a, .piece, dl)").first
            expect(first).to_have_text("Why this split?")
            expect(first).to_be_in_viewport(ratio=1)


def test_an_error_stands_once_above_the_dimmed_result(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=bpe&vocabulary=learned-bytes&text=low+lower&size=5", expected=["status of 422"])
    page.locator("#size").fill("501")
    expect(page.get_by_text("Choose a number from 0 to 500.")).to_have_count(1)
    expect(page.locator("#trouble [role=alert]")).to_be_visible()
    expect(page.locator("#size")).to_have_attribute("aria-describedby", "size-error")
    expect(page.locator("#tokens")).to_have_text("low lower")
    expect(page.locator("#tokens")).to_have_css("filter", "grayscale(1)")
    page.locator("#size").fill("5")
    expect(page.locator("#trouble > *")).to_have_count(0)
    expect(page.locator("#size")).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator("#tokens")).to_have_css("filter", "none")


def test_without_a_script_the_switch_and_the_surprises_work(open_page: OpenPage) -> None:
    page = open_page("/", javascript=False, **PHONE)
    page.get_by_role("button", name="Algorithm").click()
    page.locator("label[for=a-unigram]").click()
    page.keyboard.press("Escape")
    page.locator(".composer .btn.go").click()
    page.wait_for_url(re.compile("algorithm=unigram"))
    expect(page.locator(".current")).to_have_text("Unigram")
    page.get_by_role("link", name="A number").click()
    expect(page.locator("#tokens > .chunk > *")).to_have_text(["123", "456", "789", "0"])
