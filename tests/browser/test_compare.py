"""The comparison in a browser: with the mouse, with the keyboard, on a phone, without JavaScript."""

from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage

TEXT = (
    "Unbelievably, tokenizers disagree about antidisestablishmentarianism. " * 2 + "\n研究生命科学的人研究生命的起源。"
)
ADDRESS = f"/compare?with=bpe:bpe-bytes&with=wordpiece:wordpiece&with=unigram:unigram&text={quote(TEXT)}"


def opened(open_page: OpenPage, path: str = ADDRESS, **how: object) -> Page:
    page = open_page(path, **how)
    if how.get("javascript", True):
        page.wait_for_selector("#compare[data-htmx-powered]", state="attached")
    return page


def rows(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query)["with"]


def press(page: Page, selector: str, javascript: bool) -> None:
    if javascript:
        with page.expect_response(lambda response: response.request.method == "POST"):
            page.click(selector)
    else:
        with page.expect_navigation():
            page.click(selector)


@pytest.mark.parametrize("javascript", [True, False])
def test_rows_are_moved_removed_and_added(open_page: OpenPage, javascript: bool) -> None:
    page = opened(open_page, javascript=javascript, width=390)
    press(page, "#up-3", javascript)
    expect(page.locator("#with-2")).to_have_value("unigram:unigram")
    assert rows(page) == ["bpe:bpe-bytes", "unigram:unigram", "wordpiece:wordpiece"]
    press(page, "#remove-1", javascript)
    expect(page.locator("#with-3")).to_have_count(0)
    expect(page.locator("#remove-1")).to_be_disabled()
    page.click("#finder summary")
    press(page, "button[name=add][value='bpe:bpe-characters']", javascript)
    expect(page.locator("#with-3")).to_have_value("bpe:bpe-characters")
    assert rows(page) == ["unigram:unigram", "wordpiece:wordpiece", "bpe:bpe-characters"]
    press(page, "button[value=directions]", javascript)
    expect(page.locator(".row-names li")).to_have_count(2)
    assert rows(page) == ["fmm:jieba", "bmm:jieba"]
    assert page.input_value("#text") == TEXT
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_arrow_keys_move_through_the_tokenizers_that_can_be_added(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.click("#finder summary")
    page.locator("#find").press("ArrowDown")
    buttons = page.locator("#choices button")
    expect(buttons.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(buttons.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#find")).to_be_focused()


def test_changing_a_tokenizer_or_the_text_updates_the_page_at_once(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.select_option("#with-1", "bmm:jieba")
    expect(page.locator(".row-names li").first).to_contain_text("BMM")
    page.fill("#text", "low")
    expect(page.locator("#aligned .s")).to_have_count(1)
    assert page.url.endswith("text=low")
    page.focus("#with-2")
    page.keyboard.press("ArrowUp")  # chosen with the keyboard, the list keeps the focus
    expect(page.locator("#with-2")).not_to_have_value("wordpiece:wordpiece")
    page.wait_for_url(lambda address: "wordpiece%3Awordpiece" not in address)
    assert page.evaluate("document.activeElement.id") == "with-2"


def test_a_moved_row_keeps_the_focus_on_its_button(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.focus("#down-1")
    page.keyboard.press("Enter")
    expect(page.locator("#with-2")).to_have_value("bpe:bpe-bytes")
    expect(page.locator("#down-2")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#with-3")).to_have_value("bpe:bpe-bytes")
    expect(page.locator("#up-3")).to_be_focused()


def test_rows_are_aligned_and_wrap_together(open_page: OpenPage) -> None:
    page = opened(open_page, width=390)
    boxes = page.evaluate(
        """Array.from(document.querySelectorAll("#aligned .s"), (stretch) =>
            Array.from(stretch.children, (row) => { const box = row.getBoundingClientRect();
              return [box.left, box.top, box.bottom, stretch.getBoundingClientRect().right]; }))"""
    )
    assert len(boxes) > 10
    for stretch in boxes:
        assert len({row[0] for row in stretch}) == 1
        assert [row[1] for row in stretch] == sorted({row[1] for row in stretch})
        assert max(row[3] for row in stretch) <= 390
    # The numbers in the margin are level with their rows, on the last line too.
    gutter = page.evaluate("document.querySelector('.gutter').getBoundingClientRect().top")
    half = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.gutter')).lineHeight)")
    first = boxes[0][0][1]
    paragraph = [stretch for stretch in boxes if stretch[0][1] < boxes[-1][0][1] - 1]
    last = max(stretch[0][1] for stretch in paragraph)
    assert abs(first + half / 2 - gutter) <= 1
    assert round(last - first) % round(half) <= 1


@pytest.mark.parametrize("layout", ["lines", "columns"])
@pytest.mark.parametrize("javascript", [True, False])
def test_hovering_highlights_a_span_in_every_row(open_page: OpenPage, layout: str, javascript: bool) -> None:
    page = opened(open_page, f"{ADDRESS}&layout={layout}", javascript=javascript)
    tint = "getComputedStyle({}.querySelector('i')).backgroundColor"
    page.locator("#aligned .s.d").first.hover()
    accent = "getComputedStyle(document.querySelector('.primary')).backgroundColor"
    if layout == "lines":
        lit = f"""Array.from(document.querySelector("#aligned .s.d").children, (row) => {tint.format("row")})"""
    else:
        lit = f"""(() => {{ const one = document.querySelector("#aligned .s.d");
            const at = Array.from(one.parentElement.children).indexOf(one), piece = one.closest(".piece");
            return Array.from(piece.children, (column) => {tint.format("column.children[at]")}); }})()"""
    assert page.evaluate(lit) == [page.evaluate(accent)] * 3
    if javascript:
        expect(page.locator("#told")).to_contain_text("bel | ie | v")


@pytest.mark.parametrize("layout", ["lines", "columns"])
def test_arrow_keys_move_from_span_to_span(open_page: OpenPage, layout: str) -> None:
    page = opened(open_page, f"{ADDRESS}&layout={layout}")
    page.focus("#aligned")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#told").split() == ["1", "Un", "2", "Un", "3", "Un"]
    page.keyboard.press("ArrowRight")
    expect(page.locator("#told")).to_contain_text("be | lie | v")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(page.locator("#told")).to_contain_text("。")
    assert page.locator("#aligned .on").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#aligned .on").count() == 0
    assert page.inner_text("#told") == ""


def test_a_long_text_stays_in_the_form(open_page: OpenPage) -> None:
    page = opened(open_page)
    long = "however little known " * 300
    page.fill("#text", long)
    page.wait_for_url(lambda address: "text=" not in address)
    press(page, "#up-2", javascript=True)
    expect(page.locator("#with-1")).to_have_value("wordpiece:wordpiece")
    assert page.input_value("#text") == long
    page.click("a[data-lang=zh]")
    page.wait_for_selector("html[lang=zh-Hans]")
    assert page.input_value("#text") == long
    assert page.locator("#with-1").input_value() == "wordpiece:wordpiece"


@pytest.mark.parametrize("javascript", [True, False])
def test_the_playground_opens_a_comparison(open_page: OpenPage, javascript: bool) -> None:
    page = open_page("/?text=low&algorithm=unigram", javascript=javascript)
    page.click("text=Compare with others")
    page.wait_for_url("**/compare?**")
    assert rows(page)[0] == "unigram:unigram"
    assert page.input_value("#text") == "low"


def test_the_playground_opens_a_comparison_of_a_long_text(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=wordpiece")
    long = "however little known " * 300
    page.fill("#text", long)
    page.click("button:text('Compare with others')")
    page.wait_for_url("**/compare")
    assert page.input_value("#text") == long
    assert page.locator("#with-1").input_value() == "wordpiece:wordpiece"


@pytest.mark.parametrize("width", [390, 768, 1280])
@pytest.mark.parametrize("layout", ["lines", "columns"])
def test_nothing_is_wider_than_the_page(open_page: OpenPage, width: int, layout: str) -> None:
    text = quote("w" * 200 + " السلام عليكم 👨‍👩‍👧‍👦 " + "研" * 120)
    page = opened(open_page, f"/compare?layout={layout}&text={text}", width=width, locale="zh-CN")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    pane = "document.querySelector('#aligned')"
    assert page.evaluate(f"{pane}.scrollWidth <= {pane}.clientWidth + 1")


@pytest.mark.parametrize("javascript", [True, False])
def test_a_shared_comparison_can_be_opened(open_page: OpenPage, javascript: bool) -> None:
    page = opened(open_page, javascript=javascript)
    page.click("#share summary")
    page.fill("#title", "Where they part")
    page.click("#create-link")
    page.wait_for_selector("#link")
    link, deletion = page.input_value("#link"), page.input_value("#deletion")
    if javascript:
        assert page.evaluate("document.activeElement.id") == "link"
        page.click("[data-copy-field=embed-code]")
        assert "<iframe" in page.evaluate("navigator.clipboard.readText()")
        page.select_option("#with-1", "fmm:jieba")
        expect(page.locator("#link-before")).to_be_visible()  # it is the link of the previous comparison
        assert page.input_value("#link") == link
    page.goto(link)
    assert page.inner_text("h1") == "Where they part"
    expect(page.locator(".row-names li")).to_have_count(3)
    if javascript:
        page.focus("#aligned")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#told")).to_contain_text("Un")
        page.click("[data-copy-field=link]")
        assert page.evaluate("navigator.clipboard.readText()") == link
    page.click("text=Open a copy in Compare")
    page.wait_for_url("**/compare?**")
    assert rows(page) == ["bpe:bpe-bytes", "wordpiece:wordpiece", "unigram:unigram"]
    page.goto(deletion)
    page.click("button.primary")
    assert "deleted" in page.inner_text("h1")


@pytest.mark.parametrize("layout", ["lines", "columns"])
def test_a_stored_comparison_is_accessible(open_page: OpenPage, layout: str) -> None:
    page = opened(open_page, f"{ADDRESS}&layout={layout}", width=390)
    page.click("#share summary")
    page.click("#create-link")
    page.wait_for_selector("#link")
    link = page.input_value("#link")
    for address in (link, f"{link}/embed"):
        page.goto(address)
        assert_accessible(page)
