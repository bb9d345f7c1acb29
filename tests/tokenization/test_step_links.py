"""Links from a token of the playground to the step that produced it."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.core.texts import CORPUS
from tests.site import HTMX
from webapp.tokenization.links import MOST, steps_address
from webapp.tokenization.result import tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import default_for

LONG = ("It rains. " * 3 + "研究生命科学的人。" * 3 + "Unbelievably, tokenization isn't trivial! 👍🏽 ☃ ") * 20
ALL = ("fmm", "bmm", "bpe", "wordpiece", "unigram")


def step_link(page: str) -> str | None:
    found = re.search(r'<a class="btn" href="([^"]+)"><svg [^>]*>.*?</svg>Why this split\?</a>', page)
    return found and html.unescape(found[1])


@pytest.mark.parametrize("algorithm", ["fmm", "bmm", "wordpiece"])
def test_the_link_leads_to_the_step_that_produced_the_token(client: FlaskClient, algorithm: str) -> None:
    given = {"algorithm": algorithm, "text": "Unbelievably 研究生命科学"}
    twin = client.get("/", query_string={**given, "format": "json"}).get_json()
    for token, id in enumerate(twin["ids"]):
        address = step_link(client.post("/token", data={**given, "token": token}, headers=HTMX).text)
        assert address is not None
        steps = client.get(f"{address}&format=json").get_json()
        assert steps["ids"] == twin["ids"]
        shown = client.get(f"{address}&lang=en").text
        step = re.search(r'data-step="(\d+)"', shown)
        assert step is not None
        assert steps["steps"][int(step[1])]["id"] == id
        assert '<p class="hint decided">' in shown
        assert f", id {id}." in shown


@pytest.mark.parametrize("algorithm", ALL)
def test_in_a_long_text_the_linked_span_contains_the_same_token(app: Flask, algorithm: str) -> None:
    with app.test_request_context("/"):
        state = State(algorithm, default_for(algorithm), LONG)
        result = tokenize(state, corpus_limit=1000)
        for index in range(0, len(result.encoding), 7):
            address = steps_address(result, index)
            assert address is not None
            query = parse_qs(urlsplit(address).query)
            (text,) = query["text"]
            assert len(text) <= MOST
            part = result.tokenizer.encode(text)
            token = part[int(query["token"][0])]
            assert token.id == result.encoding.ids[index]
            assert text[token.start : token.end] == LONG[result.encoding.starts[index] : result.encoding.ends[index]]


def test_a_vocabulary_trained_on_a_long_text_is_trained_on_all_of_it(client: FlaskClient) -> None:
    text = CORPUS[:600]
    asked = {"algorithm": "wordpiece", "vocabulary": "learned-wordpiece", "text": text, "size": "60"}
    twin = client.get("/", query_string={**asked, "format": "json"}).get_json()
    address = step_link(client.get("/", query_string={**asked, "token": "40"}).text)
    assert address is not None
    steps = client.get(f"{address}&format=json").get_json()
    assert steps["ids"][int(parse_qs(urlsplit(address).query)["token"][0])] == twin["ids"][40]


@pytest.mark.parametrize(
    "form",
    [
        {"algorithm": "bpe", "vocabulary": "learned-bytes", "text": CORPUS * 3, "token": "5"},
        {"algorithm": "fmm", "text": "x" * 300, "token": "0"},
    ],
)
def test_what_is_too_long_has_no_link(client: FlaskClient, form: dict[str, str]) -> None:
    details = client.post("/token", data=form, headers=HTMX)
    assert (details.status_code, step_link(details.text)) == (200, None)
