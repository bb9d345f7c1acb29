"""The page of pre-tokens: the alternatives that matched, an own pattern beside the vocabulary's, and its limits."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from tests.site import HTMX, words
from webapp.core.text.split_patterns import MARKED_CLASSES, O200K

TEXT = "It's 2024: don't"


def cells_of(page: str, label: str = "Pre-tokens") -> list[tuple[str, str]]:
    """The pre-tokens of a page, each with what stands under it."""
    found = re.search(rf'<div class="cells"[^>]*aria-label="{label}">(.*?)</div>', page, re.DOTALL)
    assert found is not None
    cells = re.findall(r'<i class="[^"]*" data-u="([^"]*)">([^<]*)</i>', found[1])
    return [(html.unescape(text), under) for under, text in cells]


def test_each_pretoken_has_the_number_of_its_alternative(client: FlaskClient) -> None:
    page = client.get("/pretokens", query_string={"text": TEXT, "lang": "en"}).text
    assert cells_of(page) == [
        ("It", "8"), ("'s", "1"), ("·2024", "9"), (":", "10"), ("·don", "8"), ("'t", "2"),
    ]  # fmt: skip
    for vocabulary, text, shown in (("wordpiece", "a  b", "··</i>"), ("jieba", "研究生命", "no pre-tokenizer")):
        query = {"vocabulary": vocabulary, "text": text, "lang": "en"}
        assert shown in client.get("/pretokens", query_string=query).text


def test_an_own_pattern_is_compared(client: FlaskClient) -> None:
    query = {"text": "pay 12345 now", "pattern": r" ?\p{L}+|\p{N}{1,3}", "lang": "en"}
    page = client.get("/pretokens", query_string=query).text
    own = cells_of(page, "Pre-tokens of your pattern")
    assert own == [("pay", "1"), ("·", ""), ("123", "2"), ("45", "2"), ("·now", "1")]
    rows = words(page[page.index('<ul class="split-rows">') :])
    assert "3 pay ·12345 ·now pay · 123 45 ·now" in rows
    same = client.get("/pretokens", query_string=query | {"pattern": r"\s*\S+"}).text
    assert "the same boundaries everywhere" in same


@pytest.mark.parametrize(("start", "pattern"), [("GPT-4o (o200k)", O200K), ("vocabulary", MARKED_CLASSES)])
def test_a_known_pattern_is_filled_in_and_the_text_stays(client: FlaskClient, start: str, pattern: str) -> None:
    form = {"vocabulary": "unigram", "text": "my own text", "pattern": "("}
    answer = client.post("/pretokens", query_string={"start": start}, data=form)
    assert answer.status_code == 303
    query = parse_qs(urlsplit(answer.location).query)
    assert (query["text"], query["pattern"]) == (["my own text"], [pattern])
    page = client.get(answer.location).text
    assert html.escape(pattern) in page.replace("&#39;", "&#x27;")


def test_long_texts_are_limited(client: FlaskClient) -> None:
    page = client.post("/pretokens", data={"text": "ab " * 20_000, "lang": "en"}, headers=HTMX)
    assert page.status_code == 200
    assert "first 20,000 characters" in page.text
    assert page.text.count("<i ") < 2_000


def test_json_has_the_same(client: FlaskClient) -> None:
    query = {"text": "pay 12345", "pattern": r" ?\p{L}+|\p{N}{1,3}"}
    document = client.get("/pretokens.json", query_string=query).get_json()
    body = {**query, "vocabulary": "bpe-bytes"}
    assert document == client.post("/api/v1/pretokens", json=body).get_json()
    assert [each["alternative"] for each in document["own"]["pretokens"]] == [1, None, 2, 2]
    assert document["number_of_differences"] == 1
