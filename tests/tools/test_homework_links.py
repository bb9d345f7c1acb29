"""Every wrong answer about BPE has a link to the very round: the page shows that pair with that count."""

import json
import lzma
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient

from webapp.core.homework.check import Answer, check
from webapp.core.homework.exercises import EXERCISES, own_exercise
from webapp.core.homework.files import handed_in
from webapp.core.homework.merges import judge, judge_vocabulary, pieces_of
from webapp.core.homework.rounds import file_spelling, shown_piece
from webapp.core.homework.training import Training
from webapp.core.homework.verdicts import Verdict
from webapp.core.trainers.ties import TieRule
from webapp.tools.homework.page import Checked

TRAINED = {
    id: exercise
    for id, exercise in EXERCISES.items()
    if exercise.kind in ("merges", "vocabulary", "tokens", "ids")
    and "merges" in exercise.parameters
    and "trained" not in exercise.parameters
    and exercise.parameters.get("symbols") != "wordpiece"
}
"""The exercises over BPE that is trained."""
ANALECTS = "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？"
TEXTS = {
    "words": "low low lower newest newest",
    "a list by its looks": "low 5 lower 2 3D x 5",
    "punctuation": "don't don't can't can't won't",
    "a sentence": ANALECTS,
    "a sentence that is long": "".join(
        chr(0x4E00 + (number * number * 7 + number * 13) % 300) for number in range(250)
    ),
    "many words": " ".join(chr(0x4E00 + number * number % 900) + "大学" * (number % 3) for number in range(300)),
    "joined characters": "👩‍👩‍👧 👩‍👩‍👧 é é",
    "a run": "aaaa aaaa aab aab aaa",
}
OWN: list[tuple[str, str, TieRule]] = [
    (algorithm, text, ("first-seen", "greater", "longest")[at % 3])
    for algorithm in ("bpe", "bpe-bytes")
    for at, text in enumerate([*TEXTS, "a sentence", "a run"])
]


def training_of(id: str) -> Training:
    """The training of an exercise; the corpus of CS336 is here as its words."""
    training = Training.of(EXERCISES[id].parameters, {})
    if not EXERCISES[id].needs:
        return training
    path = Path(__file__).parents[1] / "core" / "trainers" / "cs336.json.xz"
    if not path.exists():
        pytest.skip("the word counts of CS336's corpus are not here")
    return Training.of(
        {**EXERCISES[id].parameters, "words": json.loads(lzma.decompress(path.read_bytes()))["counts"]}, {}
    )


def opened(client: FlaskClient, found: Verdict) -> tuple[dict[str, list[str]], Any]:
    """The parameters of the address of the verdict's link, and the step that it opens."""
    with client.application.test_request_context():
        address = Checked(None, EXERCISES["cs336-bpe-example"], verdict=found, reveals_all=True).steps
    assert address, (found.why, found.place)
    assert len(address) < 8_000
    assert client.get(address).status_code == 200
    query = parse_qs(urlsplit(address).query)
    return query, client.get(f"{address}&format=json").get_json()["steps"][int(query["step"][0])]


def pair_in(step: Any) -> str:
    """The pair that a round merges, as verdicts have it; an end-of-word mark is the `_` of the exercise."""
    pair = (step["pairs"][0][side] for side in ("left", "right"))
    pieces = (bytes.fromhex(piece["bytes"]) if isinstance(piece, dict) else piece for piece in pair)
    return " ".join(map(shown_piece, pieces)).replace("</w>", "_")


def check_rounds(client: FlaskClient, training: Training) -> None:
    """Answers that differ at the first merge, in the middle, at the last, and after it."""
    last = len(training.right)
    for place in sorted({0, 1, last // 2, last - 1, last}):
        absent, reached = training.right[0][:1] * 2, training.rounds(training.right[:place])
        others = {(left, right) for left, _ in training.right[place:] for _, right in training.right[place:]}
        for wrong in [absent, *sorted(others, key=reached.value)[-2:]]:
            mine = [[*map(file_spelling, pair)] for pair in [*training.right[:place], wrong]]
            found = judge(training, handed_in("", {"merges.json": json.dumps(mine).encode()}))
            if found.outcome == "right" or (found.why == "fewer-merges" and place == last):
                continue
            query, step = opened(client, found)
            if found.right:
                assert (step["kind"], pair_in(step)) == ("round", found.right.text)
                assert step["pairs"][0]["count"] == found.right.count
            if found.yours and not step.get("more", 1):
                counts = {pair_in({"pairs": [pair]}): pair["count"] for pair in step["pairs"]}
                assert counts.get(found.yours.text, 0) == found.yours.count
            assert found.right or query["size"] == ["1"] or step["kind"] == "end"


@pytest.mark.parametrize("id", [id for id, exercise in TRAINED.items() if exercise.kind == "merges"])
def test_rounds_of_courses(client: FlaskClient, id: str) -> None:
    check_rounds(client, training_of(id))


@pytest.mark.parametrize(("algorithm", "text", "ties"), OWN)
def test_rounds_of_ones_own(client: FlaskClient, algorithm: str, text: str, ties: TieRule) -> None:
    exercise = own_exercise({"text": TEXTS[text], "algorithm": algorithm, "merges": 20, "ties": ties})
    check_rounds(client, Training.of(exercise.parameters, {}))


@pytest.mark.parametrize("id", [id for id, exercise in TRAINED.items() if exercise.kind == "vocabulary"])
def test_a_piece_that_a_vocabulary_lacks_has_the_round_that_makes_it(client: FlaskClient, id: str) -> None:
    training = training_of(id)
    pieces = {file_spelling(piece): at for at, piece in enumerate(pieces_of(training))}
    for place in (0, len(training.right) - 1):
        missing = file_spelling(training.joined(training.right[place]))
        vocabulary = {piece: at for piece, at in pieces.items() if piece != missing}
        found = judge_vocabulary(training, handed_in("", {"vocab.json": json.dumps(vocabulary).encode()}))
        _query, step = opened(client, found)
        assert (step["kind"], pair_in(step)) == ("round", " ".join(map(shown_piece, training.right[place])))


@pytest.mark.parametrize("id", [id for id, exercise in TRAINED.items() if exercise.kind in ("tokens", "ids")])
def test_a_token_has_the_round_that_makes_it(client: FlaskClient, id: str) -> None:
    exercise = EXERCISES[id]
    found = check(exercise, Answer("0" if exercise.kind == "ids" else "x"))
    query, step = opened(client, found)
    if "text" in query:
        assert query["text"] == [exercise.parameters["text"]]
    assert step["kind"] in ("round", "end")
    if exercise.kind == "tokens" and found.right and step["kind"] == "round":
        assert found.right.text == pair_in(step).replace(" ", "")
