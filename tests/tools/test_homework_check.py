"""`/homework` and `POST /api/v1/check`: answers that are typed or uploaded, and what is wrong with them."""

import json
from io import BytesIO
from typing import Any

import pytest
from flask.testing import FlaskClient

from tests.site import words
from webapp.core.homework.exercises import EXERCISES
from webapp.tools.homework.sentences import SENTENCES
from webapp.web.addresses import packed

OTHER = "e s\nes t\nl o\nlo w\nn e\nne w"


def check(client: FlaskClient, **body: Any) -> Any:
    answer = client.post("/api/v1/check", json=body)
    return answer.json if answer.status_code == 200 else (answer.status_code, answer.json["errors"][0])


def test_a_verdict_for_programs(client: FlaskClient) -> None:
    found = check(client, exercise="cs336-bpe-example", answer=OTHER)
    assert (found["outcome"], found["rule"], found["place"], found["why"]) == ("other-rule", "first-seen", 1, "tie")
    assert "Both pairs occur 9 times. The exercise takes the lexicographically greater pair." in found["message"]
    assert found["yours"] == {"text": "e s", "count": 9, "words": [["n e w e s t", 6], ["w i d e s t", 3]], "more": 0}
    page = client.get(found["link"])
    assert page.status_code == 200
    assert "step=1" in found["link"]


def test_the_link_shows_the_word_of_a_segmentation(client: FlaskClient) -> None:
    given = {"dictionary": "研究\n研究生\n生命\n", "text": "研究生命"}
    found = check(client, exercise="hit-fmm", answer="研究/ 生命/", given=given)
    assert (found["outcome"], found["right"]["text"]) == ("other-rule", "研究生 / 命")
    page = client.get(found["link"])
    assert page.status_code == 200
    assert "研究生" in page.text


def test_the_link_of_a_probable_path_has_the_total_of_all_words(client: FlaskClient) -> None:
    found = check(client, exercise="hit-unigram", answer="研究 生命 科学\n你 才 能 来\n他 的 才能 很 高")
    assert found["place"] == 2
    total = EXERCISES["hit-unigram"].parameters["training"].count("/")
    assert f"of frequency / {total}, the sum of all frequencies" in words(client.get(found["link"] + "&lang=en"))
    assert "hmm=0" in found["link"]


def test_the_link_of_a_corpus_that_the_walkthrough_would_split_shows_the_round(client: FlaskClient) -> None:
    """`don't` is one word in the exercise, two in GPT-2's pattern; as are corpora that no address holds."""
    own = {"algorithm": "bpe-bytes", "text": "don't don't can't can't won't", "merges": 3, "ties": "greater"}
    sheet = json.dumps({"tasks": [own]})
    found = check(client, sheet=sheet, exercise="own-1", answer="' t\nn 't\no n't")
    assert (found["place"], found["yours"]["text"], found["right"]["text"]) == (1, "' t", "n '")
    page = client.get(found["link"] + "&lang=en")
    assert page.status_code == 200
    assert "occur next to each other 5 times, as often as one other pair" in words(page)
    assert "these are words that hold one of the two pairs" in words(page)
    assert '<bdi>n&#39;</bdi><span class="cell-id">256</span>' in page.text  # a token of a whole word
    found = check(client, sheet=sheet, exercise="own-1", answer="n '\nn' t\nw o")
    assert "Your pair occurs once, the right one 3 times." in found["message"]
    found = check(client, sheet=sheet, exercise="own-1", answer="n '\nn' t\nd on't")
    assert "1 merge on the whole" not in words(client.get(found["link"] + "&lang=en"))
    assert "so step 1 is round 3" in words(client.get(found["link"] + "&lang=en"))


@pytest.mark.parametrize("before", ["x", *map(packed, ("s", "s t\n\ne st", "a  b", "st e", "s t\n" * 401 + "s t"))])
def test_merges_in_an_address_that_are_none(client: FlaskClient, before: str) -> None:
    query = {"symbols": "bytes", "corpus": "low\t5", "before": before, "lang": "en"}
    page = client.get("/steps/training/bpe", query_string=query)
    assert page.status_code == 422
    assert "The merges in this address cannot be read" in words(page)


@pytest.mark.parametrize(
    ("body", "status", "pointer"),
    [
        ({"exercise": "nothing", "answer": "s t"}, 404, "#/exercise"),
        ({"exercise": "cs336-bpe-example"}, 422, "#/answer"),
        ({"exercise": "cs336-bpe-example", "answer": "one"}, 422, "#/answer"),
        ({"exercise": "cs336-train-bpe", "answer": "s t"}, 422, "#/given/corpus"),
        ({"answer": "s t"}, 422, "#/exercise"),
        ({"exercise": "hf-unhug", "answer": 5}, 422, "#/answer"),
        ({"exercise": "hf-unhug", "files": {"a": 5}}, 422, "#/files/a"),
    ],
)
def test_refused_bodies(client: FlaskClient, body: dict[str, Any], status: int, pointer: str) -> None:
    found = check(client, **body)
    assert (found[0], found[1]["pointer"]) == (status, pointer)


def test_uploaded_files(client: FlaskClient) -> None:
    for name, content, said in (
        ("merges.txt", OTHER.encode(), "the pair seen first"),
        ("merges.pkl", b"\x80\x04", "merges.pkl is a pickle"),
    ):
        fields = {"exercise": "cs336-bpe-example", "answer": "", "files": (BytesIO(content), name)}
        answer = client.post("/homework", data=fields, headers={"Accept-Language": "en"})
        assert said in answer.text


def test_files_of_a_laboratory_are_longer_than_other_forms(client: FlaskClient) -> None:
    sentence, line = "研究生命" * 250 + "\n", "研究生/ 命/ " * 250 + "\n"
    files = {"files": line * 1_500, "given/text": sentence * 1_500, "given/dictionary": "研究\n研究生\n生命\n"}
    uploads = {name: (BytesIO(content.encode()), f"{name[-4:]}.txt") for name, content in files.items()}
    answer = client.post("/homework", data={"exercise": "hit-fmm", "answer": "", **uploads})
    assert sum(len(content.encode()) for content in files.values()) > 8_900_000
    assert answer.status_code == 200
    assert "700" in answer.text  # the first sentences


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_wrong_answer_is_explained_in_both_languages(client: FlaskClient, language: str) -> None:
    for id in EXERCISES:
        answer = client.get("/homework", query_string={"exercise": id, "answer": "x y", "lang": language})
        assert answer.status_code in (200, 422), id


def test_sentences_are_in_both_languages() -> None:
    for part in SENTENCES.values():
        for texts in part.values():
            assert set(texts) == {"en", "zh"}
            places = [
                set(text.split("%(")[1:]) and {each.split(")")[0] for each in text.split("%(")[1:]}
                for text in texts.values()
            ]
            assert places[0] == places[1]
