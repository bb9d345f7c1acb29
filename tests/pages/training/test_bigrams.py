"""The page with the steps of word bigrams."""

from __future__ import annotations

import json
import re
from pathlib import Path

from flask.testing import FlaskClient

ADDRESS = "/steps/training/bigrams"


def steps_of(client: FlaskClient, **query: str) -> list[dict[str, object]]:
    steps: list[dict[str, object]] = client.get(ADDRESS, query_string={**query, "format": "json"}).get_json()["steps"]
    return steps


def test_the_preset_is_the_worked_example(client: FlaskClient) -> None:
    steps = steps_of(client)
    assert steps[-1]["words"] == ["人生", "如", "梦境"]
    assert len(steps) == 1 + len("人生如梦境") + 1 + 1  # the counts, the positions, the end, the words


def test_the_sentences_of_the_preset_are_those_of_the_worked_example(client: FlaskClient, shared: Path) -> None:
    worked = json.loads((shared / "examples" / "worked_examples.json").read_text(encoding="utf-8"))["ngram_viterbi"]
    corpus = "\n".join(" ".join(sentence) for sentence in worked["sentences"])
    assert f">\n{corpus}</textarea>" in client.get(ADDRESS).text
    assert steps_of(client, corpus=corpus, text=worked["text"])[-1]["words"] == worked["segmentation"]


def test_english_without_spaces(client: FlaskClient) -> None:
    corpus = "the table down there\nthe men own the table\ntheta bled"
    assert steps_of(client, corpus=corpus, text="thetabledownthere")[-1]["words"] == ["the", "table", "down", "there"]


def test_a_text_with_textbook_edge_marks_loses_no_characters(client: FlaskClient) -> None:
    for corpus in ("a b", "<s> a\n</s> b"):
        for text in ("<s>a", "a</s>b", "<s></s>"):
            steps = steps_of(client, corpus=corpus, text=text)
            assert "".join(steps[-1]["words"]) == text  # type: ignore[arg-type]
            assert steps[1]["candidates"][0]["previous"] == "<s>"  # type: ignore[index]


def test_every_step_is_drawn(client: FlaskClient) -> None:
    for step in range(8):
        page = client.get(ADDRESS, query_string={"step": step})
        assert page.status_code == 200
        assert page.text.count('class="say"') == 1
    assert client.get(ADDRESS, query_string={"step": 8}).status_code == 404


def test_unknown_words_and_markup(client: FlaskClient) -> None:
    query = {"corpus": "a b\n<script>alert(1)</script> c", "text": "a<x\x07"}
    for step in range(7):
        page = client.get(ADDRESS, query_string={**query, "step": step})
        assert page.status_code == 200
        assert "<script>alert" not in page.text
    assert "unknown" in page.text


def test_without_a_text_the_first_sentence_is_segmented(client: FlaskClient) -> None:
    assert steps_of(client, corpus="the table\nthe men", text="")[-1]["words"] == ["the", "table"]


def test_every_position_shows_the_best_path_to_it(client: FlaskClient) -> None:
    paths = []
    for step in range(1, 7):
        page = client.get(ADDRESS, query_string={"step": step}).text
        paths.append(re.findall(r'<bdi class="tok k\d">([^<]*)</bdi>', page))
    assert paths == [
        ["人"],
        ["人生"],
        ["人生", "如"],
        ["人生", "如", "梦"],
        ["人生", "如", "梦境"],
        ["人生", "如", "梦境"],
    ]


def test_all_positions_are_one_table(client: FlaskClient) -> None:
    lines = client.get(f"{ADDRESS}/rounds?format=tsv&lang=en").text.splitlines()
    assert lines[0].split("\t")[:4] == ["Position", "Word", "Previous word", "Probability"]
    assert lines[2].split("\t")[:4] == ["2", "人生", "the beginning", "(2 + 1) / (4 + 6)"]
    assert lines[-1].startswith("5\tthe end\t梦境\t")


def test_a_corpus_that_is_too_long_is_refused(client: FlaskClient) -> None:
    answer = client.post(ADDRESS, data={"corpus": "a " * 1_001, "text": "a"})
    assert answer.status_code == 413
    assert "2,002" in answer.text
