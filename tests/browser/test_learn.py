"""The course, the comparison of languages and the chart of frequencies in a browser."""

from __future__ import annotations

import pytest

from tests.browser.conftest import OpenPage


def test_an_example_updates_while_typing(open_page: OpenPage) -> None:
    page = open_page("/learn/dictionary", width=390)
    page.wait_for_selector("form[data-htmx-powered]")
    page.fill("#text-forward", "生命科学研究")
    page.wait_for_selector("#tokens-forward i:first-child:text-is('生命')")
    assert page.locator("#tokens-forward i").all_inner_texts() == ["生命", "科学", "研究"]
    assert "forward=" in page.url
    page.reload()
    assert page.input_value("#text-forward") == "生命科学研究"
    assert page.locator("#tokens-backward i").count() == 3  # the others are unchanged


def test_an_example_can_be_changed_without_javascript(open_page: OpenPage) -> None:
    page = open_page("/learn/dictionary", javascript=False)
    page.fill("#text-forward", "生命")
    page.click("#example-forward button")
    assert page.url.endswith("#example-forward")
    page.fill("#text-backward", "科学")
    page.click("#example-backward button")
    assert page.input_value("#text-forward") == "生命"
    assert page.input_value("#text-backward") == "科学"


@pytest.mark.parametrize("javascript", [True, False])
def test_languages_can_be_compared_by_another_measure(open_page: OpenPage, javascript: bool) -> None:
    page = open_page("/languages", javascript=javascript, width=390)
    if javascript:
        page.wait_for_selector("form[data-htmx-powered]")
    page.check("[name=measure][value=bytes]")
    if not javascript:
        page.click("#languages button")
    page.wait_for_url("**/languages?measure=bytes")
    page.click(".numbers-table thead th:nth-child(3) a")
    page.wait_for_url("**/languages?measure=bytes&sort=bpe-bytes&order=down")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("javascript", [True, False])
def test_a_passage_too_long_for_an_address_can_be_sorted(open_page: OpenPage, javascript: bool) -> None:
    page = open_page("/languages", javascript=javascript)
    if javascript:
        page.wait_for_selector("form[data-htmx-powered]")
    page.click(".own summary")
    page.fill("[name=own]", "长" * 1_900)
    page.click("#languages button") if not javascript else page.locator("[name=own]").blur()
    for again in range(2):  # descending, then ascending
        page.click(".numbers-table thead th:nth-child(3) button")
        page.wait_for_selector(f"th[aria-sort={'ascending' if again else 'descending'}]")
    assert page.input_value("[name=own]") == "长" * 1_900
    assert page.locator(".numbers-table tbody tr", has_text="长长长").count() == 1
