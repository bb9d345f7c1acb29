"""The list of models, and the meter and the added tokens of a result, in a browser."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage


def test_the_search_follows_typing_and_the_page_is_accessible(open_page: OpenPage) -> None:
    page = open_page("/models")
    page.locator("#q").fill("qwen3")
    expect(page.locator("#found")).to_contain_text("2 models of")
    expect(page.locator("#found")).to_contain_text("Qwen3 32B")
    expect(page).to_have_url(re.compile(r"/models\?q=qwen3$"))
    page.locator("#q").fill("claude")
    expect(page.locator("#found")).to_contain_text("is not public")
    assert_accessible(page)


def test_a_model_and_added_tokens_are_applied_to_a_result(open_page: OpenPage, shared: Path) -> None:
    page = open_page("/?text=Tokenizers+rarely+agree")
    path = shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken"
    page.get_by_role("button", name="Choose a vocabulary").click()
    page.locator("#vocabulary-file").set_input_files(path)
    page.wait_for_url("**vocabulary=upload-**")
    expect(page.locator("#meter")).to_have_count(0)
    page.locator("#additions > summary").click()
    page.locator("#model").select_option("gpt-4")
    page.locator("#added").fill("rarely")
    page.locator("#additions-apply").click()
    expect(page.locator("#meter")).to_contain_text("5 of 8,192 used")
    expect(page.locator("#meter")).to_contain_text("$0.00015 as input")
    expect(page.locator("#tokens .v")).to_have_text("rarely")
    expect(page).to_have_url(re.compile("model=gpt-4&added=rarely"))
    page.locator("#text").fill("Tokenizers rarely, rarely agree")
    expect(page.locator("#tokens .v")).to_have_count(2)
    assert_accessible(page)
