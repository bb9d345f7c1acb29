"""A long evaluation in a browser: its page follows the run to the end, with and without a script, in two tabs."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage

SECONDS = 60_000  # for a run, in milliseconds: the machine may be busy


@pytest.mark.parametrize("javascript", [True, pytest.param(False, marks=pytest.mark.exhaustive)])
def test_a_run_is_followed_to_its_end(open_page: OpenPage, tmp_path: Path, javascript: bool) -> None:
    gold = tmp_path / "gold.utf8"
    gold.write_text("研究 生命 的 起源\n" * 24_000, "utf-8")
    page = open_page("/evaluate?with=fmm:jieba&with=bmm:jieba", javascript=javascript, expected=["status of 404"])
    page.set_input_files("[name=gold_file]", gold)
    expect(page.locator("[data-names]").first).to_have_text("gold.utf8" if javascript else "Open a gold file")
    page.click("#evaluate button.go")
    page.wait_for_url("**/evaluate/runs/*#figures", timeout=SECONDS)
    address = page.url.removesuffix("#figures")
    expect(page.get_by_role("status").filter(has_text="of all lines are done")).to_be_visible()
    if javascript:
        assert_accessible(page)
    other = page.context.new_page()
    other.goto(address)
    for tab in (page, other):
        expect(tab.locator(".running")).to_have_count(0, timeout=SECONDS)
        expect(tab.locator(".figures-table tbody tr").first).to_contain_text("0.500")
        expect(tab.locator(".error-head")).to_have_count(20)
    page.locator(".seg a").last.click()
    expect(page.locator("#errors")).to_contain_text("All words are those of the gold text.")
    page.get_by_role("button", name="Delete this evaluation").click()
    page.wait_for_url("**/evaluate")
    response = page.goto(address)
    assert response is not None
    assert response.status == 404
