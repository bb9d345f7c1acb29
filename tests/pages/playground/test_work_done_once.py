"""A page computes nothing twice, and draws no more tokens than a browser can show."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.site import HTMX
from webapp.core.formats.recognize import recognize
from webapp.observing import report
from webapp.pages.playground import routes
from webapp.tokenization.result import encode, ids_of
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.fetching import fetcher_of
from webapp.vocabularies.wellknown import WELL_KNOWN

LONG = "hello " * 2_000  # too long for an address


def test_a_form_with_an_open_token_encodes_its_text_once(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    tokenize = routes.tokenize_or_explain

    def counting(state: Any) -> Any:
        texts.append(state.text)
        return tokenize(state)

    monkeypatch.setattr(routes, "tokenize_or_explain", counting)
    assert client.post("/", data={"text": LONG, "token": "1999"}).status_code == 200
    assert len(texts) == 1


def option(page: str, name: str) -> str:
    found = re.search(f'<option value="{name}".*?</option>', page)
    assert found is not None
    return found[0]


def test_a_vocabulary_loses_its_arrow_once_it_is_downloaded_and_gets_it_back(client: FlaskClient, app: Flask) -> None:
    cache = fetcher_of(app).disk_cache
    known = next(each for each in WELL_KNOWN.values() if each.algorithm == "bpe" and not each.source.sha256)
    assert option(client.get("/").text, known.name).endswith(" ↓</option>")
    cache.put(known, [b"content"] * len(known.source.files))
    assert "↓" not in option(client.get("/").text, known.name)
    cache.expire(datetime.now(UTC) + timedelta(days=1))
    assert option(client.get("/").text, known.name).endswith(" ↓</option>")


def test_the_page_says_how_many_tokens_it_draws(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    most, count = 20_000, 25_000
    monkeypatch.setattr("webapp.tokenization.views.DRAWN", most)
    answer = client.post("/", data={"algorithm": "fmm", "text": "\0" * count}, headers=HTMX)
    html = answer.text
    assert answer.status_code == 200
    assert f'data-tokens="{count}"' in html
    drawn = html.count('<i class="u">')
    assert most <= drawn < count
    assert f"The page draws the first {drawn:,} tokens." in html


TEXT = "low lower lowest low lower"


@pytest.fixture(autouse=True)
def _no_report_stays() -> Iterator[None]:
    yield
    report.finish()


def counters() -> dict[tuple[str, str], float]:
    return {(name, next(iter(labels.values()))): amount for name, labels, amount in report.finish()["counters"]}


def test_the_report_changes_no_token() -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    expected = tokenizer.encode(TEXT)
    report.start()
    assert list(encode(tokenizer, TEXT)) == list(expected)
    assert ids_of(tokenizer, TEXT) == list(expected.ids)
    assert counters()["tokens_total", "bpe"] == 2 * len(expected)


def test_tokens_count_for_the_algorithm_of_the_request() -> None:
    words = recognize("研究 5\n生命 3\n".encode()).tokenizer
    report.start()
    encode(words, "研究生命", algorithm="bmm")
    encode(words, "研究生命", algorithm="made-up")
    found = counters()
    assert found["tokens_total", "bmm"] == 2
    assert {label for name, label in found if name == "tokens_total"} == {"bmm", "fmm"}
