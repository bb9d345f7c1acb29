"""The listing of an algorithm in a browser: opened, copied, scrolled, and readable in light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import OpenPage
from webapp.core.algorithms import ALGORITHMS
from webapp.pages.learn.lessons import LESSONS
from webapp.pages.training.trainings import TRAININGS
from webapp.rendering.source_listing import source_listing

LESSON_OF = {lesson.slug: lesson for lesson in LESSONS}
PATHS = {
    "/steps/bpe": source_listing(*ALGORITHMS["bpe"].reference),
    "/steps/training/wordpiece": source_listing(*TRAININGS["wordpiece"].reference),
    "/learn/unigram": source_listing(*LESSON_OF["unigram"].reference),
}


@pytest.mark.parametrize("path", PATHS)
def test_the_code_is_copied_as_it_stands_in_the_file(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    assert not page.is_visible("#source")
    page.click(".whole-algorithm summary")
    page.click(".whole-algorithm button")
    page.wait_for_selector("#source-copied:text-is('Copied')", state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == PATHS[path].text


def test_without_javascript_the_code_is_there_and_no_button(open_page: OpenPage) -> None:
    page = open_page("/steps/fmm", javascript=False)
    page.click(".whole-algorithm summary")
    assert page.is_visible("#source")
    assert not page.is_visible(".whole-algorithm button")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_an_open_listing_is_accessible_and_fits(open_page: OpenPage, path: str, scheme: str, width: int) -> None:
    page = open_page(path, color_scheme=scheme, width=width)
    page.click(".whole-algorithm summary")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
