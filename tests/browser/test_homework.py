"""Homework in a browser: a student hands in with a wrong rule, comes back, and sends a report; the teacher reads it."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage

WRONG = "s t\ne st\nl ow\no w\nw est\nn e"


@pytest.mark.parametrize("javascript", [True, False])
def test_a_sheet_is_handed_in_and_its_reports_are_checked(
    open_page: OpenPage, tmp_path: Path, javascript: bool
) -> None:
    teacher = open_page("/homework/sheet?task=cs336-bpe-example&task=hf-unhug", width=390, javascript=javascript)
    teacher.fill("#title", "Week 3")
    teacher.press("#title", "Enter")
    expect(teacher.locator(".picked > li")).to_have_count(2)
    teacher.click("text=Create link")
    sheet = teacher.get_attribute("#link", "href")
    assert sheet
    student = open_page(sheet, width=390, javascript=javascript, expected=["status of 422"])
    student.click("text=bpe_example")
    if javascript:
        student.wait_for_selector("#handin[data-htmx-powered]")
        student.evaluate("window.same = true")
    student.fill("#answer", "est")
    student.click("#check")
    expect(student.locator("#answer-error:visible")).to_contain_text("Line 1 is not a merge")
    student.fill("#answer", WRONG)
    student.check("[name=predicted][value=right]")
    student.click("#check")
    expect(student.locator("#verdict")).to_contain_text("3 is the first of 6 merges that differs")
    expect(student.locator("#answer-error:visible")).to_have_count(0)
    assert student.evaluate("document.documentElement.scrollWidth") <= 390
    if javascript:
        assert student.evaluate("[window.same, document.activeElement.id]") == [True, "verdict"]
    student.click("text=Show hint 1")
    expect(student.locator(".hints .open")).to_have_count(1)
    expect(student.locator("#verdict")).to_be_visible()
    if javascript:  # the record is in the browser
        student.goto(sheet)
        expect(student.locator(".exercises .st").first).to_have_class("st wrong")
        student.click("text=bpe_example")
        expect(student.locator(".hints .open")).to_have_count(1)
        expect(student.locator("#hints")).to_contain_text("1 try so far")
    student.click("text=My report")
    expect(student.locator(".reports")).to_contain_text("merge 3")
    student.fill("#student", "Ada")
    with student.expect_download() as download:
        student.click("text=Download the report")
    report, forged = tmp_path / "ada.json", tmp_path / "forged.json"
    download.value.save_as(report)
    document = json.loads(report.read_text(encoding="utf-8"))
    document["report"]["works"][0]["tries"][0]["outcome"] = "right"
    forged.write_text(json.dumps(document), encoding="utf-8")
    teacher.click("text=Check reports of this sheet")
    teacher.set_input_files("#files", [report, forged])
    teacher.click(".go")
    expect(teacher.locator(".reports tbody tr")).to_have_count(2)
    expect(teacher.locator(".reports tbody tr").first).to_contain_text("merge 3 · 1 try")
    expect(teacher.locator(".tag.broken")).to_contain_text("edited after signing")
    assert teacher.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_busy_site_takes_neither_the_answer_nor_the_progress(open_page: OpenPage) -> None:
    page = open_page("/homework?exercise=cs336-bpe-example", expected=["status of 503"])
    page.wait_for_selector("#handin[data-htmx-powered]")
    page.fill("#answer", WRONG)
    page.click("#check")
    expect(page.locator("#hints")).to_contain_text("1 try so far")
    busy = '<div class="notice" role="alert"><p>busy</p></div>'
    page.route("**/homework?exercise=*", lambda route: route.fulfill(status=503, content_type="text/html", body=busy))
    page.click("#check")
    expect(page.locator("#result")).to_have_text("busy")
    assert page.input_value("#answer") == WRONG
    page.unroute("**/homework?exercise=*")
    page.click("#check")
    expect(page.locator("#hints")).to_contain_text("2 tries so far")
