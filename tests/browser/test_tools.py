"""The tools in a browser, on a phone: a form is answered in place, files are read, and errors are corrected."""

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage

RAIN = "It rains. Take an umbrella! 下雨了。带伞吧！ " * 6


@pytest.mark.parametrize(
    ("path", "typed", "result", "content", "address"),
    [
        ("/decode", {"#ids": "[83, 674,\n 32, 0xF0, 159, 145, 141]"}, ".decoded", "Sure 👍", "ids=%5B83"),
        ("/split", {"#text": RAIN, "[name=tokens]": "12"}, ".parts li:nth-child(12)", "", "tokens=12"),
        ("/ambiguity", {"#text": "研究生命科学"}, ".places > li >> nth=0", "研究生 × 生命", "text="),
        ("/measures", {"#text": "unbreakable 研究生命"}, ".measures-table", "", "text=unbreakable"),
        ("/pretokens", {"#text": "a 12345"}, '[aria-label="Pre-tokens"] > i >> nth=1', "12345", "text=a"),
    ],
)
def test_a_form_is_answered_in_place(
    open_page: OpenPage, path: str, typed: dict[str, str], result: str, content: str, address: str
) -> None:
    page = open_page(path, width=390)
    page.wait_for_selector("#tool[data-htmx-powered]")
    page.evaluate("window.same = true")
    for field, value in typed.items():
        page.fill(field, value)
    page.click("button.go")
    page.wait_for_url(re.compile(re.escape(address)))
    expect(page.locator(result)).to_contain_text(content)
    assert page.evaluate("window.same")
    for field, value in typed.items():
        assert page.input_value(field) == value
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_file_is_split_and_its_parts_are_downloaded(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/split", expected=["status of 422"])
    page.wait_for_selector("#tool[data-htmx-powered]")
    good, bad = tmp_path / "rain.txt", tmp_path / "bad.txt"
    good.write_text(RAIN, encoding="utf-8")
    bad.write_bytes(b"low\xff")
    page.fill("[name=tokens]", "12")
    page.set_input_files("#file", bad)
    expect(page.locator("#text-error:visible")).to_contain_text("“bad.txt” is not UTF-8: the byte at offset 3 (0xFF)")
    expect(page.locator("#text")).to_have_attribute("aria-invalid", "true")
    page.set_input_files("#file", good)
    page.wait_for_selector(".parts li:nth-child(12)")
    expect(page.locator("#text-error:visible")).to_have_count(0)
    assert page.input_value("#text") == RAIN
    with page.expect_download() as download:
        page.click("text=Text files")
    with zipfile.ZipFile(download.value.path()) as file:
        assert len(file.namelist()) == 12


def test_a_link_opens_what_decoding_changes(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=wordpiece&lowercase=1&text=Café+É#round-trip")
    rows = page.locator("#round-trip .round-trip > li")
    expect(rows.filter(has_text="LATIN SMALL LETTER E WITH ACUTE")).to_contain_text("accents are removed")
    expect(page.locator("#round-trip")).to_be_in_viewport()


def test_the_names_of_the_algorithms_fit_into_the_picker(open_page: OpenPage) -> None:
    for language in ("en", "zh"):
        page = open_page(f"/?lang={language}", width=390)
        overflowing = page.eval_on_selector_all(
            ".seg.rows label",
            "all => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText)",
        )
        assert overflowing == []
