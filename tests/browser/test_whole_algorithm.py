"""The reference listing of an algorithm in a browser: opened, copied, scrolled, readable in light and dark."""

from __future__ import annotations

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage
from webapp.core.algorithms import ALGORITHMS
from webapp.rendering.source_listing import source_listing


def test_the_code_is_copied_exactly_as_in_the_file(open_page: OpenPage) -> None:
    page = open_page("/steps/bpe")
    assert not page.is_visible("#source")
    page.click(".whole-algorithm summary")
    page.click(".whole-algorithm button")
    page.wait_for_selector("#source-copied:text-is('Copied')", state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == source_listing(*ALGORITHMS["bpe"].reference).text
    assert_accessible(page)


def test_without_javascript_the_code_is_shown_without_a_copy_button(open_page: OpenPage) -> None:
    page = open_page("/steps/fmm", javascript=False)
    page.click(".whole-algorithm summary")
    assert page.is_visible("#source")
    assert not page.is_visible(".whole-algorithm button")
