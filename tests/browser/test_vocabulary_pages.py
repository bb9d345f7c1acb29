"""The vocabulary pages as a visitor uses them, in a real Chromium."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OpenPage
from webapp.vocabularies import shipped_tokenizer

PIECES = shipped_tokenizer("wordpiece").model.pieces


def ready(page: Page) -> Page:
    """Return the page once htmx is running: a person takes longer than that, a test does not."""
    page.wait_for_selector("form.search[data-htmx-powered]")
    return page


def first_cells(page: Page) -> list[str]:
    return page.locator("#tokens tbody td:first-child").all_inner_texts()


def test_tokens_are_searched_while_typing(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies/wordpiece"))
    before = page.evaluate("history.length")
    box = page.get_by_role("searchbox", name="Find tokens")
    box.press_sequentially("##ing", delay=10)
    expect(page.locator("#tokens tbody tr").first).to_contain_text("##ing")
    page.wait_for_url(re.compile(r"/vocabularies/wordpiece\?query=%23%23ing$"))
    assert int(first_cells(page)[0]) == PIECES.index("##ing")
    expect(box).to_be_focused()
    assert page.evaluate("history.length") == before
    expect(page.locator("#status")).to_contain_text("##ing")
    shown = first_cells(page)
    page.reload()
    assert first_cells(page) == shown
    expect(box).to_have_value("##ing")


def test_paging_is_in_the_history(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies/unigram"))
    page.get_by_role("link", name="Next", exact=True).click()
    expect(page.locator("#tokens tbody td").first).to_have_text("100")
    page.wait_for_url("**/vocabularies/unigram?page=2")
    expect(page.locator("#tokens .scroll")).to_be_focused()
    page.get_by_role("link", name="Last", exact=True).click()
    expect(page.locator("#tokens tbody td").first).to_have_text("31900")
    page.go_back()
    page.wait_for_url("**/vocabularies/unigram?page=2")
    expect(page.locator("#tokens tbody td").first).to_have_text("100")
    expect(page.get_by_role("heading", level=1)).to_have_text("Unigram, like T5")


def test_everything_works_without_javascript(open_page: OpenPage) -> None:
    page = open_page("/vocabularies", javascript=False)
    page.get_by_role("searchbox", name="Find a vocabulary").fill("unigram ships")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#list li")).to_have_count(1)
    page.locator("#list .entry-title").click()
    page.get_by_role("searchbox", name="Find tokens").fill("the")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**/vocabularies/unigram?query=the#tokens")
    expect(page.locator("#tokens tbody tr").first).to_contain_text("the")
    page.get_by_role("link", name="Next", exact=True).click()
    page.wait_for_url("**/vocabularies/unigram?query=the&page=2#tokens")


def test_the_list_is_searched_while_typing(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies"))
    total = page.locator("#list li").count()
    box = page.get_by_role("searchbox", name="Find a vocabulary")
    box.fill("wordpiece")
    expect(page.locator("#list h2")).to_have_text(["WordPiece"])
    page.wait_for_url("**/vocabularies?find=wordpiece")
    box.fill("zzzz")
    expect(page.locator("#list")).to_contain_text("No vocabulary has this name")
    box.fill("")
    expect(page.locator("#list li")).to_have_count(total)
    page.wait_for_url(re.compile("/vocabularies$"))


def test_an_invalid_query_has_a_message_next_to_the_field(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies/wordpiece", expected=["status of 422"]))
    page.get_by_role("searchbox", name="Find tokens").fill("x" * 101)
    expect(page.locator("#tokens .problem")).to_contain_text("at most 100 characters")
    page.get_by_role("searchbox", name="Find tokens").fill("under")
    expect(page.locator("#tokens .problem")).to_have_count(0)


def test_an_unreachable_server_has_a_message(open_page: OpenPage) -> None:
    page = ready(open_page("/vocabularies/wordpiece", expected=["Failed to load resource", "net::ERR_FAILED", "htmx"]))
    silent = True

    def answer(route: Route) -> None:
        route.abort("failed") if silent else route.continue_()

    page.route("**/vocabularies/wordpiece?*", answer)
    box = page.get_by_role("searchbox", name="Find tokens")
    box.fill("under")
    expect(page.locator("#unreachable")).to_be_visible()
    silent = False
    box.fill("underst")
    expect(page.locator("#unreachable")).to_be_hidden()
    expect(page.locator("#tokens tbody tr").first).to_contain_text("underst")


@pytest.mark.parametrize("width", [390, *(pytest.param(width, marks=pytest.mark.exhaustive) for width in (768, 1280))])
@pytest.mark.parametrize("path", ["/vocabularies?find=gpt", "/vocabularies/unigram"])
def test_links_are_large_enough_and_no_line_begins_with_a_dot(open_page: OpenPage, path: str, width: int) -> None:
    page = open_page(path, width=width)
    links = page.locator(".entry-title:visible, .entry-use:visible, .longest a:visible")
    boxes = [link.bounding_box() for link in links.all()]
    assert boxes
    assert all(box and box["height"] >= 24 for box in boxes)
    assert page.evaluate(
        "[...document.querySelectorAll('.about span, .entry-about span')]"
        ".every(span => getComputedStyle(span, '::before').content === 'none')"
    )


@pytest.mark.parametrize("width", [390, 768, 1000, 1280])
def test_the_finder_stays_on_the_page_and_does_not_cover_the_picker(open_page: OpenPage, width: int) -> None:
    page = open_page("/", width=width)
    page.locator(".finder summary").click()
    panel = page.locator(".panel").bounding_box()
    picker = page.locator(".vocabulary select:visible").bounding_box()
    assert panel
    assert picker
    assert panel["x"] >= 16
    assert panel["x"] + panel["width"] <= width - 16
    assert panel["y"] > picker["y"] + picker["height"]
    edges = [page.locator(selector).bounding_box() for selector in ("#find", "#choices")]
    assert edges[0]
    assert edges[1]
    assert (edges[0]["x"], edges[0]["width"]) == (edges[1]["x"], edges[1]["width"])


def test_a_file_is_named_in_full_without_javascript(open_page: OpenPage) -> None:
    page = open_page("/", width=390, javascript=False)
    page.locator(".finder summary").click()
    box = page.locator("#vocabulary-file").bounding_box()
    assert box
    assert box["width"] > 300


def test_wide_tables_scroll_in_their_frame(open_page: OpenPage) -> None:
    page = open_page("/vocabularies/bpe-bytes?query=e4+b8", width=390)
    table = page.locator("#tokens .scroll")
    assert table.evaluate("element => element.scrollWidth > element.clientWidth")
    assert "linear-gradient" in table.evaluate("element => getComputedStyle(element).backgroundImage")
