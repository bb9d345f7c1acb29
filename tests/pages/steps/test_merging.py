"""BPE step by step on the page: each merge and its reason, and the trees."""

import base64
import json
import re
from itertools import pairwise
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import processors

from tests.core import sentencepieces
from tests.pages.playground.test_uploads import bpe, query_of, upload
from tests.pages.steps import json_of, page_of, told
from tests.properties import EXPENSIVE_WITH_SAME_FIXTURE
from webapp.core.traces.merge_records import TracedWord
from webapp.core.traces.merging import merging_steps
from webapp.pages.walkthrough.merge_tree import merge_tree
from webapp.rendering.pictures.figure import FigureBox, FigureLabel
from webapp.vocabularies import shipped_tokenizer

PIECES = shipped_tokenizer("bpe-bytes").model.pieces
TEXT = "Unbelievably, tokenization isn't 研究生 trivial."


def of_kind(found: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [step for step in found["steps"] if step["kind"] == kind]


def test_a_step_names_the_merged_pair_and_the_reason(client: FlaskClient) -> None:
    found = json_of(client, "bpe", " lower")
    merge = of_kind(found, "merge")[0]
    left, right = (merge["symbols"][merge["chosen"][0] + place] for place in (0, 1))
    rank = merge["ranks"][merge["chosen"][0]]
    assert rank == min(other for other in merge["ranks"] if other is not None)
    page = page_of(client, "bpe", " lower", step=merge["step"])
    assert f"The lowest rank, {rank}, is that of “{left}” + “{right}”." in told(page)
    assert f"id {merge['made'][0]['id']}" in told(page)
    assert page.count('class="gap') == len(merge["symbols"]) - 1


def test_a_token_links_to_the_merge_that_produced_it(client: FlaskClient) -> None:
    found = json_of(client, "bpe", TEXT)
    for index, id in enumerate(found["ids"]):
        answer = client.get("/steps/bpe", query_string={"text": TEXT, "token": index})
        step = found["steps"][int(re.search(r'data-step="(\d+)"', answer.text)[1])]  # type: ignore[index]
        made = [node["id"] for node in step.get("made", [])]
        assert id in made or step["kind"] == "end"


# --- the other kinds of BPE

LETTERS = [("<unk>", 0.0, 2), ("▁", -1.0, 1), ("l", -1.0, 1), ("o", -1.0, 1), ("lo", -2.5, 1)]
FALLBACK = [*LETTERS, *((f"<0x{byte:02X}>", 0.0, 6) for byte in range(256))]
RANKED = [*(bytes([byte]) for byte in range(256)), b"cc!", b"ab"]
SCORED = sentencepieces.made(FALLBACK, model_type=2, byte_fallback=True)
BARE = sentencepieces.made(LETTERS[:3], model_type=2)
TIKTOKEN = b"".join(base64.b64encode(piece) + b" %d\n" % rank for rank, piece in enumerate(RANKED))
TOGETHER = b"#version: 0.2\na a\naa b</w>\n"


@pytest.mark.parametrize(
    ("content", "name", "text", "kind", "sentence"),
    [
        (None, "bpe-characters", "☃", "begin", "Characters without a piece become the unknown token: “☃”."),
        (SCORED, "scored.model", "loé", "replace", "“é” is not a piece: its 2 bytes, C3 A9, are used instead"),
        (BARE, "bare.model", "léñ", "replace", "“éñ” is not a piece: the whole run"),
        (TIKTOKEN, "my.tiktoken", "ab", "end", "“ab” is a piece, id 257. This tokenizer looks up the whole word first"),
        (TOGETHER, "codes.txt", "aacaab", "merge", "The pair occurs 2 times; all occurrences are merged together."),
    ],
)
def test_each_kind_of_bpe_is_explained(
    client: FlaskClient, content: bytes | None, name: str, text: str, kind: str, sentence: str
) -> None:
    vocabulary = name if content is None else query_of(upload(client, content, name=name))["vocabulary"]
    step = of_kind(json_of(client, "bpe", text, vocabulary=vocabulary), kind)[0]
    page = page_of(client, "bpe", text, step=step["step"], vocabulary=vocabulary)
    assert sentence in told(page) or sentence in step["sentence"]
    assert page.count('class="together"') == len(step.get("chosen", ()))


def test_a_vocabulary_without_merges(client: FlaskClient) -> None:
    bare = json.dumps({"version": "1.0", "model": {"type": "BPE", "vocab": {"l": 0, "o": 1}, "merges": []}})
    vocabulary = query_of(upload(client, bare.encode()))["vocabulary"]
    answer = client.get("/steps/bpe", query_string={"text": "lo", "vocabulary": vocabulary, "lang": "en"})
    assert answer.status_code == 422
    assert "This vocabulary has no merges, so there are no steps to show." in answer.text


def test_added_tokens_are_listed_among_the_words(client: FlaskClient) -> None:
    original = bpe()
    original.add_special_tokens(["<s>"])
    start = original.token_to_id("<s>")
    original.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", start)])
    vocabulary = query_of(upload(client, original.to_str().encode()))["vocabulary"]
    text = "little <s> truth"
    state = {"vocabulary": vocabulary, "special": "1", "template": "1"}
    found = json_of(client, "bpe", text, **state)
    assert found["ids"] == original.encode(text).ids
    added = of_kind(found, "added")
    assert [told(page_of(client, "bpe", text, step=step["step"], **state)) for step in added] == [
        "<s> is a special token that the vocabulary adds around the text; the algorithm does not see it.",
        "<s> is an added token: it is matched in the text as a whole and never split.",
    ]
    page = page_of(client, "bpe", text, token=found["ids"].index(start, 1), **state)
    assert f'data-step="{added[1]["step"]}"' in page


# --- the trees as pictures


@EXPENSIVE_WITH_SAME_FIXTURE
@given(text=st.text(st.sampled_from("low er研é😀ing"), min_size=1, max_size=30))
def test_no_two_nodes_overlap(app: Flask, text: str) -> None:
    every = list(merging_steps(shipped_tokenizer("bpe-bytes").model, TracedWord(text, 0)))  # type: ignore[arg-type]
    nodes = [node for step in every[:-1] for node in getattr(step, "made", step.symbols)]
    with app.test_request_context("/?lang=en"):
        picture = merge_tree(text, nodes, every[-1].symbols)
    figure = picture.figure
    boxes = [shape for shape in figure.shapes if isinstance(shape, FigureBox) and shape.kind.startswith("token")]
    boxes.sort(key=lambda box: box.x)
    assert len(boxes) == len(every[-1].symbols)
    assert len({box.y for box in boxes}) == 1
    for left, right in pairwise(boxes):
        assert left.x + left.width <= right.x
    labels = [shape for shape in figure.shapes if isinstance(shape, FigureLabel)]
    assert all(0 <= label.x <= figure.width and 0 <= label.y <= figure.height for label in labels)
    places = [(label.x, label.y) for label in labels]
    assert len(set(places)) == len(places)
    assert picture.made == len(nodes)
