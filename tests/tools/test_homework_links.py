"""Every wrong answer about BPE has a link to the very round: the page shows that pair with that count."""

import json
import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from tests.core.homework.test_verdicts import OTHER, WRONG
from tests.site import words
from webapp.core.homework.check import Answer, check, solution
from webapp.core.homework.computed import piece_counts
from webapp.core.homework.exercises import EXERCISES, own_exercise
from webapp.core.homework.files import handed_in
from webapp.core.homework.merges import judge
from webapp.core.homework.rounds import file_spelling, shown_piece
from webapp.core.homework.training import Training
from webapp.core.trainers.ties import TIE_RULES, TieRule
from webapp.tools.homework.page import Checked
from webapp.tools.homework.records import Record, Work

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
    found = client.post("/api/v1/check", json={"exercise": id, "answer": answer}).get_json()
    _query, step = steps_at(client, found["link"])
    assert (step["kind"], pair_of(step["pairs"][0])) == ("round", pair)


def checked(client: FlaskClient, id: str, answer: str, **own: Any) -> Any:
    """The verdict on an answer to an exercise, or to one's own."""
    body = {"exercise": id, "answer": answer} | ({"sheet": json.dumps({"tasks": [own]})} if own else {})
    return client.post("/api/v1/check", json=body).get_json()


@pytest.mark.parametrize("ties", TIE_RULES)
@pytest.mark.parametrize("text", ["大学 大学生 学生", "ab cd cd", "I’m don’t a#b", "hug hug pug pun hugs"])
def test_wordpiece_has_the_round_and_the_tokens_by_every_rule(client: FlaskClient, text: str, ties: TieRule) -> None:
    """The walkthrough separates Chinese characters and punctuation, unless words are given."""
    own = {"text": text, "algorithm": "wordpiece", "merges": 3, "ties": ties}
    training = Training.of(own_exercise(own).parameters, {})
    for place, pair in enumerate(training.right):
        mine = [*training.right[:place], ("x", "##y")]
        found = checked(client, "own-1", "\n".join(map(" ".join, mine)), **own)
        _query, step = steps_at(client, found["link"])
        first = step["pairs"][0]
        assert (step["kind"], pair_of(first)) == ("round", " ".join(pair))
        assert first["score"] == training.rounds(training.right[:place]).value(pair)
    word = text.split()[-1]
    found = checked(client, "own-1", "?", **own, asked="tokens", word=word)
    right = solution(own_exercise({**own, "asked": "tokens", "word": word})).split()
    shown = words(client.get(found["link"] + "&lang=en")).partition("pieces so far ")[2].split()
    assert shown[: 2 * len(right) : 2] == right
    assert all(id.isdecimal() for id in shown[1 : 2 * len(right) : 2])


def test_no_wordpiece_where_a_word_begins_with_the_prefix(client: FlaskClient) -> None:
    own = {"text": "##a ##a b#c 大学", "algorithm": "wordpiece", "merges": 2}
    assert checked(client, "own-1", "x ##y", **own)["link"] is None


@pytest.mark.parametrize("id", [id for id, one in EXERCISES.items() if "unigram" in one.parameters])
def test_unigram_has_the_counts_and_probabilities_of_the_course(client: FlaskClient, id: str) -> None:
    found = checked(client, id, "0")
    _query, step = steps_at(client, found["link"])
    counts, pieces = piece_counts(EXERCISES[id].parameters), {piece["piece"]: piece for piece in step["pieces"]}
    assert {piece: one["frequency"] for piece, one in pieces.items()} == counts
    assert {piece: one["probability"] for piece, one in pieces.items()} == {
        piece: pytest.approx(count / 210) for piece, count in counts.items()
    }
    page = words(client.get(found["link"] + "&lang=en"))
    assert "The counts of all pieces add up to 210;" in page
    assert "u × 36 g × 20 p × 17 n × 16 h × 15 s × 5 b × 4" in page
    assert ("the pieces so far hug g un " in page) == id.startswith("hf-huggun")


IDS = EXERCISES["cs336-bpe-encoding"].parameters["pieces"]


@pytest.mark.parametrize("place", range(6))
def test_given_merges_have_the_round_that_makes_a_token(client: FlaskClient, place: int) -> None:
    right = solution(EXERCISES["cs336-bpe-encoding"]).split()
    found = checked(client, "cs336-bpe-encoding", " ".join([*right[:place], "0"]))
    _query, step = steps_at(client, found["link"])
    piece = IDS[int(right[place])]
    if len(piece) == 1:
        assert [word["symbols"] for word in step["words"]] == [["the"], [" c", "a", "t"], [" at", "e"]]
    else:
        assert (step["kind"], step["piece"]) == ("round", piece)


@pytest.mark.parametrize(
    ("id", "answer", "shown"),
    [
        ("cs336-ratio", "22", "4 different words"),
        ("cs336-ratio", "22", "low est ne west w i d est low e r"),
        ("hf-wordpiece-next", "##u ##g", "“ hu ” and “ ##gs ” score 5 ÷ (5 × 5) = 0.200."),
        ("hf-pugs", "pu ##gs", "3 merges have been applied to these words."),
        ("hf-pugs", "pu ##gs", "p 3 ##u 1 ##gs 8 "),
        ("sheet-bigram", "1/3 1/3 1", "北京 爱 1 (1 + 1) / (2 + 6) 0.250"),
        ("hit-bigram", "研究 生命 科学\n你 才 能来\n他 的 才能 很 高", "才能 kept 你 (0 + 1) / (2 + 17) = 0.053"),
        ("sheet-figures", "1 1 1", "Pasted segmentation 0.400 0.333 0.364"),
        ("hit-unknown", "4 0.5", "Pasted segmentation 9 9 0.667"),
        ("slp-bigrams", "2/3 1/3 1/2", "Sam am 1 1 / 2 0.500"),
        ("slp-laplace", "3/13", "Sam am 2 (2 + 1) / (3 + 11) 0.214"),
        ("hit-score", "FMM P = 0.5 R = 0.5", "研究生 命"),
        ("slp-viterbi", "0.32 0.02 0.0404", "H H 0.32 0.6 0.2 0.0384 H C 0.02 0.5 0.2 0.002"),
        ("slp-viterbi-path", "H H H", "Traced back from there, the best path is H C H."),
        ("sheet-hmm", "B M E", "Traced back from there, the best path is B E S."),
        ("sheet-hmm-table", "0.18 0 0 0.008 0", "B S 0.008 0.6 0.05 0.00024"),
    ],
)
def test_a_figure_has_the_page_that_shows_it(client: FlaskClient, id: str, answer: str, shown: str) -> None:
    page = client.get(checked(client, id, answer)["link"] + "&lang=en")
    assert page.status_code == 200
    assert shown in words(page)


def test_tags_of_words_are_those_of_the_training_of_a_tagger(client: FlaskClient) -> None:
    _query, step = steps_at(client, checked(client, "sheet-tags", "B M E B")["link"])
    assert step["right"] == solution(EXERCISES["sheet-tags"]).replace(" ", "")


@pytest.mark.parametrize(
    ("id", "answer"), [("hf-huggun", "hu g g un"), ("hf-pugs", "p u gs"), ("sheet-tags", "B M E B"), ("hf-pug", "0")]
)
def test_a_page_that_shows_the_whole_answer_comes_with_the_answer(client: FlaskClient, id: str, answer: str) -> None:
    found = check(EXERCISES[id], Answer(answer))
    with client.application.test_request_context():
        given = Checked(None, EXERCISES[id], verdict=found)
        after = replace(given, record=Record("1", (Work(id, "", count=5),)))
        assert (given.steps, bool(after.steps)) == (None, True)


WITHOUT = {
    "cs336-unicode1", "cs336-unicode2-sizes", "cs336-unicode2-wrong", "cs336-unicode2-invalid", "cs336-decoding",
    "minbpe-shuffle", "hit-dictionary", "hit-speed", "slp-perplexity",
}  # fmt: skip
"""Exercises that no walkthrough can show: no training or segmentation; nothing computes the perplexity of a text."""


def test_every_other_exercise_has_a_link(client: FlaskClient) -> None:
    linked: dict[str, bool] = {}
    for id, answer, _why, _place in (*WRONG, *OTHER):
        found = checked(client, id, answer)
        if found["place"]:
            linked[id] = linked.get(id, True) and found["link"] is not None
    assert {id for id, every in linked.items() if not every} == WITHOUT
    assert EXERCISES.keys() - linked == {"cs336-train-bpe", "cs336-train-bpe-vocabulary", "cs336-tinystories"}


def test_tags_and_published_tokens_have_the_step_that_decides_them(client: FlaskClient) -> None:
    tags = {"algorithm": "fmm", "asked": "tags", "text": "研究\n研究生命", "dictionary": "研究\n研究生\n生命"}
    body = {"sheet": json.dumps({"tasks": [tags]}), "exercise": "own-1", "answer": "B E B E B E"}
    found = client.post("/api/v1/check", json=body).get_json()
    assert (found["place"], found["link"].endswith("&token=0")) == (4, True)
    assert "研究生" in words(client.get(found["link"]))
    found = client.post("/api/v1/check", json={"exercise": "minbpe-special", "answer": "100257 1 1917"}).get_json()
    assert "This step decides the token “hello”, id 15339." in words(client.get(found["link"] + "&lang=en"))
