"""The comparison in a browser: with the mouse, with the keyboard, on a phone."""

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
    page.wait_for_selector("#compare[data-htmx-powered]", state="attached")
    return page


def rows(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query)["with"]


def press(page: Page, selector: str) -> None:
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.click(selector)


def change(page: Page, number: int) -> None:
    """Open the menu of a tokenizer."""
    if page.locator(f"#change-{number}").get_attribute("open") is None:
        page.click(f"#change-{number} summary")


def test_tokenizers_are_moved_removed_and_added(open_page: OpenPage) -> None:
    page = opened(open_page, width=390)
    change(page, 3)
    press(page, "#up-3")
    expect(page.locator("#with-2")).to_have_value("unigram:unigram")
    assert rows(page) == ["bpe:bpe-bytes", "unigram:unigram", "wordpiece:wordpiece"]
    page.keyboard.press("Escape")
    change(page, 1)
    press(page, "#remove-1")
    expect(page.locator("#with-3")).to_have_count(0)
    expect(page.locator("#remove-1")).to_be_disabled()
    page.click("#finder summary")
    page.locator("#find").press("ArrowDown")
    expect(page.locator("#choices button").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#find")).to_be_focused()
    press(page, "button[name=add][value='bpe:bpe-characters']")
    expect(page.locator("#with-3")).to_have_value("bpe:bpe-characters")
    assert rows(page) == ["unigram:unigram", "wordpiece:wordpiece", "bpe:bpe-characters"]
    press(page, "button[value=directions]")
    expect(page.locator(".heads > *")).to_have_count(8)  # two lines of text with four rows
    assert rows(page) == ["fmm:jieba", "bmm:jieba", "bidirectional:jieba", "max-probability:jieba"]
    assert page.input_value("#text") == TEXT
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_changing_a_tokenizer_or_the_text_updates_the_page_and_is_announced(open_page: OpenPage) -> None:
    page = opened(open_page)
    change(page, 1)
    page.select_option("#with-1", "bmm:jieba")
    expect(page.locator(".heads > *").first).to_contain_text("jieba")
    expect(page.locator("#status")).to_contain_text("Split differently: ")
    page.fill("#text", "low")
    expect(page.locator("#aligned .col")).to_have_count(1)
    expect(page.locator("#status")).to_have_text("One token. All tokenizers split the text in the same way.")
    assert page.url.endswith("text=low")
    change(page, 2)
    page.focus("#with-2")
    page.keyboard.press("ArrowUp")  # chosen with the keyboard, the list keeps the focus
    expect(page.locator("#with-2")).not_to_have_value("wordpiece:wordpiece")
    expect(page.locator("#row-2 .rival-name")).not_to_contain_text("WordPiece")  # the answer is in the page
    expect(page.locator("#with-2")).to_be_focused()


def test_a_moved_tokenizer_keeps_the_focus_on_its_button(open_page: OpenPage) -> None:
    page = opened(open_page)
    change(page, 1)
    page.focus("#down-1")
    page.keyboard.press("Enter")
    expect(page.locator("#with-2")).to_have_value("bpe:bpe-bytes")
    expect(page.locator("#down-2")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#with-3")).to_have_value("bpe:bpe-bytes")
    expect(page.locator("#up-3")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#change-3 summary")).to_be_focused()


@pytest.mark.parametrize("text", [TEXT, "مرحبا بالعالم and English السلام عليكم " * 3])
def test_columns_are_aligned_and_wrap_together(open_page: OpenPage, text: str) -> None:
    page = opened(open_page, f"{ADDRESS.partition('&text')[0]}&text={quote(text)}", width=390)
    boxes = page.evaluate(
        """Array.from(document.querySelectorAll("#aligned .col"), (column) =>
            Array.from(column.children, (row) => { const box = row.getBoundingClientRect();
              return [box.left, box.top, box.bottom, column.getBoundingClientRect().right]; }))"""
    )
    assert len(boxes) > 5
    for column in boxes:
        assert len({row[0] for row in column}) == 1
        assert [row[1] for row in column] == sorted({row[1] for row in column})
        assert max(row[3] for row in column) <= 390


def test_arrow_keys_move_from_column_to_column(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.focus("#aligned")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#told").split() == ["1", "Un", "2", "Un", "3", "Un"]
    page.keyboard.press("ArrowRight")
    expect(page.locator("#told")).to_contain_text("b | eli | e")
    expect(page.locator("#told")).to_contain_text("2 ways to split")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("End")
    expect(page.locator("#told")).to_contain_text("。")
    assert page.locator("#aligned .on").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#aligned .on").count() == 0
    assert page.inner_text("#told") == ""
    page.locator("#aligned .col.d3").first.click()
    expect(page.locator("#told")).to_contain_text("token | izers")


def test_a_long_text_stays_in_the_form(open_page: OpenPage) -> None:
    page = opened(open_page)
    long = "however little known " * 300
    page.fill("#text", long)
    page.wait_for_url(lambda address: "text=" not in address)
    page.click(".export summary")
    with page.expect_download() as download:
        page.click("text=Vector picture (SVG)")
    assert download.value.suggested_filename == "comparison.svg"
    expect(page.locator("#aligned")).to_be_visible()
    change(page, 2)
    press(page, "#up-2")
    expect(page.locator("#with-1")).to_have_value("wordpiece:wordpiece")
    page.click("a[data-lang=zh]")
    page.wait_for_selector("html[lang=zh-Hans]")
    assert page.input_value("#text") == long
    assert page.locator("#with-1").input_value() == "wordpiece:wordpiece"


def test_a_shared_comparison_can_be_opened(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.click("[popovertarget=share]")
    page.fill("#title", "Where they part")
    page.click("#create-link")
    page.wait_for_selector("#link")
    link = page.input_value("#link")
    assert page.evaluate("document.activeElement.id") == "link"
    page.keyboard.press("Escape")  # closes the panel
    change(page, 1)
    page.select_option("#with-1", "fmm:jieba")
    page.click("[popovertarget=share]")
    expect(page.locator("#link-before")).to_be_visible()  # it is the link of the previous comparison
    assert page.input_value("#link") == link
    page.goto(link)
    assert_accessible(page)
    assert page.inner_text("h1") == "Where they part"
    page.click("text=Open a copy")
    page.wait_for_url("**/compare?**")
    assert rows(page) == ["bpe:bpe-bytes", "wordpiece:wordpiece", "unigram:unigram"]
