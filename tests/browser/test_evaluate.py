"""Evaluating segmentations in a browser, with JavaScript and without."""

from pathlib import Path

from tests.browser.conftest import OpenPage

GOLD = "研究 生命 的 起源\n结婚 的 和 尚未 结婚 的\n"
TWO = "/evaluate?with=fmm:jieba&with=bmm:jieba"


def test_errors_are_filtered_and_leafed_through(open_page: OpenPage) -> None:
    page = open_page(TWO, width=390)
    page.wait_for_selector("[data-htmx-powered]")
    first = page.locator(".error-head").first.inner_text()
    page.click(".pager [rel=next]")
    page.wait_for_url("**page=2**")
    page.wait_for_function("first => document.querySelector('.error-head').innerText !== first", arg=first)
    page.click(".groups a:nth-of-type(2)")
    page.wait_for_url("**kind=overlap**")
    page.wait_for_selector(".groups a:nth-of-type(2)[aria-current]")
    kinds = set(page.locator(".error-head .tag").all_inner_texts())
    assert len(kinds) == 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_gold_file_is_scored_and_its_result_gets_a_link(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(TWO)
    file = tmp_path / "gold.utf8"
    file.write_text(GOLD * 40, encoding="utf-8")
    page.set_input_files("[name=gold_file]", file)
    page.select_option("#keep", "365")
    page.click("button.go")
    page.wait_for_selector(".stored-link a")
    address = page.locator(".stored-link a").first.get_attribute("href")
    page.click(".stored-link a >> nth=0")
    page.wait_for_url(f"**{address}")
    assert page.locator(".figures-table tbody tr").count() == 2
    assert "研究" in page.locator(".error-head").first.inner_text()
