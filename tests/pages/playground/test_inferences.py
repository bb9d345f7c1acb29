"""A vocabulary applied by another rule than its own: on the playground, the comparison, shared results and steps."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.core.texts import CORPUS
from tests.site import HTMX, Page
from webapp.core.inference import INFERENCES, infer
from webapp.tokenization.links import MOST, steps_address
from webapp.tokenization.result import tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import default_for, shipped_tokenizer

TEXT = "Unbelievably, antidisestablishmentarianism isn't trivial."


KINDS = [("bpe", "fewest"), ("bpe", "dropout"), ("wordpiece", "fewest"), ("unigram", "sample")]


@pytest.mark.parametrize(("algorithm", "inference"), KINDS)
def test_the_page_shows_the_tokens_of_the_inference(client: FlaskClient, algorithm: str, inference: str) -> None:
    ids = infer(shipped_tokenizer(default_for(algorithm)), inference, seed=3).ids(TEXT)
    given = {"algorithm": algorithm, "inference": inference, "seed": 3, "text": TEXT}
    shown = client.get("/", query_string=given).text
    assert Page(shown).ids == ids
    assert "not the vocabulary’s own rule" in shown
    assert ("seed=4" in shown) == bool(INFERENCES[inference].parameters)
    steps = client.get(f"/steps/{algorithm}", query_string={**given, "format": "json"}).get_json()
    assert (steps["ids"], steps["inference"]) == (ids, inference)
    assert "Steps of the own rule" in client.get(f"/steps/{algorithm}", query_string=given).text
    picture = client.get(f"/steps/{algorithm}", query_string={**given, "step": 1, "format": "svg"})
    assert picture.status_code == 200


def test_the_own_rule_is_the_default_and_leaves_addresses_as_they_were(client: FlaskClient) -> None:
    form = {"algorithm": "bpe", "text": "low", "inference": "own", "dropout": "0.3", "seed": "9"}
    assert client.post("/", data=form).location == "/?algorithm=bpe&text=low"
    assert "not the vocabulary’s own rule" not in client.get("/", query_string={"text": "low"}).text
    assert "inference" not in client.get("/", query_string={"text": "low", "format": "json"}).get_json()


def test_what_does_not_apply_is_said_and_the_own_rule_used(client: FlaskClient) -> None:
    for algorithm, inference in (("unigram", "dropout"), ("fmm", "longest"), ("ngram", "longest")):
        given = {"algorithm": algorithm, "text": TEXT}
        shown = client.get("/", query_string={**given, "inference": inference}).text
        assert Page(shown).ids == Page(client.get("/", query_string=given).text).ids
        assert "does not apply to this vocabulary" in shown


def test_the_comparison_of_all_inferences_of_a_vocabulary(client: FlaskClient) -> None:
    shown = client.get("/", query_string={"text": TEXT, "inference": "fewest"}).text
    [link] = set(re.findall(r'href="(/compare\?[^"]*)">Compare inference methods', shown))
    address = link.replace("&amp;", "&")
    assert parse_qs(urlsplit(address).query)["with"] == [
        *("bpe:bpe-bytes", "bpe:bpe-bytes:longest", "bpe:bpe-bytes:fewest", "bpe:bpe-bytes:dropout")
    ]
    rows = client.get(f"{address}&format=json").get_json()["rows"]
    assert [row.get("inference") for row in rows] == [None, "longest", "fewest", "dropout"]
    assert rows[2]["ids"] == list(infer(shipped_tokenizer("bpe-bytes"), "fewest").ids(TEXT))


def test_a_row_of_a_comparison_chooses_its_inference(client: FlaskClient) -> None:
    form = {"text": TEXT, "with": ["bpe:bpe-bytes", "fmm:jieba", "unigram:unigram"], "by": ["fewest", "own", "sample"]}
    address = client.post("/compare", data={**form, "seed": "5"}).location
    given = parse_qs(urlsplit(address).query)
    assert given["with"] == ["bpe:bpe-bytes:fewest", "fmm:jieba", "unigram:unigram:sample"]
    assert given["seed"] == ["5"]


def test_without_dropout_the_steps_say_where_they_are(client: FlaskClient) -> None:
    shown = client.get("/steps/bpe", query_string={"inference": "dropout", "dropout": "0", "text": "low"})
    assert shown.status_code == 422
    assert "nothing is dropped" in shown.text


LONG = ("It rains. " * 3 + "研究生命科学的人。" * 3 + "Unbelievably, tokenization isn't trivial! 👍🏽 ☃ ") * 20
ALL = ("fmm", "bmm", "bpe", "wordpiece", "unigram")


def step_link(page: str) -> str | None:
    found = re.search(r'<a class="btn" href="([^"]+)"><svg [^>]*>.*?</svg>Why this split\?</a>', page)
    return found and html.unescape(found[1])


LINKED = [("fmm", "own"), ("bmm", "own"), ("wordpiece", "own"), ("bpe", "longest"), ("unigram", "sample")]


@pytest.mark.parametrize(("algorithm", "inference"), LINKED)
def test_the_link_leads_to_the_step_of_the_token(client: FlaskClient, algorithm: str, inference: str) -> None:
    given = {"algorithm": algorithm, "text": "Unbelievably 研究生", "inference": inference}
    twin = client.get("/", query_string={**given, "format": "json"}).get_json()
    for token, id in enumerate(twin["ids"]):
        address = step_link(client.post("/token", data={**given, "token": token}, headers=HTMX).text)
        assert address is not None
        steps = client.get(f"{address}&format=json").get_json()
        assert steps["ids"] == twin["ids"]
        step = re.search(r'data-step="(\d+)"', client.get(address).text)
        assert step is not None
        if inference == "own":
            assert steps["steps"][int(step[1])]["id"] == id


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


def test_what_is_too_long_has_no_link(client: FlaskClient) -> None:
    details = client.post("/token", data={"algorithm": "fmm", "text": "x" * 300, "token": "0"}, headers=HTMX)
    assert (details.status_code, step_link(details.text)) == (200, None)
    trained = {"algorithm": "bpe", "vocabulary": "learned-bytes", "text": CORPUS * 3, "token": "5"}
    assert step_link(client.post("/token", data=trained, headers=HTMX).text) is None
