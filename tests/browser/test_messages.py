"""The page of messages in a browser."""

from playwright.sync_api import Page

from tests.browser.conftest import OpenPage


def opened(open_page: OpenPage, width: int = 1280) -> Page:
    page = open_page("/messages", width=width)
    page.wait_for_selector("#messages[data-htmx-powered]")
    return page


def contents(page: Page) -> list[str]:
    return [box.input_value() for box in page.locator("textarea[name=content]").all()]


def test_a_conversation_is_edited_and_counted(open_page: OpenPage) -> None:
    page = opened(open_page, width=390)
    before = contents(page)
    page.click("#down-1")
    page.wait_for_function("text => document.querySelector('#content-2').value === text", arg=before[0])
    assert contents(page) == [before[1], before[0], *before[2:]]
    page.click("#remove-1")
    page.wait_for_function("() => document.querySelectorAll('.turn').length === 3")
    page.click("#add")
    page.wait_for_selector("#content-4")
    page.fill("#content-4", "One more.")
    page.click("#count")
    page.wait_for_function("() => document.querySelector('#content-4').defaultValue === 'One more.'")
    assert contents(page) == [before[0], *before[2:], "One more."]
    total = int(page.inner_text(".count b"))
    own = [int(page.inner_text(f"#count-{number}").split("\n")[0]) for number in (1, 2, 3, 4)]
    assert 0 < total - sum(own) < 10  # the reply prompt
    page.click("#show-template")
    page.wait_for_selector(".prompt")
    assert "One more." in page.inner_text(".prompt")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_keyboard_moves_messages_and_counts(open_page: OpenPage) -> None:
    page = opened(open_page)
    first = contents(page)[0]
    page.focus("#down-1")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'down-2'")
    assert contents(page)[1] == first
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'down-3'")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'up-4'")  # the last one cannot go further
    page.focus("#remove-4")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.id === 'remove-3'")
    page.focus("#content-3")
    page.keyboard.press("End")
    page.keyboard.type(" And more.")
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "() => document.activeElement.id === 'content-3' && document.activeElement.defaultValue.endsWith('And more.')"
    )
    assert "tokens" in page.inner_text("#status")


def test_the_link_is_copied(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.click("#add")
    page.wait_for_selector("#content-5")
    page.click("#copy-link")
    page.wait_for_selector("#copy-link.copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url
    assert "messages=" in copied
