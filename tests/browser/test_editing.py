"""What editing sends and shows in a real Chromium: the pauses, files, messages beside fields, views and themes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage
from tests.browser.test_playground import PARAGRAPH, PHONE, fill
from webapp.vocabularies import shipped_tokenizer

# --- when a change is sent


def sent_at_once(page: Page, change: str) -> bool:
    """Run `change` in the page; tell whether the form was sent in the same task."""
    return bool(
        page.evaluate(
            f"""() => {{
                const form = document.getElementById('playground'), text = document.getElementById('text');
                let sent = 0;
                const count = () => {{ sent += 1 }};
                form.addEventListener('send', count);
                {change};
                form.removeEventListener('send', count);
                return sent;
            }}"""
        )
    )


INPUT = "text.value += 'x'; text.dispatchEvent(new InputEvent('input', {bubbles: true, inputType: '%s'}))"


@pytest.mark.parametrize("kind", ["insertFromPaste", "insertFromDrop", "historyUndo", "insertReplacementText"])
def test_a_paste_is_sent_at_once(page: Page, kind: str) -> None:
    assert sent_at_once(page, INPUT % kind)


@pytest.mark.parametrize("kind", ["insertText", "insertCompositionText", "insertLineBreak", "deleteContentBackward"])
def test_typing_waits_for_a_pause(page: Page, kind: str) -> None:
    assert not sent_at_once(page, INPUT % kind)
    expect(page.locator("#tokens")).to_contain_text("x")


@pytest.mark.parametrize(
    "change",
    [
        "document.querySelector('a.example').click()",
        "document.querySelector('label[for=a-unigram]').click()",
        "const list = document.getElementById('v-bpe'); list.value = 'bpe-characters'; "
        "list.dispatchEvent(new Event('input', {bubbles: true}))",
        "document.getElementById('show').click()",
        "document.querySelector('button[name=view][value=bytes]').click()",
        "document.querySelector('[data-algorithm=unigram]').click()",
    ],
    ids=["an example", "an algorithm", "a vocabulary", "spaces", "a view", "another tokenizer"],
)
def test_a_choice_is_sent_at_once(page: Page, change: str) -> None:
    assert sent_at_once(page, change)


def test_letters_typed_quickly_are_sent_together(page: Page) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.post_data or "") if request.method == "POST" else None)
    page.locator("#text").fill("")
    page.locator("#text").press_sequentially("quickly", delay=10)
    expect(page.locator("#tokens")).to_have_text("quickly")
    assert len(sent) <= 3, "one for the empty box, one for the word, and one if the machine is slow"


def test_what_is_pasted_with_the_keyboard_is_shown(page: Page) -> None:
    page.evaluate("navigator.clipboard.writeText('pasted words')")
    page.locator("#text").fill("")
    page.locator("#text").press("ControlOrMeta+V")
    expect(page.locator("#tokens")).to_have_text("pasted words")


# --- files


def drop(page: Page, size: int, name: str = "big.txt") -> None:
    """Drop a file of `size` bytes on the text box."""
    data = page.evaluate_handle(
        """([size, name]) => {
            const items = new DataTransfer();
            items.items.add(new File(['x'.repeat(size)], name));
            return items;
        }""",
        [size, name],
    )
    page.locator("#text").dispatch_event("drop", {"dataTransfer": data})


@pytest.mark.parametrize("dropped", [True, False], ids=["dropped", "opened"])
def test_a_file_over_the_limit_is_refused_before_it_is_read(page: Page, tmp_path: Path, dropped: bool) -> None:
    fill(page, "kept")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    if dropped:
        drop(page, 1_048_577)
    else:
        path = tmp_path / "big.txt"
        path.write_bytes(b"x" * 1_048_577)
        page.locator("#file").set_input_files(path)
    error = page.locator("#text-error")
    expect(error).to_have_text(
        "“big.txt” has 1,048,577 bytes; the limit is 1,048,576. Choose a smaller file, or paste a part of it. Your "
        "text is unchanged."
    )
    expect(page.locator("#text")).to_have_value("kept")
    expect(page.locator("#text")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#text")).to_have_attribute("aria-describedby", "text-error")
    assert not sent
    page.locator("#text").press("End")
    page.keyboard.type(" on")
    expect(page.locator("#tokens")).to_have_text("kept on")
    expect(error).to_be_hidden()
    expect(page.locator("#text")).not_to_have_attribute("aria-invalid", "true")


def test_a_good_file_removes_the_message_about_a_large_one(page: Page) -> None:
    drop(page, 1_048_577)
    expect(page.locator("#text-error")).to_be_visible()
    drop(page, 3, "small.txt")
    expect(page.locator("#text")).to_have_value("xxx")
    expect(page.locator("#text-error")).to_be_hidden()


def test_a_file_of_other_bytes_has_its_message_beside_the_text(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/?text=kept", expected=["422"])
    path = tmp_path / "old.txt"
    path.write_bytes(b"na\xefve")
    page.locator("#file").set_input_files(path)
    assert_wrong(page.locator("#text"), "byte at offset 2 (0xEF)")
    page.locator("#text").fill("kept on")
    assert_right(page.locator("#text"))


# --- messages beside fields


def assert_wrong(field: Locator, message: str) -> None:
    """Assert that the field is marked, and that its message is visible and belongs to it."""
    expect(field).to_have_attribute("aria-invalid", "true")
    name = field.get_attribute("aria-describedby")
    expect(field.page.locator(f"#{name}")).to_contain_text(message)
    expect(field.page.locator(f"#{name}")).to_be_visible()


def assert_right(field: Locator) -> None:
    expect(field).not_to_have_attribute("aria-invalid", "true")
    expect(field.page.locator(f"#{field.get_attribute('id')}-error")).to_be_hidden()


TRAINED = "/?algorithm=bpe&vocabulary=learned-bytes&text=low+lower&size=5"
OWN = "/?algorithm=fmm&vocabulary=own-dictionary&text=研究生命&dictionary=研究"


@pytest.mark.parametrize(
    ("path", "field", "wrong", "right", "message"),
    [
        (TRAINED, "size", "501", "7", "Choose a number from 0 to 500."),
        (TRAINED, "corpus", "x" * 204_801, "low low", "The training text has 204,801 bytes"),
        (OWN, "dictionary", "生命 many", "研究\n生命 3", "Line 1 of the dictionary"),
        ("/?text=low", "text", "x" * 1_048_577, "lower", "The text has 1,048,577 bytes"),
    ],
    ids=["size", "corpus", "dictionary", "text"],
)
def test_a_message_stands_beside_its_field_until_the_next_result(
    open_page: OpenPage, path: str, field: str, wrong: str, right: str, message: str
) -> None:
    page = open_page(path, expected=["status of 4"])
    if field == "corpus":
        page.locator(".corpus summary").click()
    box = page.locator(f"#{field}")
    enter = "(box, value) => { box.value = value; box.dispatchEvent(new Event('input', {bubbles: true})) }"
    box.evaluate(enter, wrong)
    assert_wrong(box, message)
    expect(page.locator("#result .notice[role=alert]")).to_contain_text(message)
    expect(box).to_have_value(wrong)
    box.evaluate(enter, right)
    expect(page.locator("#figures")).to_be_visible()
    assert_right(box)


def test_the_message_about_a_vocabulary_disappears_with_a_good_choice(open_page: OpenPage) -> None:
    page = open_page("/?text=low&vocabulary=klingon", expected=["status of 404"])
    lists = page.locator("select.vocabulary:visible")
    assert_wrong(lists, "There is no vocabulary “klingon”")
    lists.select_option("bpe-characters")
    expect(page.locator("#figures")).to_be_visible()
    expect(page.locator("#vocabulary-error")).to_be_hidden()
    expect(lists).not_to_have_attribute("aria-invalid", "true")


# --- what stands under the tokens


def view(page: Page) -> str | None:
    return page.locator("button[name=view][aria-pressed=true]").get_attribute("value")


def test_a_view_is_chosen_and_kept_while_typing(page: Page) -> None:
    fill(page, "hello")
    assert view(page) == "ids"
    token = page.locator("#tokens > .chunk > *").first
    expect(token).to_have_attribute("data-u", str(shipped_tokenizer("bpe-bytes").ids("hello")[0]))
    button = page.get_by_role("button", name="Bytes", exact=True)
    button.focus()
    page.keyboard.press("Enter")
    expect(token).to_have_attribute("data-u", re.compile("^68"))
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.wait_for_url(re.compile("view=bytes"))
    page.locator("#text").fill("low")
    expect(page.locator("#tokens > .chunk > *").first).to_have_attribute("data-u", "6C 6F 77")
    assert "view=bytes" in page.url
    page.get_by_role("button", name="Tokens", exact=True).click()
    expect(page.locator("#tokens [data-u]")).to_have_count(0)
    page.reload()
    assert view(page) == "tokens"


def test_a_view_survives_a_problem(open_page: OpenPage) -> None:
    page = open_page(f"{TRAINED}&view=bytes", expected=["422"])
    page.locator("#size").fill("501")
    expect(page.locator("#result .notice[role=alert]")).to_be_visible()
    page.locator("#size").fill("0")
    expect(page.locator("#tokens > .chunk > *").first).to_have_attribute("data-u", "6C")


def test_a_view_has_an_address_without_scripts(open_page: OpenPage) -> None:
    page = open_page("/?text=hello", javascript=False)
    page.get_by_role("button", name="Bytes", exact=True).click()
    assert "view=bytes" in page.url
    assert view(page) == "bytes"
    page.get_by_role("button", name="Tokens", exact=True).click()
    assert "view=tokens" in page.url
    expect(page.locator("#text")).to_have_value("hello")


# --- themes


def theme(page: Page) -> str | None:
    return page.locator("html").get_attribute("data-theme")


def choose_theme(page: Page, name: str) -> None:
    page.locator(".themes summary").click()
    page.locator(".themes").get_by_role("button", name=name).click()


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


@pytest.mark.parametrize("text", ["typed", PARAGRAPH * 40], ids=["short", "long"])
def test_the_theme_changes_without_loading_the_page(page: Page, text: str) -> None:
    light = background(page)
    fill(page, text)
    page.evaluate("window.same = true")
    choose_theme(page, "Dark")
    assert theme(page) == "dark"
    assert background(page) != light
    assert page.evaluate("window.same")
    expect(page.locator("#text")).to_have_value(text)
    expect(page.locator(".themes .menu")).to_be_hidden()
    expect(page.locator(".themes summary")).to_be_focused()
    page.goto("/learn")
    assert theme(page) == "dark"
    page.goto("/")
    choose_theme(page, "System")
    assert theme(page) is None
    assert background(page) == light
    page.reload()
    assert theme(page) is None


def test_a_chosen_theme_overrides_that_of_the_system(open_page: OpenPage) -> None:
    page = open_page("/", color_scheme="dark")
    dark = background(page)
    choose_theme(page, "Light")
    assert background(page) != dark
    page.emulate_media(color_scheme="light")
    choose_theme(page, "Dark")
    assert background(page) == dark


@pytest.mark.parametrize("text", ["typed", PARAGRAPH * 40], ids=["short", "long"])
def test_the_theme_changes_without_scripts(open_page: OpenPage, text: str) -> None:
    page = open_page("/", javascript=False)
    page.locator("#text").fill(text)
    page.locator(".composer .btn.go").click()
    choose_theme(page, "Dark")
    assert theme(page) == "dark"
    expect(page.locator("#text")).to_have_value(text)
    page.goto("/compare")
    assert theme(page) == "dark"
    choose_theme(page, "System")
    assert theme(page) is None
    assert page.url.endswith("/compare")


def test_the_menu_of_themes_closes_with_escape(open_page: OpenPage) -> None:
    page = open_page("/", **PHONE)
    page.locator(".themes summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".themes .menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".themes .menu")).to_be_hidden()
    expect(page.locator(".themes summary")).to_be_focused()


# --- the panels

PANELS = [("share", "Share", "#title"), ("export", "Export", "#separator"), ("finder", "Choose a vocabulary", "#find")]


@pytest.mark.parametrize(("panel", "name", "inside"), PANELS, ids=[name for name, _, _ in PANELS])
def test_a_panel_opens_and_closes_by_keyboard(page: Page, panel: str, name: str, inside: str) -> None:
    button = page.get_by_role("button", name=name, exact=True)
    for close in ("Escape", "the button"):
        button.focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"#{panel}")).to_be_visible()
        page.locator(inside).focus()
        if close == "Escape":
            page.keyboard.press("Escape")
        else:
            page.locator(f"#{panel}").get_by_role("button", name="Close").focus()
            page.keyboard.press("Enter")
        expect(page.locator(f"#{panel}")).to_be_hidden()
        expect(button).to_be_focused()


def test_a_press_outside_closes_a_panel(open_page: OpenPage) -> None:
    page = open_page("/", **PHONE)
    page.get_by_role("button", name="Export", exact=True).click()
    expect(page.locator("#export")).to_be_visible()
    page.mouse.click(195, 20)
    expect(page.locator("#export")).to_be_hidden()


def test_a_vocabulary_is_found_and_picked_by_keyboard(page: Page) -> None:
    page.get_by_role("button", name="Choose a vocabulary", exact=True).click()
    expect(page.locator("#choices button[value=jieba]")).to_be_visible()
    assert_accessible(page, part="#finder")
    page.locator("#find").fill("characters")
    expect(page.locator("#choices button[value=jieba]")).to_have_count(0)
    name = page.locator("#choices button").first.get_attribute("value")
    assert name
    page.locator("#find").press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#finder")).to_be_hidden()
    expect(page.locator("select.vocabulary:visible")).to_have_value(name)
    page.wait_for_url(re.compile(f"vocabulary={name}"))


def test_a_search_is_not_overwritten_by_the_list_of_all_vocabularies(page: Page) -> None:
    held: list[Route] = []
    page.route("**/choices*", lambda route: held.append(route), times=1)
    page.get_by_role("button", name="Choose a vocabulary", exact=True).click()
    while not held:
        page.wait_for_timeout(10)
    page.locator("#find").fill("bert-base")
    expect(page.locator("#choices button").first).to_be_visible()
    count = page.locator("#choices button").count()
    held[0].continue_()
    page.wait_for_timeout(300)
    expect(page.locator("#choices button")).to_have_count(count)
    expect(page.locator("#choices button[value=jieba]")).to_have_count(0)


def test_a_panel_stays_open_while_a_slow_result_arrives(page: Page) -> None:
    held: list[Route] = []
    page.route("**/", lambda route: held.append(route), times=1)
    page.locator("#text").fill("arrives later")
    while not held:
        page.wait_for_timeout(10)
    page.get_by_role("button", name="Share", exact=True).click()
    page.locator("#title").fill("A title")
    held[0].continue_()
    expect(page.locator("#tokens")).to_have_text("arrives later")
    expect(page.locator("#share")).to_be_visible()
    expect(page.locator("#title")).to_be_focused()
    expect(page.locator("#title")).to_have_value("A title")
