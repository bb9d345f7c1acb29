"""The meter of a model, tokens around the text and added tokens, in the playground and in what is shared."""

from __future__ import annotations

import re
import time
from decimal import Decimal
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.pages.playground.test_uploads import query_of, upload
from tests.site import HTMX, Page, Read
from webapp.tokenization.links import LONGEST_SEARCHED, SpecialTokenHint, special_hints
from webapp.tokenization.state import State
from webapp.vocabularies.shipped_vocabularies import shipped_encoding, shipped_tokenizer

GPT4 = {"algorithm": "bpe", "vocabulary": "cl100k_base", "lang": "en"}
AROUND = {"text": "Once uponx", "algorithm": "bpe", "prefix": "<|endoftext|>", "added": "uponx"}
END = shipped_tokenizer("bpe-bytes").special_tokens["<|endoftext|>"]


def meter_of(html: str) -> str:
    """Return the text of the meter."""
    found = re.search(r'<div class="meters" id="meter">.*?</div>', html, re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", found[0]).split()) if found else ""


def test_a_long_text_is_counted_measured_and_priced(client: FlaskClient) -> None:
    text = "2026-11-22T21:21:27Z GET /api/v1/count 200 17ms 研究生命\n" * 300
    tokens = len(shipped_encoding("cl100k_base").ids(text))
    answer = client.post("/", data={**GPT4, "text": text, "model": "gpt-4-turbo"})
    shown = meter_of(answer.text)
    assert Page(answer.text).figures == tokens
    assert f"{tokens:,} of 128,000 used" in shown
    assert f"${(tokens * Decimal(10) / 1_000_000).quantize(Decimal('0.001')).normalize():f} as input" in shown
    assert "as of November 12, 2026" in shown
    small = meter_of(client.post("/", data={**GPT4, "text": text, "model": "gpt-4"}, headers=HTMX).text)
    assert "of 8,192:" in small
    assert "too many" in small


PRICED = "1 of 8,192 used (0.0%), 8,191 left"


@pytest.mark.parametrize(
    ("model", "meter", "in_links"),
    [
        ("", "", False),
        ("gpt-4", PRICED, True),
        ("gpt-4", "$0.00003 as input · $0.00006 for as many tokens of output", True),
        ("gpt-4o", "", False),  # of another vocabulary
        ("gpt-4-9999", "gpt-4-9999 no context window in the list Price no price in the list", True),
    ],
)
def test_the_meter_is_shown_for_a_model_that_uses_the_vocabulary(
    client: FlaskClient, model: str, meter: str, in_links: bool
) -> None:
    html = client.get("/", query_string={**GPT4, "text": "low", "model": model}).text
    assert meter in meter_of(html)
    assert bool(meter) == bool(meter_of(html))
    assert (f"model={model}&amp;text=" in html) == in_links
    assert '<option value="gpt-4"' in html
    without = client.get("/?text=low").text
    assert 'id="model"' not in without
    assert not re.search(r"[?&](amp;)?(model|prefix|suffix|added)=", without)


def test_tokens_stand_around_the_text(client: FlaskClient, show: Read) -> None:
    around = {"algorithm": "bpe", "prefix": r"<|endoftext|> \n [gMASK] #99999999", "suffix": "#5"}
    plain = show("Once upon", algorithm="bpe")
    page = show("Once upon", **around)
    assert page.ids == [END, *shipped_tokenizer("bpe-bytes").ids("\n"), *plain.ids, 5]
    assert [classes & {"x", "v"} for _, classes, _ in page.tokens][:2] == [{"x"}, {"x"}]
    assert "Identical to the input" in page.text
    assert "This vocabulary has no token [gMASK], #99999999, so it is left out." in page.text
    assert "put around the text by you" in show("Once upon", **around, token=1).text
    # The switches of a form come one by one.
    repeated = client.get("/?algorithm=bpe&text=Once+upon&prefix=%3C|endoftext|%3E&prefix=%5Cn&suffix=%235").text
    assert Page(repeated).ids == page.ids


def test_added_tokens_are_marked(show: Read) -> None:
    given = {"algorithm": "bpe", "added": "uponx\n[gMASK]\nsop\n\n", "prefix": "[gMASK] sop"}
    page = show("Once uponx a time", **given)
    marked = [(text, id) for (text, classes, _), id in zip(page.tokens, page.ids, strict=True) if "v" in classes]
    assert marked == [("[gMASK]", 32001), ("sop", 32002), ("uponx", 32000)]
    assert "Dashed outline: tokens that you added to the vocabulary." in page.text
    details = show("Once uponx a time", **given, token=page.ids.index(32000))
    assert "added to the vocabulary by you" in details.text
    assert "put around" not in details.text


def test_a_vocabulary_with_a_template_is_not_offered_another(storing_app: Flask, shared: Path) -> None:
    client = storing_app.test_client()
    content = (shared / "vocabularies" / "tokenizers" / "bert_base_cased.json").read_bytes()
    query = query_of(upload(client, content, name="bert.json", algorithm="wordpiece"))
    html = client.get("/", query_string=query).text
    assert 'name="added"' in html
    assert 'name="prefix"' not in html
    chosen = Page(client.get("/", query_string={**query, "prefix": "[MASK]", "template": "1"}).text)
    assert chosen.ids[:2] == [103, 101]
    assert chosen.tokens[1][1] == chosen.tokens[-1][1] == {"x"}


def test_the_longest_list_of_tokens_is_found_in_a_long_text(client: FlaskClient) -> None:
    added = "\n".join("a" * 60 + str(number) for number in range(100))
    answer = client.post("/", data={"text": "a" * 50_000, "algorithm": "bpe", "added": added})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "path", ["/steps/bpe", "/frequencies.csv", "/download/tokens.json", "/download/tokens.svg", "/download/tokens.html"]
)
def test_other_pages_of_the_same_text_have_them_too(client: FlaskClient, path: str) -> None:
    answer = client.get(path, query_string=AROUND)
    assert answer.status_code == 200
    assert "32000" in answer.text or "uponx" in answer.text


def hints(text: str, vocabulary: str = "bpe-bytes", **choices: bool) -> list[SpecialTokenHint]:
    tokenizer = shipped_tokenizer(vocabulary)
    algorithm = "wordpiece" if vocabulary == "wordpiece" else "bpe"
    state = State(algorithm=algorithm, vocabulary=vocabulary, text=text, **choices)
    return special_hints(state, tokenizer.encode(text, special=state.special), tokenizer)


def test_a_special_token_that_is_plain_text_is_named_with_its_counts() -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    (hint,) = hints("one<|endoftext|>two<|endoftext|>")
    alone = len(tokenizer.ids("<|endoftext|>"))
    assert (hint.token, hint.times, hint.known) == ("<|endoftext|>", 2, True)
    assert alone - 1 <= hint.tokens <= alone + 1  # its first and last token may reach into the words around it
    assert hint.total == len(tokenizer.ids("one<|endoftext|>two<|endoftext|>"))
    assert hint.total_special == 4


@pytest.mark.parametrize("text", ["", "plain", "a < b", "<b>bold</b> [1] [note]", "<| |>", "[CLS]", "x" * 10 + "<s>"])
def test_ordinary_text_gives_no_hint(text: str) -> None:
    assert hints(text) == []


def test_hints_are_given_for_plain_reading_and_short_texts_alone() -> None:
    assert [hint.token for hint in hints("[CLS] low [MASK] [NOTE]", "wordpiece")] == ["[CLS]", "[MASK]"]
    assert hints("<|endoftext|>", special=True) == []
    assert hints("<|endoftext|>" + "a " * LONGEST_SEARCHED) == []


@pytest.mark.parametrize(
    "text",
    ["<" * LONGEST_SEARCHED, "[" * LONGEST_SEARCHED, "<|" * (LONGEST_SEARCHED // 2), "<a" * (LONGEST_SEARCHED // 2)],
)
def test_the_search_is_linear(text: str) -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    encoding = tokenizer.encode(text)
    began = time.process_time()
    special_hints(State(text=text), encoding, tokenizer)
    assert time.process_time() - began < 1


def test_the_buttons_choice_recognizes_special_tokens(client: FlaskClient) -> None:
    form = {"text": "one<|endoftext|>", "special": "0", "recognize": "special"}
    answer = client.post("/", data=form)
    assert answer.status_code == 303
    assert "special=1" in answer.location
