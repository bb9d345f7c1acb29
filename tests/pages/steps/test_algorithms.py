"""What the steps of each algorithm say: the reason of a decision, its numbers, special cases, limits."""

import csv
import io
import json
import re
from html import unescape
from math import exp, isclose, log
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.pages.steps import json_of, page_of, shown, steps_of
from webapp.pages.steps.requests import DICTIONARIES
from webapp.pages.walkthrough.lattice_drawing import MAX_LANES

OWN = {"vocabulary": "own-dictionary", "dictionary": "研究\n研究生\n生命\n生\n科学"}
NETEASE = "他来到了网易杭研大厦"
COUNTED = {"vocabulary": "learned-ngram", "smoothing": "add-one"}


@pytest.mark.parametrize(
    ("algorithm", "text", "query", "sentences"),
    [
        ("fmm", "研究生命科学", {"step": 4, **OWN}, ["overlapping ambiguity", "All ambiguities of this text"]),
        ("bidirectional", "研究生命科学", {"step": 7, **OWN}, ["Bidirectional matching chooses BMM", "Words of BMM"]),
        ("max-probability", "龥", {"step": 1}, ["No word of the dictionary starts at 0"]),
        ("max-probability", "ab", {"step": 3, "hmm": "0"}, ["they become one token"]),
        # The best path takes the characters of a word that is rarer than they are.
        ("max-probability", "台中", {"step": 3, "vocabulary": "own-dictionary", "dictionary": "台 900\n中 900\n台中 1"},
         ["they stay single"]),
        ("max-probability", "研究生命科学的人" * 6, {"step": 10}, ["so only the part around this step is drawn"]),
        ("max-probability", NETEASE, {"token": 4},
         ["This step decides the token", "Traced back, the states are B E", "−∞ stands for"]),
        ("max-probability", "研究，生命", {"token": 1}, ["The text has"]),  # a comma is in no block
        ("ngram", "人生如梦境", {"step": 5, **COUNTED}, ["(1 + 1) / (3 + 6)", "= 0.222"]),
        ("ngram", "烎", {"step": 1}, ["times that of its spelling"]),
    ],
)  # fmt: skip
def test_a_step_says_what_happens(
    client: FlaskClient, algorithm: str, text: str, query: dict[str, Any], sentences: list[str]
) -> None:
    page = page_of(client, algorithm, text, **query)
    assert [sentence for sentence in sentences if sentence not in shown(page)] == []


@pytest.mark.parametrize(
    ("algorithm", "text", "query", "status", "message"),
    [
        ("max-probability", "哈" * 200,
         {"vocabulary": "own-dictionary", "dictionary": "\n".join("哈" * length for length in range(1, 60))},
         413, "has more than 4,000 words"),
        *((algorithm, "hugs", {"n": n}, 422, "must be from 1 to 20")
          for algorithm in ("ngram", "unigram") for n in ("0", "21", "²")),
    ],
)  # fmt: skip
def test_what_is_too_much_is_refused_with_a_way_on(
    client: FlaskClient, algorithm: str, text: str, query: dict[str, str], status: int, message: str
) -> None:
    answer = client.get(f"/steps/{algorithm}", query_string={"text": text, "lang": "en", **query})
    assert answer.status_code == status
    assert message in answer.text
    if "n" in query:  # the form would send the same again
        out = re.search(r'(?s)role="alert">.*?<a class="btn" href="([^"]+)"', answer.text)
        assert out is not None
        assert client.get(unescape(out[1])).status_code == 200


# --- dictionaries


def test_the_examples_are_the_worked_examples_in_both_directions(client: FlaskClient, shared: Path) -> None:
    worked = json.loads((shared / "examples" / "worked_examples.json").read_text(encoding="utf-8"))["maximum_matching"]
    assert {(one["text"], tuple(one["dictionary"])) for one in worked} == set(DICTIONARIES)
    page = client.get("/steps").text
    addresses = list(map(unescape, re.findall(r'class="btn example" href="([^"]+own-dictionary[^"]+)"', page)))
    assert len(addresses) == len(DICTIONARIES)
    for address, (text, words) in zip(addresses, DICTIONARIES, strict=True):
        for algorithm in ("fmm", "bmm"):
            (expected,) = (one[algorithm] for one in worked if one["text"] == text)
            ids = [words.index(word) if word in words else len(words) for word in expected]
            assert client.get(address.replace("/fmm?", f"/{algorithm}?") + "&format=json").get_json()["ids"] == ids


@pytest.mark.parametrize(
    ("algorithm", "text", "query", "field", "changed"),
    [
        ("fmm", "研究生命科学", OWN, "dictionary", "研究\n生命"),
        ("ngram", "人生如梦境", COUNTED, "corpus", "人 生如 梦境"),
    ],
)
def test_own_words_are_shown_and_can_be_changed(
    client: FlaskClient, algorithm: str, text: str, query: dict[str, str], field: str, changed: str
) -> None:
    def written(page: str) -> str:
        box = re.search(rf'(?s)<textarea name="{field}" rows[^>]*>(.*?)</textarea>', page)
        return unescape(box[1]).strip() if box else ""

    assert written(page_of(client, algorithm, text, **query)).startswith(query.get(field, "人生 如 梦境"))
    moved = client.post(f"/steps/{algorithm}", data={"text": text, **query, field: changed})
    assert moved.status_code == 303
    assert written(client.get(moved.headers["Location"]).text) == changed
    if field == "corpus":
        found = client.get(f"{moved.headers['Location']}&format=json").get_json()
        assert found["steps"][-1]["sentences"][0]["words"] == ["人", "生如", "梦境"]


def test_bidirectional_matching_shows_both_directions_and_the_decision(client: FlaskClient) -> None:
    found = steps_of(client, "bidirectional", "研究生命科学", **OWN)
    assert [step.get("direction") for step in found[1:-1]] == ["forward"] * 3 + ["backward"] * 3
    assert (found[-1]["kind"], found[-1]["taken"]) == ("verdict", "backward")
    # BMM reads from the right, so its last decision is the first word.
    assert 'data-step="6"' in page_of(client, "bidirectional", "研究生命科学", token=0, **OWN)


# --- maximum probability


def test_the_sums_are_filled_from_the_right_and_add_up(client: FlaskClient) -> None:
    found = [step for step in steps_of(client, "max-probability", NETEASE) if step["kind"] == "sum"]
    assert [step["start"] for step in found] == list(range(len(NETEASE) - 1, -1, -1))
    best = {len(NETEASE): 0.0}
    for step in found:
        for one in step["candidates"]:
            assert one["score"] == pytest.approx(log(one["frequency"] / 60_101_967))
            assert one["after"] == best[one["end"]]
            assert one["total"] == pytest.approx(one["score"] + one["after"])
        best[step["start"]] = max(one["total"] for one in step["candidates"])
        assert step["candidates"][step["winner"]]["total"] == best[step["start"]]


def test_the_path_goes_to_the_hmm_where_single_characters_are_left(client: FlaskClient) -> None:
    found = steps_of(client, "max-probability", NETEASE)
    (path,) = [step for step in found if step["kind"] == "path"]
    assert path["words"] == ["他", "来到", "了", "网易", "杭", "研", "大厦"]
    assert path["runs"] == [{"start": 6, "end": 8, "kind": "hmm", "words": ["杭研"]}]
    (states,) = [step for step in found if step["kind"] == "states"]
    assert (states["text"], states["states"], states["words"]) == ("杭研", "BE", ["杭研"])
    assert found[-1]["words"] == ["他", "来到", "了", "网易", "杭研", "大厦"]


# --- n-grams


def test_the_words_are_those_of_the_playground_and_the_best_of_all(client: FlaskClient) -> None:
    last = steps_of(client, "ngram", "人生如梦境", **COUNTED)[-1]
    (sentence,) = last["sentences"]
    assert sentence["words"] == ["人生", "如", "梦境"]
    assert [one["words"] for one in sentence["n_best"]][:2] == [["人生", "如", "梦境"], ["人生", "如", "梦", "境"]]
    assert isclose(exp(last["sum"]), 1 / 180)
    assert isclose(sum(one["share"] for one in sentence["n_best"]), 1)  # there are only four


def test_sentences_and_white_space(client: FlaskClient) -> None:
    text = "人生如戏。 人生 如梦！\nabc 12"
    found = json_of(client, "ngram", text)
    words = [word for sentence in found["steps"][-1]["sentences"] for word in sentence["words"]]
    assert "".join(words) == "".join(text.split())
    assert {"abc", "12"} <= set(words)
    page_of(client, "ngram", text, token=len(found["ids"]) - 1)


def test_a_long_text_stays_bounded(client: FlaskClient) -> None:
    page = page_of(client, "ngram", "中华人民共和国全国人民代表大会常务委员会" * 4, order="3", step=60)
    assert "only the part around this step is drawn" in page
    assert len(page.encode()) < 400_000
    height = re.search(r'<svg class="diagram[^>]*viewBox="0 0 [\d.]+ ([\d.]+)"', page)
    assert height is not None
    assert float(height[1]) < 70 * (MAX_LANES + 3)


def test_all_rows_are_a_csv_file(client: FlaskClient) -> None:
    answer = client.get("/steps/ngram", query_string={"text": "人生如梦境", "lang": "en", "format": "csv", **COUNTED})
    assert answer.mimetype == "text/csv"
    rows = list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))
    dream = next(row for row in rows if row["Word"] == "梦境")
    assert dream["Formula"] == "(1 + 1) / (3 + 6)"
    assert isclose(float(dream["Probability"]), 2 / 9)
