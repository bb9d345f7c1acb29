"""The course, the comparison of languages and the chart of frequencies in a browser."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.browser.conftest import OpenPage


def test_an_example_updates_while_typing(open_page: OpenPage) -> None:
    page = open_page("/learn/dictionary", width=390)
    page.wait_for_selector("form[data-htmx-powered]")
    page.fill("#text-forward", "生命科学研究")
    page.wait_for_selector("#tokens-forward i:first-child:text-is('生命')")
    assert page.locator("#tokens-forward i").all_inner_texts() == ["生命", "科学", "研究"]
    assert page.inner_text("#count-forward b") == "3"
    assert "forward=" in page.url
    assert quote("生命科学研究") in (page.get_attribute("#links-forward a", "href") or "")
    page.reload()
    assert page.input_value("#text-forward") == "生命科学研究"
    assert page.locator("#tokens-backward i").count() == 3  # the others are unchanged


def test_a_segmentation_is_scored(open_page: OpenPage) -> None:
    page = open_page("/learn/evaluation?lang=en")
    page.wait_for_selector("form[data-htmx-powered]")
    assert "3/5 = 0.600" in page.inner_text("#facts-name")
    page.fill("#text-name", "方成功 考上 了 北大")
    page.wait_for_selector("#facts-name :text('4/4 = 1.000')")
    assert page.locator("#tokens-name i.u").count() == 0
    assert "3/4 = 0.750" in page.inner_text("#facts-horse")  # the other example is unchanged


def test_the_steps_of_a_figure_keep_the_focus_and_the_edited_examples(open_page: OpenPage) -> None:
    page = open_page("/learn/unigram")
    page.wait_for_selector("form[data-htmx-powered]")
    page.fill("#text-best", "unbelievable")
    page.wait_for_url("**best=unbelievable*")
    previous = page.locator("#path [rel=prev]")
    assert "11" in page.inner_text("#path nav")
    previous.press("Enter")
    page.wait_for_url("**path=10*")
    assert "best=unbelievable" in page.url
    assert page.evaluate("document.activeElement.rel") == "prev"
    previous.press("Enter")
    page.wait_for_url("**path=9*")
    assert page.inner_text("#path nav").count("9") == 1
    page.reload()
    assert page.input_value("#text-best") == "unbelievable"
    assert "9" in page.inner_text("#path nav")


def test_a_question_is_answered_without_javascript(open_page: OpenPage) -> None:
    page = open_page("/learn/dictionary", javascript=False)
    question = page.locator(".ask").first
    question.locator(".choice").nth(0).click()
    assert question.locator("input").nth(0).is_checked()
    assert not question.locator(".answer p").is_visible()
    assert question.locator(".choice .icon").evaluate("one => getComputedStyle(one).visibility") == "hidden"
    question.locator("summary").click()
    assert question.locator(".answer p").is_visible()
    assert question.locator(".choice .icon").evaluate("one => getComputedStyle(one).visibility") == "visible"


def test_examples_and_figures_work_without_javascript(open_page: OpenPage) -> None:
    page = open_page("/learn/dictionary", javascript=False)
    page.fill("#text-forward", "生命")
    page.click("#example-forward button")
    assert page.url.endswith("#example-forward")
    page.fill("#text-backward", "科学")
    page.press("#text-backward", "Enter")
    page.click("#window [rel=next]")
    assert page.url.endswith("window=2#window")
    assert page.input_value("#text-forward") == "生命"
    assert page.input_value("#text-backward") == "科学"


@pytest.mark.parametrize("width", [390, 1280])
def test_a_lesson_fits_the_screen_and_its_contents_are_reachable(open_page: OpenPage, width: int) -> None:
    page = open_page("/learn/ngram", width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    prose, contents = page.locator(".prose").bounding_box(), page.locator(".toc").bounding_box()
    assert prose is not None
    assert contents is not None
    assert prose["width"] <= 42 * 16
    if width > 61 * 16:
        assert contents["x"] + contents["width"] < prose["x"]
    else:
        assert contents["y"] > prose["y"] + prose["height"]


def test_languages_can_be_compared_by_another_measure(open_page: OpenPage) -> None:
    page = open_page("/languages", width=390)
    page.wait_for_selector("form[data-htmx-powered]")
    page.click("label[for=measure-bytes]")
    page.wait_for_url("**/languages?measure=bytes")
    page.click(".numbers-table thead th:nth-child(3) a")
    page.wait_for_url("**/languages?measure=bytes&sort=o200k_base&order=down")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
