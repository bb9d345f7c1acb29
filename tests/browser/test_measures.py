"""Measuring a text in a browser, with JavaScript and without."""

from pathlib import Path

from tests.browser.conftest import OpenPage

GOLD = "un break able\n研究 生命"


def test_a_text_is_measured_against_a_gold_segmentation(open_page: OpenPage) -> None:
    page = open_page("/measures", width=390)
    page.fill("#text", "unbreakable 研究生命")
    page.click(".extra > summary")
    page.fill("#gold", GOLD)
    page.click(".tokenizers > summary")
    page.uncheck("[name=with][value='unigram:unigram']")
    page.check("[name=with][value='fmm:jieba']")
    page.click(".tokenizers > summary")
    page.click("button.go")
    page.wait_for_url("**gold=**")
    heads = page.locator(".measures-table thead .end")
    assert heads.count() == 4
    assert page.locator(".measures-table a[href='#boundary-f1']").count() == 1
    page.click(".measures-table a[href='#boundary-f1']")
    page.wait_for_url("**#boundary-f1")
    assert page.locator("#boundary-f1 h3").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_long_file_is_measured_and_exported(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/measures?with=bpe:bpe-bytes")
    file = tmp_path / "long.txt"
    file.write_text("low lower lowest\n" * 1_000, encoding="utf-8")
    page.set_input_files("[name=file]", file)
    page.click("button.go")
    page.wait_for_selector(".measures-frame >> text=too long for the page")
    page.click(".export > summary")
    with page.expect_download() as download:
        page.click(".export button >> nth=0")
    assert download.value.suggested_filename == "measures.csv"
    assert Path(download.value.path()).read_text(encoding="utf-8-sig").startswith("algorithm,vocabulary,tokens,")
