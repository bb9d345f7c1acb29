"""What editing sends and shows in a real Chromium: the pauses, files, messages beside fields, views and themes."""

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.test_playground import fill
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


CHOICES = (
    "document.querySelector('label[for=a-unigram]').click()",
    "const list = document.getElementById('v-bpe'); list.value = 'bpe-characters'; "
    "list.dispatchEvent(new Event('input', {bubbles: true}))",
    "document.getElementById('show').click()",
    "document.querySelector('button[name=view][value=bytes]').click()",
    "document.querySelector('[data-algorithm=unigram]').click()",
    "document.querySelector('a.example').click()",
)


def test_a_paste_and_a_choice_are_sent_at_once_and_typing_waits_for_a_pause(page: Page) -> None:
    for kind in ("insertText", "insertCompositionText", "insertLineBreak", "deleteContentBackward"):
        assert not sent_at_once(page, INPUT % kind), kind
    expect(page.locator("#tokens")).to_contain_text("xxxx")
    for kind in ("insertFromPaste", "insertFromDrop", "historyUndo", "insertReplacementText"):
        assert sent_at_once(page, INPUT % kind), kind
    for change in CHOICES:
        assert sent_at_once(page, change), change


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


def test_a_file_over_the_limit_is_refused_before_it_is_read(page: Page) -> None:
    fill(page, "kept")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    drop(page, 1_048_577)
    assert_wrong(page.locator("#text"), "“big.txt” has 1,048,577 bytes; the limit is 1,048,576.")
    expect(page.locator("#text")).to_have_value("kept")
    assert not sent
    page.locator("#text").press("End")
    page.keyboard.type(" on")
    expect(page.locator("#tokens")).to_have_text("kept on")
    assert_right(page.locator("#text"))
    drop(page, 1_048_577)
    expect(page.locator("#text-error")).to_be_visible()
    drop(page, 3, "small.txt")
    expect(page.locator("#text")).to_have_value("xxx")
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
        (OWN, "dictionary", "生命 many", "研究\n生命 often", "Line 1 of the dictionary"),
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
    if field == "dictionary":
        expect(page.locator("#dictionary-skipped")).to_contain_text(
            "Line 2: the frequency 'often' is not a whole number"
        )


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


# --- themes


def theme(page: Page) -> str | None:
    return page.locator("html").get_attribute("data-theme")


def choose_theme(page: Page, name: str) -> None:
    page.locator(".themes summary").click()
    page.locator(".themes").get_by_role("button", name=name).click()


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


def test_the_theme_changes_without_loading_the_page(page: Page) -> None:
    light = background(page)
    fill(page, "typed")
    page.evaluate("window.same = true")
    choose_theme(page, "Dark")
    assert theme(page) == "dark"
    assert background(page) != light
    assert page.evaluate("window.same")
    expect(page.locator("#text")).to_have_value("typed")
    expect(page.locator(".themes .menu")).to_be_hidden()
    expect(page.locator(".themes summary")).to_be_focused()
    page.goto("/")
    choose_theme(page, "System")
    assert theme(page) is None
    assert background(page) == light


# --- the panels

PANELS = [("share", "Share", "#title"), ("export", "Export", "#separator"), ("finder", "Choose a vocabulary", "#find")]


def test_a_panel_opens_and_closes_by_keyboard(page: Page) -> None:
    for panel, name, inside in PANELS:
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
