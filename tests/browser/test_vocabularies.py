"""Vocabularies that do not ship, as a visitor uses them: found, fetched, uploaded."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import DESK, PHONE, assert_accessible
from tests.browser.conftest import OpenPage
from tests.core.gguf_files import byte_level, written
from tests.serving import serve
from tests.vocabularies.publisher import Answer, Publisher, publishing
from webapp.core.formats import huggingface
from webapp.core.formats.recognize import recognize
from webapp.vocabularies import hash_of

TEXT = "the lowest low"
FILE = huggingface.write(recognize(b"[UNK]\nthe\nlow\n##est\n").tokenizer).encode()
PATHS = [f"/google-bert/bert-base-{name}/resolve/main/tokenizer.json" for name in ("multilingual-cased", "uncased")]
MISSING = "modernbert"


@pytest.fixture(scope="module")
def publisher() -> Iterator[Publisher]:
    """Serve two vocabularies in place of the hub; the second half of each file is sent when the gate opens."""
    with publishing() as publisher:
        publisher.answers |= {path: Answer(FILE, manner="half") for path in PATHS}
        yield publisher


@pytest.fixture(scope="module")
def site(publisher: Publisher) -> Iterator[str]:
    """Serve the site with this publisher, with nothing fetched yet."""
    limits = {"TOKENSCOPE_MAX_UPLOAD_BYTES": "1000000"}
    with serve(environment={"TOKENSCOPE_HUB": publisher.address, "TOKENSCOPE_PRELOAD": "false", **limits}) as address:
        yield address


def finder_button(page: Page) -> Locator:
    """Return the button that opens the panel with all vocabularies."""
    return page.get_by_role("button", name="Choose a vocabulary", exact=True)


def tokens(page: Page) -> list[str]:
    return page.locator("#tokens > .chunk > *").all_inner_texts()


def test_a_vocabulary_is_found_and_picked_with_the_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page(f"/?text={TEXT}")
    finder_button(page).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("demo unigr")
    expect(page.locator("#choices button").first).to_have_text("Demo: Unigram, 32k")
    page.keyboard.press("Enter")
    expect(page.locator("#choices button").first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("algorithm=unigram"))
    expect(page.locator("#a-unigram")).to_be_checked()
    expect(page.locator("#v-unigram")).to_have_value("unigram")
    expect(page.locator("#finder")).to_be_hidden()
    assert "".join(tokens(page)).strip() == TEXT


def test_a_vocabulary_appears_by_itself_once_fetched(open_page: OpenPage, publisher: Publisher) -> None:
    publisher.gate.clear()
    page = open_page(f"/?text={TEXT}")
    finder_button(page).click()
    page.locator("#find").fill("bert multilingual")
    page.locator("button[value=bert-base-multilingual-cased]").click()
    expect(page.locator("#result .blank")).to_contain_text("Downloading BERT, multilingual, cased from its publisher")
    assert page.locator("#text").input_value() == TEXT
    publisher.gate.set()
    expect(page.locator("#tokens > .chunk > *")).to_have_text(["the", "low", "est", "low"])
    about = page.locator("section", has=page.get_by_role("heading", name="About this tokenizer"))
    expect(about.last).to_contain_text("google-bert/bert-base-multilingual-cased", timeout=30_000)


@pytest.mark.exhaustive
def test_a_vocabulary_is_fetched_without_javascript(open_page: OpenPage, publisher: Publisher) -> None:
    publisher.gate.clear()
    page = open_page(f"/?text={TEXT}", javascript=False)
    finder_button(page).click()
    page.locator("#find").fill("bert uncased")
    page.get_by_role("button", name="Search", exact=True).click()
    page.locator("button[value=bert-base-uncased]").click()
    expect(page.locator("#result .blank")).to_contain_text("This page reloads automatically.")
    publisher.gate.set()
    expect(page.locator("#tokens > .chunk > *")).to_have_text(["the", "low", "est", "low"])


@pytest.mark.exhaustive
def test_a_vocabulary_that_the_publisher_lacks(open_page: OpenPage) -> None:
    page = open_page(f"/?text={TEXT}", expected=["status of 503"])
    before = tokens(page)
    finder_button(page).click()
    page.locator(f"button[value={MISSING}]").click()
    alert = page.locator(".stage [role=alert]")
    expect(alert).to_contain_text("has no such file. Choose another vocabulary, or upload the file. The last result")
    expect(page.locator("#tokens > .chunk > *")).to_have_text(before)  # the last result stays
    assert page.locator("#text").input_value() == TEXT
    assert_accessible(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    alert.evaluate("notice => { notice.dataset.earlier = '' }")
    alert.get_by_role("button", name="Try again").press("Enter")
    expect(page.locator(".stage [role=alert]:not([data-earlier])")).to_be_visible()
    alert.get_by_role("button", name="Upload").press("Enter")
    expect(page.locator("#vocabulary-file")).to_be_visible()
    page.keyboard.press("Escape")
    alert.get_by_role("button", name="Use GPT-4o’s").press("Enter")
    expect(page.locator("#v-bpe")).to_have_value("o200k_base")
    expect(page.locator(".others [aria-current]")).to_contain_text("GPT-4o")
    expect(alert).to_have_count(0)


def test_an_uploaded_file_is_used_at_once(open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(FILE)
    page = open_page(f"/?text={TEXT}")
    finder_button(page).click()
    page.locator("#vocabulary-file").set_input_files(path)
    page.wait_for_url(re.compile(r"vocabulary=upload-[0-9a-f]{16}"))  # the tokens of the page before look alike
    expect(page.locator("#tokens > .chunk > *")).to_have_text(["the", "low", "est", "low"])
    expect(page.locator("#a-wordpiece")).to_be_checked()
    ids = page.locator("#ids").inner_text().split()
    assert [int(id) for id in ids] == list(recognize(FILE).tokenizer.ids(TEXT))
    address = page.url
    page.goto("/?text=again")
    assert page.locator("option[value^=upload]").count() == 1
    assert open_page(address).locator("#tokens > .chunk > *").all_inner_texts() == ["the", "low", "est", "low"]


@pytest.mark.exhaustive
def test_the_text_survives_a_visit_to_a_vocabulary_page(open_page: OpenPage) -> None:
    text = "a text of my own " * 300
    page = open_page()
    page.locator("#text").fill(text)
    expect(page.locator("#text")).to_have_value(text)
    page.get_by_role("link", name="Vocabulary", exact=True).click()
    page.get_by_role("link", name="Use", exact=True).click()
    expect(page.locator("#text")).to_have_value(text)
    expect(page.locator("#tokens")).to_contain_text("a text of my own a text of my own")


def test_the_beginning_of_a_large_model_is_sent(open_page: OpenPage, tmp_path: Path) -> None:
    header = written(byte_level())
    path = tmp_path / "Model-Q4.GGUF"
    with path.open("wb") as file:
        file.write(header)
        file.truncate(3_000_000_000)
    page = open_page(f"/?text={TEXT}")
    finder_button(page).click()
    page.locator("#vocabulary-file").set_input_files(path)
    page.wait_for_url(re.compile(f"upload-{hash_of(header)[:16]}"))
    expect(page.locator("#v-bpe option[selected]")).to_contain_text(f"{path.name} · {hash_of(header)[:8]}")


def test_back_after_an_upload_shows_the_long_text_and_its_result(open_page: OpenPage, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(FILE)
    page = open_page()
    page.locator("#text").fill("low the lowest " * 2000)
    expect(page.locator("#tokens")).to_contain_text("low the lowest low")
    finder_button(page).click()
    page.locator("#vocabulary-file").set_input_files(path)
    page.wait_for_url("**/upload")
    page.go_back()
    page.wait_for_selector("#playground[data-htmx-powered]", state="attached")
    assert page.locator("#text").input_value() == "low the lowest " * 2000
    expect(page.locator("#tokens")).to_contain_text("low the lowest low")
    expect(page.locator("#figures dd").first).to_have_text("30,000")


def test_the_finder_is_accessible(open_page: OpenPage) -> None:
    page = open_page()
    finder_button(page).click()
    expect(page.locator("#find")).to_be_visible()
    for look in (DESK, PHONE):
        assert_accessible(page, look)
