"""The tools in a browser, on a phone: a form is answered in place, files are read, and errors are corrected."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage
from webapp.core.text.split_patterns import QWEN

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


def test_an_own_pattern_is_corrected_and_a_known_one_filled_in(open_page: OpenPage) -> None:
    page = open_page("/pretokens?text=pay+12345", expected=["status of 422"])
    page.locator("#pattern").fill(r"\p{L}+|(\d{1,3}")
    page.get_by_role("button", name="Show pre-tokens").click()
    expect(page.locator("#pattern-error")).to_contain_text("not valid at character")
    expect(page.locator("#pattern")).to_have_value(r"\p{L}+|(\d{1,3}")
    page.locator("#text").fill("typed 12345")
    page.get_by_role("button", name="Qwen").click()
    expect(page.locator("#pattern")).to_have_value(QWEN)
    expect(page.locator("#pattern-error")).to_be_hidden()
    expect(page.locator("#text")).to_have_value("typed 12345")
    expect(page.locator(".split-rows > li")).to_have_count(2)
    page.get_by_role("button", name="Tokens", exact=True).click()
    expect(page.get_by_role("button", name="Tokens", exact=True)).to_have_attribute("aria-pressed", "true")
    assert "under=tokens" in page.url


def test_errors_of_an_evaluation_are_filtered_and_leafed_through(open_page: OpenPage) -> None:
    page = open_page("/evaluate?with=fmm:jieba&with=bmm:jieba", width=390)
    page.wait_for_selector("[data-htmx-powered]")
    first = page.locator(".error-head").first.inner_text()
    page.click(".pager [rel=next]")
    page.wait_for_url("**page=2**")
    page.wait_for_function("first => document.querySelector('.error-head').innerText !== first", arg=first)
    page.click(".groups a:nth-of-type(2)")
    page.wait_for_url("**kind=overlap**")
    page.wait_for_selector(".groups a:nth-of-type(2)[aria-current]")
    assert len(set(page.locator(".error-head .tag").all_inner_texts())) == 1


def test_a_model_and_added_tokens_are_applied_to_a_result(open_page: OpenPage, shared: Path) -> None:
    page = open_page("/?text=Tokenizers+rarely+agree")
    page.get_by_role("button", name="Choose a vocabulary").click()
    page.locator("#vocabulary-file").set_input_files(shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken")
    page.wait_for_url("**vocabulary=upload-**")
    expect(page.locator("#meter")).to_have_count(0)
    page.locator("#additions > summary").click()
    page.locator("#model").select_option("gpt-4")
    page.locator("#added").fill("rarely")
    page.locator("#additions-apply").click()
    expect(page.locator("#meter")).to_contain_text("5 of 8,192 used")
    expect(page.locator("#tokens .v")).to_have_text("rarely")
    expect(page).to_have_url(re.compile("model=gpt-4&added=rarely"))
    assert_accessible(page)


def test_a_link_opens_what_decoding_changes(open_page: OpenPage) -> None:
    page = open_page("/?algorithm=wordpiece&lowercase=1&text=Café+É#round-trip")
    rows = page.locator("#round-trip .round-trip > li")
    expect(rows.filter(has_text="LATIN SMALL LETTER E WITH ACUTE")).to_contain_text("accents are removed")
    expect(page.locator("#round-trip")).to_be_in_viewport()
    page.get_by_text("Through 2 stages").click()
    expect(page.locator("#round-trip details[open] li")).to_have_count(2)


def test_the_names_of_the_algorithms_fit_into_the_picker(open_page: OpenPage) -> None:
    for language in ("en", "zh"):
        page = open_page(f"/?lang={language}", width=390)
        overflowing = page.eval_on_selector_all(
            ".seg.rows label",
            "all => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText)",
        )
        assert overflowing == []
