"""The meter of a model, tokens around the text and added tokens, in the playground and in what is shared."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest
import tiktoken
from flask import Flask
from flask.testing import FlaskClient
from tiktoken.load import load_tiktoken_bpe

from tests.pages.playground.test_uploads import query_of, upload
from tests.site import HTMX, Page, Read
from webapp.core.text.split_patterns import CL100K

LOG = "2026-11-22T21:21:27Z GET /api/v1/count 200 17ms 研究生命\n"


@pytest.fixture
def app(storing_app: Flask) -> Flask:
    return storing_app


@pytest.fixture
def gpt4(client: FlaskClient, shared: Path) -> str:
    """The name of GPT-4's vocabulary, uploaded."""
    content = (shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    return query_of(upload(client, content, name="cl100k_base.tiktoken"))["vocabulary"]


@pytest.fixture
def stories(client: FlaskClient, shared: Path) -> str:
    """The name of the pieces and scores of the shared folder, uploaded."""
    content = (shared / "vocabularies" / "scores" / "stories15m_tokens_scores.json").read_bytes()
    return query_of(upload(client, content, name="stories.json"))["vocabulary"]


def meter_of(html: str) -> str:
    """Return the text of the meter."""
    found = re.search(r'<div class="meters" id="meter">.*?</div>', html, re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", found[0]).split()) if found else ""


def test_a_log_of_60_kb_is_counted_measured_and_priced_at_once(client: FlaskClient, gpt4: str, shared: Path) -> None:
    text = LOG * (61_440 // len(LOG.encode()))
    ranks = load_tiktoken_bpe(str(shared / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken"))
    encoding = tiktoken.Encoding("c", pat_str=CL100K, mergeable_ranks=ranks, special_tokens={})
    tokens = len(encoding.encode(text))
    answer = client.post("/", data={"text": text, "algorithm": "bpe", "vocabulary": gpt4, "model": "gpt-4-turbo"})
    page = Page(answer.text)
    assert answer.status_code == 200
    assert page.figures == tokens
    price = (tokens * Decimal(10) / 1_000_000).quantize(Decimal("0.001"))
    shown = meter_of(answer.text)
    assert f"{tokens:,} of 128,000 used" in shown
    assert f"${price.normalize():f} as input" in shown
    assert "as of November 12, 2026" in shown
    assert "Use Share to get a link" in answer.text


def test_the_meter_is_off_by_default_and_offered_where_a_model_uses_the_vocabulary(
    client: FlaskClient, show: Read, gpt4: str
) -> None:
    address = {"text": "low", "vocabulary": gpt4, "lang": "en"}
    html = client.get("/", query_string=address).text
    assert not meter_of(html)
    assert '<option value="gpt-4">GPT-4</option>' in html
    assert "gpt-4o" not in html
    assert 'id="model"' not in client.get("/?text=low").text
    chosen = client.get("/", query_string={**address, "model": "gpt-4"}).text
    assert "1 of 8,192 used (0.0%), 8,191 left" in meter_of(chosen)
    assert "$0.00003 as input · $0.00006 for as many tokens of output" in meter_of(chosen)
    # A model of another vocabulary has no effect, and is not part of links.
    other = client.get("/", query_string={**address, "model": "gpt-4o"}).text
    assert not meter_of(other)
    assert "model=gpt-4o&amp;text=" not in other
    assert "model=gpt-4&amp;text=" in chosen


def test_a_text_beyond_the_context_window_says_so(client: FlaskClient, gpt4: str) -> None:
    data = {"text": "a b " * 5_000, "algorithm": "bpe", "vocabulary": gpt4, "model": "gpt-4", "lang": "en"}
    html = client.post("/", data=data, headers=HTMX).text
    assert "of 8,192:" in meter_of(html)
    assert "too many" in meter_of(html)


def test_a_dated_name_has_the_tokenizer_but_no_price(client: FlaskClient, gpt4: str) -> None:
    html = client.get("/", query_string={"text": "low", "vocabulary": gpt4, "model": "gpt-4-9999"}).text
    assert meter_of(html) == "gpt-4-9999 no context window in the list Price no price in the list"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("gpt4o", "There is no model “gpt4o” in the list. Similar: gpt-4o"),
        ("claude-opus-5", "The tokenizer of Claude Opus 5 is not public, so its tokens cannot be counted here."),
        ("gemini-2.5-pro", "is not public, so its tokens cannot be counted here. Google’s Gen AI SDK"),
        ("x" * 5_000, "There is no model “xxx"),
    ],
)
def test_a_model_that_cannot_be_used_is_explained_beside_its_field(
    client: FlaskClient, model: str, message: str
) -> None:
    answer = client.get("/", query_string={"text": "kept", "model": model, "lang": "en"})
    page = Page(answer.text)
    assert answer.status_code == 422
    assert any(message in problem for problem in page.problems)
    assert message in page.errors["model"]
    assert (page.box or "").strip() == "kept"


def test_tokens_stand_around_the_text(client: FlaskClient, show: Read, stories: str) -> None:
    html = client.get("/", query_string={"text": "Once", "vocabulary": stories, "lang": "en"}).text
    for name in ("<s>", r"\n", "</s>"):
        assert f'value="{name.replace("<", "&lt;").replace(">", "&gt;")}" form="playground">' in html
    plain = show("Once upon", vocabulary=stories)
    page = show("Once upon", vocabulary=stories, prefix=r"<s> \n", suffix="</s>")
    assert page.ids == [1, 13, *plain.ids, 2]
    assert [classes & {"x", "v"} for _, classes, _ in page.tokens][:2] == [{"x"}, {"x"}]
    assert "Identical to the input" in page.text
    details = show("Once upon", vocabulary=stories, prefix=r"<s> \n", suffix="</s>", token=1)
    assert "put around the text by you" in details.text
    # The switches of a form come one by one.
    repeated = client.get(f"/?text=Once+upon&vocabulary={stories}&prefix=%3Cs%3E&prefix=%5Cn&suffix=%3C/s%3E").text
    assert Page(repeated).ids == page.ids


def test_added_tokens_are_marked(show: Read, stories: str) -> None:
    page = show("Once upon a time", vocabulary=stories, added="upon\n[gMASK]\nsop\n\n", prefix="[gMASK] sop")
    marked = [(text, id) for (text, classes, _), id in zip(page.tokens, page.ids, strict=True) if "v" in classes]
    assert marked == [("[gMASK]", 32001), ("sop", 32002), ("upon", 32000)]
    assert "Dashed outline: tokens that you added to the vocabulary." in page.text
    index = page.ids.index(32000)
    details = show(
        "Once upon a time", vocabulary=stories, added="upon\n[gMASK]\nsop", prefix="[gMASK] sop", token=index
    )
    assert "added to the vocabulary by you" in details.text
    assert "put around" not in details.text


def test_a_vocabulary_with_a_template_is_not_offered_another(client: FlaskClient, shared: Path) -> None:
    content = (shared / "vocabularies" / "tokenizers" / "bert_base_cased.json").read_bytes()
    query = query_of(upload(client, content, name="bert.json", algorithm="wordpiece"))
    html = client.get("/", query_string=query).text
    assert 'name="added"' in html
    assert 'name="prefix"' not in html
    chosen = client.get("/", query_string={**query, "prefix": "[MASK]", "template": "1"}).text
    assert Page(chosen).ids[:2] == [103, 101]


def test_a_name_that_the_vocabulary_lacks_is_left_out_with_a_notice(show: Read) -> None:
    page = show("low", prefix="[gMASK] #5 #99999999", algorithm="bpe")
    assert page.ids[0] == 5
    assert "This vocabulary has no token [gMASK], #99999999, so it is left out." in page.text


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("added", "x" * 65, "Line 1 has 65 characters; a token may have 64."),
        ("added", "a\n" + "é" * 65, "Line 2 has 65 characters; a token may have 64."),
        ("added", "\n".join(map(str, range(101))), "101 tokens; at most 100 can be added."),
        ("prefix", " ".join(["a"] * 21), "Name at most 20 tokens of at most 100 characters, separated by spaces."),
        ("suffix", "x" * 101, "Name at most 20 tokens of at most 100 characters, separated by spaces."),
    ],
)
def test_limits(client: FlaskClient, field: str, value: str, message: str) -> None:
    answer = client.post("/", data={"text": "kept", "algorithm": "bpe", field: value, "lang": "en"})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert message in page.problems
    assert (page.box or "").strip() == "kept"


def test_the_longest_list_of_tokens_is_found_in_a_long_text(client: FlaskClient) -> None:
    added = "\n".join("a" * 60 + str(number) for number in range(100))
    answer = client.post("/", data={"text": "a" * 200_000, "algorithm": "bpe", "added": added})
    assert answer.status_code == 200


def test_dictionaries_take_no_tokens(client: FlaskClient) -> None:
    plain = client.get("/?algorithm=fmm&text=研究生命").text
    other = client.get("/?algorithm=fmm&text=研究生命&prefix=x&added=研究生命").text
    assert Page(plain).ids == Page(other).ids
    assert "prefix=x&amp;text=" not in other


def test_without_affixes_addresses_and_exports_stay_as_they_are(client: FlaskClient) -> None:
    html = client.get("/?text=low").text
    assert not re.search(r"[?&](amp;)?(model|prefix|suffix|added)=", html)


def test_a_shared_result_keeps_them(client: FlaskClient, stories: str) -> None:
    data = {"text": "Once upon", "algorithm": "bpe", "vocabulary": stories, "prefix": "<s>", "added": "upon"}
    answer = client.post("/api/v1/snapshots", json={**data, "prefix": ["<s>"], "added": ["upon"]})
    assert answer.status_code == 201, answer.text
    page = client.get(answer.get_json()["url"]).text
    ids = Page(page).ids
    assert ids[0] == 1
    assert 32000 in ids
    assert "differs" not in page
    assert "prefix=%3Cs%3E" in page.replace("&amp;", "&")


@pytest.mark.parametrize(
    "path", ["/steps/bpe", "/frequencies", "/download/tokens.json", "/download/tokens.svg", "/download/tokens.html"]
)
def test_other_pages_of_the_same_text_have_them_too(client: FlaskClient, stories: str, path: str) -> None:
    query = {"text": "Once upon", "vocabulary": stories, "algorithm": "bpe", "prefix": "<s>", "added": "upon"}
    answer = client.get(path, query_string=query)
    assert answer.status_code == 200
    assert "32000" in answer.text or "upon" in answer.text
