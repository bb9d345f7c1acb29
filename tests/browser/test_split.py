"""Splitting a text in a browser, with JavaScript and without."""

import zipfile
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import OpenPage

TEXT = "It rains. Take an umbrella! 下雨了。带伞吧！ " * 6


def test_a_text_is_split_and_downloaded(open_page: OpenPage) -> None:
    page = open_page("/split", width=390)
    page.wait_for_selector("#tool[data-htmx-powered]")
    page.fill("#text", TEXT)
    page.fill("[name=tokens]", "12")
    page.click("button.go")
    page.wait_for_selector(".parts li:nth-child(12)")
    assert page.locator(".parts li").count() == 12
    assert "tokens=12" in page.url
    assert page.input_value("#text") == TEXT
    with page.expect_download() as download:
        page.click("text=Text files")
    with zipfile.ZipFile(download.value.path()) as file:
        assert len(file.namelist()) == 12
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_file_is_split(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/split", expected=["status of 422"])
    page.wait_for_selector("#tool[data-htmx-powered]")
    good, bad = tmp_path / "rain.txt", tmp_path / "bad.txt"
    good.write_text(TEXT, encoding="utf-8")
    bad.write_bytes(b"low\xff")
    page.fill("[name=tokens]", "12")
    for file in (bad, good):
        page.set_input_files("#file", file)
        if file is bad:
            told = "“bad.txt” is not UTF-8: the byte at offset 3 (0xFF)"
            expect(page.locator("#text-error:visible")).to_contain_text(told)
            expect(page.locator("#text")).to_have_attribute("aria-invalid", "true")
    page.wait_for_selector(".parts li:nth-child(12)")
    expect(page.locator("#text-error:visible")).to_have_count(0)
    assert page.input_value("#text") == TEXT
    assert "tokens=12" in page.url
