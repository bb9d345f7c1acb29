"""The course, the comparison of languages and the chart of frequencies in a browser."""

from urllib.parse import quote

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
    page.reload()
    assert page.input_value("#text-best") == "unbelievable"
    assert "10" in page.inner_text("#path nav")


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
