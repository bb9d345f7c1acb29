"""BPE step by step on the page: each merge and its reason, the trees, and longest piece first for comparison."""

import base64
import html
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import processors

from tests.core import sentencepieces
from tests.pages.playground.test_uploads import bpe, query_of, upload
from tests.pages.steps.test_steps import told
from tests.properties import EXPENSIVE_WITH_SAME_FIXTURE
from tests.site import Page
from webapp.core.traces.merging import EndStep, MergeNode, TracedWord, merging_steps
from webapp.pages.walkthrough.merge_tree import MergeTree, merge_tree
from webapp.rendering.pictures.figure import FigureBox, FigureLabel
from webapp.vocabularies import shipped_tokenizer

TEXT = "Unbelievably, tokenization isn't 研究生 trivial."


def steps_json(client: FlaskClient, text: str, **state: object) -> dict[str, Any]:
    """Return all steps as JSON."""
    answer = client.get("/steps/bpe", query_string={"text": text, "format": "json", "lang": "en", **state})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.get_json()
    return found


def at(client: FlaskClient, text: str, step: int, **state: object) -> str:
    """Return the page of a step."""
    answer = client.get("/steps/bpe", query_string={"text": text, "step": step, "lang": "en", **state})
    assert answer.status_code == 200, answer.text
    return answer.text


def of_kind(found: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [step for step in found["steps"] if step["kind"] == kind]


@pytest.mark.parametrize("vocabulary", ["bpe-bytes", "bpe-characters", "learned-bytes", "learned-characters"])
@EXPENSIVE_WITH_SAME_FIXTURE
@given(text=st.text(st.one_of(st.sampled_from("low er研é😀"), st.characters(exclude_categories=["Cs"])), max_size=40))
def test_the_steps_end_in_the_tokens_of_the_playground(client: FlaskClient, vocabulary: str, text: str) -> None:
    found = steps_json(client, text or "low", vocabulary=vocabulary, size=20)
    page = client.get(
        "/", query_string={"text": text or "low", "vocabulary": vocabulary, "algorithm": "bpe", "size": 20}
    )
    assert found["ids"] == Page(page.text).ids
    assert [id for word in found["steps"][-1]["words"] for id in word["ids"]] == found["ids"]
    # The page of the last step draws everything.
    assert at(client, text or "low", len(found["steps"]) - 1, vocabulary=vocabulary, size=20)


def test_a_step_names_the_merged_pair_and_the_reason(client: FlaskClient) -> None:
    found = steps_json(client, " lower")
    merge = of_kind(found, "merge")[0]
    left, right = (merge["symbols"][merge["chosen"][0] + place] for place in (0, 1))
    rank = merge["ranks"][merge["chosen"][0]]
    assert rank == min(other for other in merge["ranks"] if other is not None)
    page = at(client, " lower", merge["step"])
    assert f"The lowest rank, {rank}, is that of “{left}” + “{right}”." in told(page)
    assert f"id {merge['made'][0]['id']}" in told(page)
    together = re.findall(r'<span class="together">(.*?</span></span>)</span>', page, re.DOTALL)
    assert len(together) == 1
    assert re.findall(r"<bdi>(.*?)</bdi>", together[0]) == [left, right]
    assert f"<span>{rank}</span>" in together[0]
    # All pairs are in the row and in the table.
    assert page.count('class="gap') == len(merge["symbols"]) - 1
    assert "merged now" in page


def test_parts_of_characters_are_shown_as_bytes(client: FlaskClient) -> None:
    merge = of_kind(steps_json(client, "生"), "merge")[1]
    assert "“⟨E7 94⟩” + “⟨9F⟩”, with rank 365. They become “生”" in merge["sentence"]


def test_a_token_links_to_the_merge_that_produced_it(client: FlaskClient) -> None:
    found = steps_json(client, TEXT)
    for index, id in enumerate(found["ids"]):
        answer = client.get("/steps/bpe", query_string={"text": TEXT, "token": index})
        step = found["steps"][int(re.search(r'data-step="(\d+)"', answer.text)[1])]  # type: ignore[index]
        made = [node["id"] for node in step.get("made", [])]
        assert id in made or step["kind"] == "end"


def test_the_trees_of_all_words(client: FlaskClient) -> None:
    found = steps_json(client, TEXT)
    page = at(client, TEXT, len(found["steps"]) - 1)
    words = found["steps"][-1]["words"]
    assert page.count('<svg class="diagram"') == len(words)
    assert "style=" not in page
    for word in words:
        for node in word["nodes"]:
            assert f">{node['id']}</text>" in page
            if node.get("rank") is not None:
                assert re.search(rf'<text class="rank"[^>]*>{node["rank"]:,}</text>', page)
    # Characters of several bytes are written above those.
    assert re.search(r'<text class="character"[^>]*>研</text>', page)
    assert len(re.findall(r'<rect class="token k\d"', page)) == len(found["ids"])


def test_hostile_text_is_escaped(client: FlaskClient) -> None:
    text = "<script>alert(1)</script>\x00\u202e'\"&"
    for state in ({}, {"longest": "1"}, {"vocabulary": "bpe-characters"}):
        found = steps_json(client, text, **state)
        for step in range(len(found["steps"])):
            page = at(client, text, step, **state)
            assert "alert(1)" not in page.replace(html.escape(text[:25]), "")
            assert "\u202e" not in page.split('id="show"')[1]


# --- the other kinds of BPE


def test_scores_and_byte_fallback(client: FlaskClient) -> None:
    bytes_ = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
    pieces = [("<unk>", 0.0, 2), ("▁", -1.0, 1), ("l", -1.0, 1), ("o", -1.0, 1), ("lo", -2.5, 1), *bytes_]
    content = sentencepieces.made(pieces, model_type=2, byte_fallback=True)
    vocabulary = query_of(upload(client, content))["vocabulary"]
    found = steps_json(client, "loé", vocabulary=vocabulary)
    [merge] = of_kind(found, "merge")
    assert "no merge crosses the boundary of a word" not in at(client, "loé", merge["step"], vocabulary=vocabulary)
    assert "no merge crosses the boundary of a word" in at(client, "lo lo", 1, vocabulary=vocabulary)
    assert "score −2.5" in told(at(client, "loé", merge["step"], vocabulary=vocabulary))
    [fallback] = of_kind(found, "replace")
    assert [made["piece"] for made in fallback["made"]] == ["<0xC3>", "<0xA9>"]
    page = at(client, "loé", fallback["step"], vocabulary=vocabulary)
    assert "“é” is not a piece: its 2 bytes, C3 A9, are used instead (byte fallback)." in told(page)
    assert "Merge by score (this tokenizer)" in page
    assert found["ids"][-2:] == [5 + 0xC3, 5 + 0xA9]


def test_the_longest_piece_first_is_compared_with_merging_by_score(client: FlaskClient) -> None:
    letters = [("▁", -9.0, 1), *((letter, -9.0, 1) for letter in "abcd")]
    merged = [("ab", -1.0, 1), ("bc", -2.0, 1), ("cd", -3.0, 1), ("bcd", -4.0, 1)]
    content = sentencepieces.made([("<unk>", 0.0, 2), *letters, *merged], model_type=2)
    state = {"vocabulary": query_of(upload(client, content))["vocabulary"], "longest": "1"}
    found = steps_json(client, "abcd", **state)
    assert "bcd" in [step["piece"] for step in of_kind(found, "longest")]
    for step in (1, len(found["steps"]) - 1):
        page = at(client, "abcd", step, **state)
        assert "Merge by score (this tokenizer)" in page
        assert "by rank" not in page.lower()
    assert "<h3>By score</h3>" in page


def test_an_unknown_run_without_byte_fallback_is_one_token(client: FlaskClient) -> None:
    content = sentencepieces.made([("<unk>", 0.0, 2), ("▁", -1.0, 1), ("l", -1.0, 1)], model_type=2)
    vocabulary = query_of(upload(client, content))["vocabulary"]
    found = steps_json(client, "léñ", vocabulary=vocabulary)
    [unknown] = of_kind(found, "replace")
    sentence = told(at(client, "léñ", unknown["step"], vocabulary=vocabulary))
    assert "“éñ” is not a piece: the whole run becomes one unknown token, id 0." in sentence


def test_a_word_that_is_a_piece_is_not_merged(client: FlaskClient) -> None:
    pieces = [bytes([byte]) for byte in range(256)] + [b"cc!", b"ab"]
    content = b"".join(base64.b64encode(piece) + b" %d\n" % rank for rank, piece in enumerate(pieces))
    vocabulary = query_of(upload(client, content, name="my.tiktoken"))["vocabulary"]
    sentence = told(at(client, "ab", 1, vocabulary=vocabulary))
    assert "“ab” is a piece, id 257. This tokenizer looks up the whole word first" in sentence
    assert "Merging would give the same token" in sentence


def test_characters_unknown_from_the_start_are_explained(client: FlaskClient) -> None:
    found = steps_json(client, "low ☃", vocabulary="bpe-characters")
    begin = of_kind(found, "begin")[1]
    sentence = told(at(client, "low ☃", begin["step"], vocabulary="bpe-characters"))
    assert "“☃” is not a piece and becomes the unknown token." in sentence


def test_a_vocabulary_without_merges(client: FlaskClient) -> None:
    bare = json.dumps({"version": "1.0", "model": {"type": "BPE", "vocab": {"l": 0, "o": 1}, "merges": []}})
    vocabulary = query_of(upload(client, bare.encode()))["vocabulary"]
    answer = client.get("/steps/bpe", query_string={"text": "lo", "vocabulary": vocabulary, "lang": "en"})
    assert answer.status_code == 422
    assert "This vocabulary has no merges, so there are no steps to show." in answer.text
    assert "Use the vocabulary that ships with this site" in answer.text
    # For a trained vocabulary the slider may be at no merges.
    assert "merging ends here" in told(at(client, "low", 2, vocabulary="learned-bytes", size=0))


def test_all_occurrences_of_a_pair_are_merged_together(client: FlaskClient) -> None:
    vocabulary = query_of(upload(client, b"#version: 0.2\na a\naa b</w>\n", name="codes.txt"))["vocabulary"]
    found = steps_json(client, "aacaab", vocabulary=vocabulary)
    merge = of_kind(found, "merge")[0]
    assert merge["chosen"] == [0, 3]
    page = at(client, "aacaab", merge["step"], vocabulary=vocabulary)
    assert "The pair occurs 2 times; all occurrences are merged together." in told(page)
    assert page.count('class="together"') == 2


def test_added_tokens_are_listed_among_the_words(client: FlaskClient) -> None:
    original = bpe()
    original.add_special_tokens(["<s>"])
    start = original.token_to_id("<s>")
    original.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", start)])
    vocabulary = query_of(upload(client, original.to_str().encode()))["vocabulary"]
    text = "little <s> truth"
    state = {"vocabulary": vocabulary, "special": "1", "template": "1"}
    found = steps_json(client, text, **state)
    assert found["ids"] == original.encode(text).ids
    added = of_kind(found, "added")
    assert [told(at(client, text, step["step"], **state)) for step in added] == [
        "<s> is a special token that the vocabulary adds around the text; the algorithm does not see it.",
        "<s> is an added token: it is matched in the text as a whole and never split.",
    ]
    index = found["ids"].index(start, 1)
    answer = client.get("/steps/bpe", query_string={"text": text, "token": index, "lang": "en", **state})
    assert f'data-step="{added[1]["step"]}"' in answer.text
    assert steps_json(client, text, longest="1", **state)["ids"].count(start) == 2


# --- longest piece first


def test_the_example_of_the_tutorial_gives_its_result(client: FlaskClient, shared: Path) -> None:
    examples = json.loads((shared / "examples" / "worked_examples.json").read_text(encoding="utf-8"))
    example = examples["bpe_longest_piece_first"]
    pieces = ["<unk>", *example["pieces"]]
    state = {"vocabulary": "bpe-characters", "longest": "1", "pieces": "tutorial"}
    for word, expected in example["encode"].items():
        assert [pieces[id] for id in steps_json(client, word, **state)["ids"]] == expected
    for tokens, text in example["decode"]:
        words = "".join(tokens).replace("</w>", " ").split()
        found = steps_json(client, " ".join(words), **state)
        if [pieces[id] for id in found["ids"]] == tokens:
            sentence = told(at(client, " ".join(words), len(found["steps"]) - 1, **state))
            assert f"they read “{text.replace(' ', '·')}”" in sentence


def test_the_example_of_the_tutorial_is_linked(client: FlaskClient) -> None:
    page = at(client, "low", 1, longest="1")
    link = html.unescape(re.search(r'<a href="([^"]+pieces=tutorial[^"]*)"', page)[1])  # type: ignore[index]
    answer = client.get(link + "&step=1&lang=en")
    assert "The longest piece in “mountain” is “tain</w>”, 5 symbols long" in told(answer.text)
    last = client.get(link + "&step=8&lang=en")
    assert "“mountain·highest·the·<unk><unk>ve”" in told(last.text)


def test_differences_between_the_two_strategies_are_counted(client: FlaskClient) -> None:
    text = "The widest birds"
    by_rank, longest = steps_json(client, text), steps_json(client, text, longest="1")
    pieces = shipped_tokenizer("bpe-bytes").model.pieces
    assert [pieces[id] for id in by_rank["ids"]] == [b"The", b" wid", b"est", b" bir", b"ds"]
    assert [pieces[id] for id in longest["ids"]] == [b"The", b" wide", b"st", b" bird", b"s"]
    for state in ({}, {"longest": "1"}):
        found = steps_json(client, text, **state)
        page = at(client, text, len(found["steps"]) - 1, **state)
        assert "The methods differ in 2 words. Both give 5 tokens, but not the same ones." in page
        assert page.count(" differs") == 8
    same = at(client, "The", len(steps_json(client, "The")["steps"]) - 1)
    assert "Both methods give the same tokens for this text." in same
    assert "Try a text where they differ" in same


def test_the_rounds_of_longest_piece_first(client: FlaskClient) -> None:
    found = steps_json(client, " widest", longest="1")
    assert [step["piece"] for step in of_kind(found, "longest")] == [" wide", "st"]
    page = at(client, " widest", 1, longest="1")
    assert "Left: “st”." in told(page)
    assert "taken now" in page
    assert client.get("/steps/bpe", query_string={"text": " widest", "longest": "1", "token": 1}).status_code == 200


# --- the trees as pictures


def tree_of(text: str) -> tuple[list[MergeNode], tuple[MergeNode, ...], MergeTree]:
    model = shipped_tokenizer("bpe-bytes").model
    every = list(merging_steps(model, TracedWord(text, 0)))  # type: ignore[arg-type]
    nodes = [node for step in every if not isinstance(step, EndStep) for node in getattr(step, "made", step.symbols)]
    assert isinstance(every[-1], EndStep)
    return nodes, every[-1].symbols, merge_tree(text, nodes, every[-1].symbols)


@EXPENSIVE_WITH_SAME_FIXTURE
@given(text=st.text(st.sampled_from("low er研é😀ing"), min_size=1, max_size=30))
def test_no_two_nodes_overlap(app: Flask, text: str) -> None:
    with app.test_request_context("/?lang=en"):
        nodes, tokens, picture = tree_of(text)
    figure = picture.figure
    boxes = [shape for shape in figure.shapes if isinstance(shape, FigureBox) and shape.kind.startswith("token")]
    boxes.sort(key=lambda box: box.x)
    assert len(boxes) == len(tokens)
    assert len({box.y for box in boxes}) == 1
    for left, right in pairwise(boxes):
        assert left.x + left.width <= right.x
    labels = [shape for shape in figure.shapes if isinstance(shape, FigureLabel)]
    assert all(0 <= label.x <= figure.width and 0 <= label.y <= figure.height for label in labels)
    places = [(label.x, label.y) for label in labels]
    assert len(set(places)) == len(places)
    assert len(picture.rows) == len(nodes)


def test_a_text_on_which_the_strategies_differ_is_offered_when_they_agree(client: FlaskClient) -> None:
    asked = {"text": "low lower", "vocabulary": "bpe-characters", "longest": "1", "lang": "en"}
    last = len(client.get("/steps/bpe", query_string={**asked, "format": "json"}).get_json()["steps"]) - 1
    page = client.get("/steps/bpe", query_string={**asked, "step": str(last)}).text
    assert "Both methods give the same tokens" in page
    offered = re.search(r'<a class="btn" href="([^"]+)">Try a text where they differ', page)
    assert offered is not None
    other = client.get(html.unescape(offered[1]) + "&format=json&lang=en").get_json()
    assert "The methods differ in" in other["steps"][-1]["sentence"]
