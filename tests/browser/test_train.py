"""Training in a browser: a corpus is uploaded, a worker trains, and the page follows it to the end."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import assert_accessible
from tests.browser.conftest import OpenPage
from tests.jobs.running import tangled
from tests.serving import ROOT, serve

SECONDS = 60_000  # for a training, in milliseconds: the machine may be busy


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """Serve the site with a worker, which does not wait until nothing else runs."""
    own = {"TOKENSCOPE_WORKER": "true", "TOKENSCOPE_TRAIN_GENTLY": "false", "TOKENSCOPE_PRELOAD": "false"}
    with serve(environment=own) as address:
        yield address


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write some sources of this project into a file: 10 kB of text."""
    path = tmp_path_factory.mktemp("corpus") / "sources.txt"
    sources = "".join(source.read_text("utf-8") for source in sorted(ROOT.glob("webapp/core/**/*.py")))
    path.write_text(sources[:10_000], "utf-8")
    return path


def upload(page: Page, file: Path) -> None:
    """Choose a file, send it, and wait for the choices."""
    page.set_input_files("#files", file)
    page.click("#continue")
    page.wait_for_url("**/train?corpus=*")
    expect(page.locator("#plan")).to_be_visible()


def test_a_file_becomes_a_vocabulary(open_page: OpenPage, corpus: Path, tmp_path: Path) -> None:
    page = open_page("/train", expected=["status of 422"])
    assert_accessible(page)
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"low\xff")
    page.fill("#text", "stays")
    page.set_input_files("#files", bad)
    expect(page.locator("#chosen")).to_contain_text("bad.txt")
    page.click("#continue")
    expect(page.locator("#files-error")).to_contain_text("not valid UTF-8 at byte 3")
    assert page.input_value("#text") == "stays"
    upload(page, corpus)
    expect(page.locator(".corpus-files")).to_contain_text("sources.txt")

    page.check("[name=trainer][value=unigram]")
    expect(page.locator("[name=keep]")).to_be_attached()
    page.check("[name=trainer][value=bpe-bytes]")
    expect(page.locator("[name=keep]")).not_to_be_attached()
    expect(page.locator("#pattern")).to_be_hidden()
    page.select_option("#split", "own")
    expect(page.locator("#pattern")).to_be_visible()
    page.select_option("#split", "default")
    page.fill("#size", "500")
    assert_accessible(page)
    page.click("button:has-text('Train')")

    page.wait_for_url(re.compile(r"/train/[\w-]{22}$"))
    expect(page).to_have_title(re.compile(r"^(\d+%|Finished) · sources.txt"), timeout=SECONDS)
    expect(page).to_have_title("Finished · sources.txt · Tokenscope", timeout=SECONDS)
    expect(page.locator(".count b")).to_have_text("500")
    expect(page.locator("#announcement")).to_have_text("The training has finished.")
    expect(page.locator(".compared [aria-current]")).to_contain_text("500, sources.txt")
    assert page.locator("#job").get_attribute("hx-trigger") is None
    assert_accessible(page)
    page.click("text=Use it")
    expect(page.locator("#playground")).to_be_attached()
    assert "vocabulary=upload-" in page.url


@pytest.mark.exhaustive
def test_a_running_training_is_cancelled(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/train", width=390)
    slow = tmp_path / "tangled.txt"
    slow.write_text(tangled(5_000_000), "utf-8")
    upload(page, slow)
    page.fill("#size", "9999")
    page.click("button:has-text('Train')")
    expect(page).to_have_title(re.compile(r"^\d+% · tangled.txt"), timeout=SECONDS)
    page.focus("#cancel")
    expect(page.locator(".stages .now")).to_be_visible(timeout=SECONDS)
    page.wait_for_event("response")
    expect(page.locator("#cancel")).to_be_focused()
    assert_accessible(page)
    page.keyboard.press("Enter")
    expect(page.get_by_text("Its corpus is kept for a day")).to_be_visible()
    expect(page).to_have_title(re.compile(r"^Cancelled · "))
    expect(page.locator("#cancel")).not_to_be_attached()


@pytest.mark.exhaustive
def test_a_training_needs_no_script(open_page: OpenPage, corpus: Path) -> None:
    page = open_page("/train", javascript=False, locale="zh-CN", expected=["status of 422"])
    page.set_input_files("#files", corpus)
    page.click("#continue")
    page.wait_for_url("**/train?corpus=*")
    page.check("[name=trainer][value=wordpiece]")
    page.click(".plan fieldset button")
    assert page.locator("[name=coverage]").count() == 1
    page.fill("#size", "20")
    page.click(".btn.go")
    assert page.input_value("#size") == "20"
    assert page.locator("#size-error").is_visible()
    page.fill("#size", "400")
    page.click(".btn.go")
    page.wait_for_url(re.compile(r"/train/[\w-]{22}$"))
    page.wait_for_selector(".job .tools a, .notice.bad", timeout=SECONDS)
    assert page.locator(".notice.bad").all_inner_texts() == []
    expect(page.locator(".tools a")).to_have_count(3, timeout=SECONDS)  # the page refreshes by itself
    assert page.locator("meta[http-equiv=refresh]").count() == 0
