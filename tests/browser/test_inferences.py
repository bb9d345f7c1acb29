"""How a vocabulary is applied, in a browser: fields appear where they apply, with and without JavaScript."""

from urllib.parse import parse_qs, quote, urlsplit

from playwright.sync_api import expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage

TEXT = "Unbelievably, antidisestablishmentarianism isn't trivial."


def test_fields_appear_where_they_apply_and_the_result_says_what_it_is(open_page: OpenPage) -> None:
    page = open_page(f"/?algorithm=bpe&text={quote(TEXT)}")
    page.wait_for_selector("#playground[data-htmx-powered]", state="attached")
    page.click(".settings summary")
    expect(page.locator("[name=dropout]")).to_be_hidden()
    page.select_option("#inference", "dropout")
    expect(page.locator("[name=dropout]")).to_be_visible()
    expect(page.locator("[name=seed]")).to_be_visible()
    expect(page.locator("[name=alpha]")).to_be_hidden()
    page.fill("[name=dropout]", "0.5")
    page.click("button.go")
    note = page.locator(".inference[role=note]")
    expect(note).to_contain_text("not the vocabulary’s own rule")
    expect(note).to_contain_text("probability 0.5, seed 0")
    assert_accessible(page)
    note.get_by_role("link", name="Next sample").click()
    expect(note).to_contain_text("seed 1")
    assert parse_qs(urlsplit(page.url).query)["seed"] == ["1"]
    note.get_by_role("link", name="Own rule").click()
    expect(note).to_have_count(0)
    page.click("label[for=a-unigram]")
    page.click(".settings summary")
    page.select_option("#inference", "sample")
    expect(page.locator("[name=alpha]")).to_be_visible()
    expect(page.locator("[name=dropout]")).to_be_hidden()


def test_three_inferences_of_one_vocabulary_are_compared(open_page: OpenPage) -> None:
    rows = "&".join(f"with=bpe:bpe-bytes{way}" for way in ("", ":longest", ":fewest"))
    page = open_page(f"/compare?{rows}&text={quote(TEXT)}", width=390)
    page.wait_for_selector("#compare[data-htmx-powered]", state="attached")
    for name in "Own rule", "Longest match", "Fewest tokens":
        expect(page.locator("#result").get_by_text(name, exact=True).first).to_be_visible()
    page.click("#change-1 summary")
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.select_option("#by-1", "dropout")
    expect(page.locator("#row-1")).to_contain_text("BPE-dropout")
    assert parse_qs(urlsplit(page.url).query)["with"][0] == "bpe:bpe-bytes:dropout"
    page.keyboard.press("Escape")
    assert_accessible(page)
