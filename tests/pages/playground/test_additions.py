"""The meter of a model, tokens around the text and added tokens, in the playground and in what is shared."""

import re
import time
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.pages.playground.test_uploads import query_of, upload
from tests.site import HTMX, Page, Read
from webapp.tokenization.links import LONGEST_SEARCHED, SpecialTokenHint, special_hints
from webapp.tokenization.state import State
from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer

AROUND = {"text": "Once uponx", "algorithm": "bpe", "prefix": "<|endoftext|>", "added": "uponx"}
END = shipped_tokenizer("bpe-bytes").special_tokens["<|endoftext|>"]


def meter_of(html: str) -> str:
    """Return the text of the meter."""
    found = re.search(r'<div class="meters" id="meter">.*?</div>', html, re.DOTALL)
    return " ".join(re.sub("<[^>]+>", " ", found[0]).split()) if found else ""


@pytest.mark.parametrize(
    ("text", "model", "meter"),
    [
        ("low", "", ""),
        ("low", "gpt-4", "1 of 8,192 used (0.0%), 8,191 left"),
        ("low", "gpt-4", "$0.00003 as input · $0.00006 for as many tokens of output"),
        ("研究生命 " * 2000, "gpt-4", "too many"),
        ("low", "gpt-4o", ""),  # of another vocabulary
        ("low", "gpt-4-9999", "gpt-4-9999 no context window in the list Price no price in the list"),
    ],
)
def test_the_meter_is_shown_for_a_model_that_uses_the_vocabulary(
    client: FlaskClient, text: str, model: str, meter: str
) -> None:
    form = {"algorithm": "bpe", "vocabulary": "cl100k_base", "lang": "en", "text": text, "model": model}
    shown = meter_of(client.post("/", data=form, headers=HTMX).text)
    assert meter in shown
    assert bool(meter) == bool(shown)


def test_tokens_stand_around_the_text(show: Read) -> None:
    around = {"algorithm": "bpe", "prefix": r"<|endoftext|> \n [gMASK] #99999999", "suffix": "#5"}
    plain = show("Once upon", algorithm="bpe")
    page = show("Once upon", **around)
    assert page.ids == [END, *shipped_tokenizer("bpe-bytes").ids("\n"), *plain.ids, 5]
    assert "This vocabulary has no token [gMASK], #99999999, so it is left out." in page.text
    assert "put around the text by you" in show("Once upon", **around, token=1).text


def test_added_tokens_are_marked(show: Read) -> None:
    given = {"algorithm": "bpe", "added": "uponx\n[gMASK]\nsop\n\n", "prefix": "[gMASK] sop"}
    page = show("Once uponx a time", **given)
    marked = [(text, id) for (text, classes, _), id in zip(page.tokens, page.ids, strict=True) if "v" in classes]
    assert marked == [("[gMASK]", 32001), ("sop", 32002), ("uponx", 32000)]
    assert "added to the vocabulary by you" in show("Once uponx a time", **given, token=page.ids.index(32000)).text


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


@pytest.mark.parametrize("path", ["/steps/bpe", "/frequencies.csv", "/download/tokens.json"])
def test_other_pages_of_the_same_text_have_them_too(client: FlaskClient, path: str) -> None:
    answer = client.get(path, query_string=AROUND)
    assert answer.status_code == 200
    assert "32000" in answer.text or "uponx" in answer.text


def hints(text: str, **choices: bool) -> list[SpecialTokenHint]:
    tokenizer = shipped_tokenizer("bpe-bytes")
    return special_hints(State(text=text, **choices), tokenizer.encode(text, special=bool(choices)), tokenizer)


def test_a_special_token_that_is_plain_text_is_named_with_its_counts() -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    (hint,) = hints("one<|endoftext|>two<|endoftext|>")
    alone = len(tokenizer.ids("<|endoftext|>"))
    assert (hint.token, hint.times, hint.known) == ("<|endoftext|>", 2, True)
    assert alone - 1 <= hint.tokens <= alone + 1  # its first and last token may reach into the words around it
    assert hint.total == len(tokenizer.ids("one<|endoftext|>two<|endoftext|>"))
    assert hint.total_special == 4


@pytest.mark.parametrize(
    "text", ["", "plain", "a < b", "<b>bold</b> [1] [note]", "<|endoftext|>" + "a " * LONGEST_SEARCHED]
)
def test_ordinary_and_long_texts_give_no_hint(text: str) -> None:
    assert hints(text) == []
    assert hints("<|endoftext|>", special=True) == []


@pytest.mark.parametrize("text", ["<" * LONGEST_SEARCHED, "[" * LONGEST_SEARCHED, "<|" * (LONGEST_SEARCHED // 2)])
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
