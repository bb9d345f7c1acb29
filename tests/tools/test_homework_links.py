"""Every wrong answer about BPE has a link to the very round: the page shows that pair with that count."""

import json
import lzma
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from tests.site import words
from webapp.core.homework.check import solution
from webapp.core.homework.exercises import EXERCISES, own_exercise
from webapp.core.homework.files import handed_in
from webapp.core.homework.merges import judge
from webapp.core.homework.rounds import file_spelling, shown_piece
from webapp.core.homework.training import Training
from webapp.tools.homework.page import Checked

ANALECTS = "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？"
TEXTS = {
    "words": "low low lower newest newest",
    "a list by its looks": "low 5 lower 2 3D x 5",
    "punctuation": "don't don't can't can't won't",
    "a sentence": ANALECTS,
    "a long sentence": "".join(chr(0x4E00 + (number * number * 7 + number * 13) % 300) for number in range(250)),
    "many words": " ".join(chr(0x4E00 + number * number % 900) + "大学" * (number % 3) for number in range(300)),
    "a long first word": f"{'-'.join('abcdefghijklmnopqrstuvwxyzabcdefghi')} c-d a-b b-c",
    "joined characters": "👩‍👩‍👧 👩‍👩‍👧 é é",
    "a run": "aaaa aaaa aab aab aaa",
}
TRAININGS: dict[str, dict[str, Any]] = {
    id: dict(one.parameters)
    for id, one in EXERCISES.items()
    if one.kind == "merges" and one.parameters.get("symbols") != "wordpiece"
}
for algorithm in ("bpe", "bpe-bytes"):
    for at, text in enumerate([*TEXTS, "a run", "a sentence"]):
        ties = ("first-seen", "greater", "longest")[at % 3]
        own = {"text": TEXTS[text], "algorithm": algorithm, "merges": 20, "ties": ties}
        TRAININGS[f"{algorithm}, {text}, {ties}"] = dict(own_exercise(own).parameters)
"""The parameters of the exercises of courses that train BPE, and of some of one's own."""


def steps_at(client: FlaskClient, address: str) -> tuple[dict[str, list[str]], Any]:
    """The parameters of an address of a training, and the step that it opens."""
    query = parse_qs(urlsplit(address).query)
    return query, client.get(f"{address}&format=json").get_json()["steps"][int(query["step"][0])]


def pair_of(pair: Any) -> str:
    """A pair as verdicts have it; an end-of-word mark is the `_` of the exercise."""
    pieces = (bytes.fromhex(one["bytes"]) if isinstance(one, dict) else one for one in (pair["left"], pair["right"]))
    return " ".join(map(shown_piece, pieces)).replace("</w>", "_")


@pytest.mark.parametrize("name", TRAININGS)
def test_the_link_opens_the_round_with_the_pair_and_its_count(client: FlaskClient, name: str) -> None:
    """Answers that differ at the first merge, in the middle, at the last, and after it."""
    values, course = TRAININGS[name], Path(__file__).parents[1] / "core" / "trainers" / "cs336.json.xz"
    if name == "cs336-train-bpe":
        if not course.exists():
            pytest.skip("the word counts of CS336's corpus are not here")
        values["words"] = json.loads(lzma.decompress(course.read_bytes()))["counts"]
    training = Training.of(values, {})
    right, last = training.right, len(training.right)
    for place in sorted({0, 1, last // 2, last - 1, last}):
        others = {(left, other) for left, _ in right[place:] for _, other in right[place:]} - {*right[place:][:1]}
        value = training.rounds(right[:place]).value
        for wrong in [right[0][:1] * 2, *sorted(others, key=lambda pair: (value(pair), pair))[-2:]]:
            mine = [[*map(file_spelling, pair)] for pair in [*right[:place], wrong]]
            found = judge(training, handed_in("", {"merges.json": json.dumps(mine).encode()}))
            with client.application.test_request_context():
                address = Checked(None, EXERCISES["cs336-bpe-example"], verdict=found, reveals_all=True).steps
            assert address, (place, found.why)
            assert len(address) < 8_000
            query, step = steps_at(client, address)
            if found.right:
                assert (step["kind"], pair_of(step["pairs"][0])) == ("round", found.right.text)
                assert step["pairs"][0]["count"] == found.right.count
            else:
                assert step["kind"] == "end" or query["size"] == ["1"]
            if found.yours and not step.get("more", 1):
                counts = {pair_of(pair): pair["count"] for pair in step["pairs"]}
                assert counts.get(found.yours.text, 0) == found.yours.count


VOCABULARY = json.loads(solution(EXERCISES["cs336-bpe-vocabulary"]))


@pytest.mark.parametrize(
    ("id", "answer", "pair"),
    [
        ("cs336-bpe-vocabulary", json.dumps({piece: id for piece, id in VOCABULARY.items() if piece != "low"}), "l ow"),
        ("cs336-bpe-newest", "new est", "n e"),
        ("cs336-streaming", "259 0", "e st"),
        ("minbpe-basic-ids", "256 97 100", "aaa b"),
        ("hf-unhug", "u n hug", "u n"),
        ("hf-unhug", "un h ug", "h ug"),
    ],
)
def test_a_token_or_a_piece_has_the_round_that_makes_it(client: FlaskClient, id: str, answer: str, pair: str) -> None:
    found = client.post("/api/v1/check", json={"exercise": id, "answer": answer}).json
    _query, step = steps_at(client, found["link"])
    assert (step["kind"], pair_of(step["pairs"][0])) == ("round", pair)


@pytest.mark.parametrize("text", ["大学 大学生", "ab cd", "I’m"])
def test_wordpiece_has_a_link_only_where_the_walkthrough_trains_the_same(client: FlaskClient, text: str) -> None:
    """The walkthrough separates Chinese characters and punctuation, and knows one rule for ties."""
    for ties in ("first-seen", "greater"):
        own = {"text": text, "algorithm": "wordpiece", "merges": 3, "ties": ties}
        body = {"sheet": json.dumps({"tasks": [own]}), "exercise": "own-1", "answer": "x y"}
        found = client.post("/api/v1/check", json=body).json
        assert (found["link"] is not None) == (text == "ab cd" and ties == "first-seen")


def test_tags_and_published_tokens_have_the_step_that_decides_them(client: FlaskClient) -> None:
    tags = {"algorithm": "fmm", "asked": "tags", "text": "研究\n研究生命", "dictionary": "研究\n研究生\n生命"}
    body = {"sheet": json.dumps({"tasks": [tags]}), "exercise": "own-1", "answer": "B E B E B E"}
    found = client.post("/api/v1/check", json=body).json
    assert (found["place"], found["link"].endswith("&token=0")) == (4, True)
    assert "研究生" in words(client.get(found["link"]))
    found = client.post("/api/v1/check", json={"exercise": "minbpe-special", "answer": "100257 1 1917"}).json
    assert "This step decides the token “hello”, id 15339." in words(client.get(found["link"] + "&lang=en"))
