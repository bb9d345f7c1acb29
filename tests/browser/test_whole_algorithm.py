"""The reference listing of an algorithm in a browser: opened, copied, scrolled, readable in light and dark."""

from __future__ import annotations

import pytest

from tests.browser.axe import assert_accessible
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
def test_the_code_is_copied_exactly_as_in_the_file(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    assert not page.is_visible("#source")
    page.click(".whole-algorithm summary")
    page.click(".whole-algorithm button")
    page.wait_for_selector("#source-copied:text-is('Copied')", state="attached")
    assert page.evaluate("navigator.clipboard.readText()") == PATHS[path].text


def test_without_javascript_the_code_is_shown_without_a_copy_button(open_page: OpenPage) -> None:
    page = open_page("/steps/fmm", javascript=False)
    page.click(".whole-algorithm summary")
    assert page.is_visible("#source")
    assert not page.is_visible(".whole-algorithm button")


@pytest.mark.parametrize(
    "path",
    ["/steps/bpe", *(pytest.param(path, marks=pytest.mark.exhaustive) for path in PATHS if path != "/steps/bpe")],
)
def test_an_open_listing_is_accessible_and_fits(open_page: OpenPage, path: str) -> None:
    page = open_page(path)
    page.click(".whole-algorithm summary")
    assert_accessible(page)
