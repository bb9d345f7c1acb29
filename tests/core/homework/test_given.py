"""Exercises with a student's own files, and exercises of a teacher's own."""

import re
from pathlib import Path

import pytest

from webapp.core.homework import segmentations
from webapp.core.homework.check import Answer, check, solution
from webapp.core.homework.exercises import ALGORITHMS, ASKED, EXERCISES, ParameterError, own_exercise
from webapp.core.homework.segmentations import Segmenting
from webapp.core.homework.verdicts import AnswerError

SENTENCES = "研究生命\n和尚未结婚"
DICTIONARY = "研究\n研究生\n生命\n和\n和尚\n尚未\n结婚\n"


def test_files_by_their_usual_names() -> None:
    files = {"dic.txt": DICTIONARY.encode(), "199801_sent.txt": SENTENCES.encode()}
    answer = {"seg_FMM.txt": "研究生/ 命/ \n和尚/ 未/ 结婚/ ".encode()}
    assert check(EXERCISES["hit-fmm"], Answer(files={**files, **answer})).outcome == "right"
    found = check(EXERCISES["hit-bmm"], Answer(files={**files, **answer}))
    assert (found.outcome, found.rule) == ("other-rule", "forward")
    mended = {**files, "dic.txt": DICTIONARY.replace("研究生\n", "").encode(), **answer}
    found = check(EXERCISES["hit-fmm"], Answer(files=mended))
    assert (found.outcome, found.why, found.place) == ("wrong", "not-in-dictionary", 1)
    assert found.link is not None
    assert found.link.values["token"] == 0


def test_of_a_long_text_the_first_sentences_are_checked() -> None:
    sentence = "研究生命" * 250
    given = {"dictionary": DICTIONARY.encode(), "text": "\n".join([sentence] * 800).encode()}
    line = "研究生/ 命/ " * 250
    found = check(EXERCISES["hit-fmm"], Answer("\n".join([line] * 800), given=given))
    assert (found.outcome, found.total, [note.code for note in found.notes]) == ("right", 700, ["first-sentences"])
    wrong = [line] * 650 + [line.replace("研究生/ 命/", "研究/ 生命/", 1)] + [line] * 149
    found = check(EXERCISES["hit-fmm"], Answer("\n".join(wrong), given=given))
    assert (found.outcome, found.place) == ("wrong", 651)


@pytest.mark.parametrize("id", ["hit-fmm", "hit-bmm"])
@pytest.mark.parametrize("number", ["", "19980101-01-001-001"])
@pytest.mark.parametrize("times", [3, 90])
def test_the_link_of_a_sentence_shows_the_first_word_that_differs(id: str, number: str, times: int) -> None:
    """However long the sentence is, and with the number of its line."""
    sentence = number + "研究生命和尚未结婚" * times + "研究" + "和尚未结婚" * times
    files = {"dictionary": DICTIONARY.encode(), "text": sentence.encode()}
    right = solution(EXERCISES[id], files).split("/ ")
    at = len(right) - 2 - 3 * times  # 研究, in the middle
    assert right[at] == "研究"
    found = check(EXERCISES[id], Answer("/ ".join([*right[:at], "研", "究", *right[at + 1 :]]), given=files))
    assert found.link is not None
    assert found.right is not None
    text, token = str(found.link.values["text"]), int(found.link.values["token"])
    given = {name: str(found.link.values[name]) for name in ("dictionary", "text")}
    wanted = Segmenting.of({**EXERCISES[id].parameters, **given}, {})
    assert wanted.words(text)[token] == found.right.text == "研究"
    assert len(text) <= 200


@pytest.mark.parametrize(
    ("answer", "outcome", "rule"),
    [("甲 乙丙\n丁", "right", "equal-probability"), ("甲乙 丙\n丁", "right", ""), ("甲 乙 丙\n丁", "wrong", "")],
)
def test_paths_of_the_same_probability_are_right(answer: str, outcome: str, rule: str) -> None:
    given = {"algorithm": "max-probability", "text": "甲乙丙\n丁", "dictionary": "甲乙 2\n丙 1\n甲 1\n乙丙 2\n丁 9"}
    found = check(own_exercise(given), Answer(answer))
    assert (found.outcome, found.rule) == (outcome, rule)


def test_of_many_short_sentences_the_first_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segmentations, "MOST_SENTENCES", 3)
    given = {"dictionary": DICTIONARY.encode(), "text": "研究\n生命\n结婚\n和尚\n".encode()}
    found = check(EXERCISES["hit-fmm"], Answer("研究\n生命\n结婚\n和 尚", given=given))
    assert (found.outcome, found.total, [note.code for note in found.notes]) == (
        "right",
        3,
        ["first-sentences", "same-by-rule"],
    )


def test_a_dictionary_may_have_tags_before_counts() -> None:
    lines = "".join(f"{word} n 1\n" for word in solution(EXERCISES["hit-dictionary"]).split())
    assert check(EXERCISES["hit-dictionary"], Answer(lines)).outcome == "right"


def test_the_dictionary_of_a_segmentation_may_have_tags() -> None:
    """As programs for the laboratory write it, with a line for each tag of a word."""
    tagged = "/w\n" + "".join(f"{word}/{tag}\n" for word in DICTIONARY.split() for tag in ("vn", "n"))
    given = {"dictionary": tagged.encode(), "text": SENTENCES.encode()}
    assert check(EXERCISES["hit-fmm"], Answer("研究生/ 命/ \n和尚/ 未/ 结婚/ ", given=given)).outcome == "right"
    assert check(EXERCISES["hit-dictionary"], Answer(tagged)).why == "tag-in-word"


def test_the_number_of_a_line_is_a_word() -> None:
    """So programs for the laboratory write it, whose lines begin with numbers."""
    given = {"dictionary": DICTIONARY.encode(), "text": "19980101-01-001-001研究生命".encode()}
    assert check(EXERCISES["hit-fmm"], Answer("19980101-01-001-001/ 研究生/ 命/ ", given=given)).outcome == "right"
    split = check(EXERCISES["hit-fmm"], Answer(" ".join("19980101-01-001-001") + " 研究生 命", given=given))
    assert (split.outcome, split.why) == ("wrong", "line-number")


def test_line_ends_and_encodings() -> None:
    files = {
        "dic.txt": DICTIONARY.replace("\n", "\r\n").encode("gb18030"),
        "199801_sent.txt": SENTENCES.encode("utf-8-sig"),
    }
    assert check(EXERCISES["hit-fmm"], Answer("研究生 命\r\n和尚 未 结婚\r\n", files)).outcome == "right"


def test_a_dictionary_of_the_gold_text_is_a_leak() -> None:
    given = {"fmm": "研究/ 生命/".encode(), "bmm": "研究/ 生命/".encode(), "gold": "研究/v 生命/n".encode()}
    found = check(EXERCISES["hit-score"], Answer("FMM P 1 R 1 BMM P 1 R 1", given=given))
    assert (found.outcome, [note.code for note in found.notes]) == ("right", ["points-lost"])
    exercise = EXERCISES["hit-fmm"]
    answer = Answer(given={"dictionary": exercise.parameters["gold"].replace("/ ", "\n").replace("/", "").encode()})
    text = solution(exercise, answer.given)
    found = check(exercise, Answer(text, given=answer.given))
    assert "leakage" in [note.code for note in found.notes]
    assert found.figures is not None
    assert found.figures.gold_words == 38


def test_a_wrong_figure_near_one_is_no_inverse() -> None:
    words = "研究 " * 399
    given = {"fmm": f"{words}生 命".encode(), "bmm": f"{words}生 命".encode(), "gold": f"{words}生命".encode()}
    found = check(EXERCISES["hit-score"], Answer("FMM P 0.9971 R 0.9975 BMM P 0.9950 R 0.9975", given=given))
    assert (found.outcome, found.why, found.label) == ("wrong", "", "FMM P")


@pytest.mark.parametrize(
    ("files", "role", "message"),
    [
        ({}, "corpus", "needs your file corpus.en"),
        ({"corpus.en": b"low lower"}, "corpus", "is not the corpus.en of the course"),
        ({"corpus.en": b"\x80\x04"}, "corpus", "is a pickle"),
    ],
)
def test_a_missing_or_other_corpus(files: dict[str, bytes], role: str, message: str) -> None:
    with pytest.raises(AnswerError, match=message) as raised:
        check(EXERCISES["cs336-train-bpe"], Answer("s t", files))
    assert raised.value.field == role


@pytest.mark.parametrize(
    ("given", "role"),
    [
        ({"text": ("研" * 10_001).encode()}, "text"),
        ({"dictionary": b"\x00\x01\x02 a b c d"}, "dictionary"),
        ({"dictionary": "\n".join(map(str, range(200_001))).encode()}, "dictionary"),
    ],
)
def test_bounded_files(given: dict[str, bytes], role: str) -> None:
    with pytest.raises(AnswerError) as raised:
        check(EXERCISES["hit-fmm"], Answer("研究", given=given))
    assert raised.value.field == role


TEXTS = {
    "merges": "low low lower newest",
    "tokens": "low low lower newest",
    "segmentation": SENTENCES,
    "tags": SENTENCES,
}


@pytest.mark.parametrize(("algorithm", "asked"), [(one, asked) for one in ALGORITHMS for asked in ASKED[one]])
def test_own_exercises_have_a_right_answer(algorithm: str, asked: str) -> None:
    parameters = {"algorithm": algorithm, "asked": asked, "text": TEXTS[asked], "ties": "greater", "merges": 4}
    parameters |= {
        "word": "lowest",
        "dictionary": DICTIONARY.replace("\n", " 5\n"),
        "title": "Week 3",
        "hints": ["Count."],
    }
    exercise = own_exercise(parameters, "own-1")
    assert (exercise.id, exercise.kind, exercise.title["zh"]) == ("own-1", asked, "Week 3")
    assert check(exercise, Answer(solution(exercise))).outcome == "right"


def test_rounds_of_own_exercises_have_links() -> None:
    exercise = own_exercise({"text": "low low lower newest newest", "algorithm": "bpe", "merges": 3, "ties": "greater"})
    found = check(exercise, Answer("w e\ns t\nx y"))
    assert found.link is not None
    assert found.link.values == {
        "corpus": "low low lower newest newest",
        "as_text": 1,
        "size": 3,
        "step": found.place,
        "algorithm": "bpe",
        "mark": "none",
        "ties": "greater",
    }


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"algorithm": "magic"}, "algorithm"),
        ({"asked": "segmentation"}, "asked"),
        ({"text": " "}, "text"),
        ({"text": 5}, "text"),
        ({"text": "x" * 2_001}, "text"),
        ({"merges": 0}, "merges"),
        ({"merges": True}, "merges"),
        ({"merges": 201}, "merges"),
        ({"ties": "random"}, "ties"),
        ({"asked": "tokens", "word": ""}, "word"),
        ({"algorithm": "fmm"}, "dictionary"),
        ({"title": "x" * 1_001}, "title"),
        ({"hints": "one"}, "hints"),
        ({"hints": [1]}, "hints"),
    ],
)
def test_wrong_parameters(changes: dict[str, object], field: str) -> None:
    with pytest.raises(ParameterError) as raised:
        own_exercise({"text": "low lower", "algorithm": "bpe", **changes})
    assert raised.value.field == field
    assert str(raised.value)


def test_the_published_segmentations_of_the_pku_corpus(shared: Path) -> None:
    folder = shared / "sighan"
    given = {
        "dictionary": (folder / "pku_training_words.utf8").read_bytes(),
        "text": (folder / "pku_test.utf8").read_bytes(),
    }
    for id, name in (("hit-fmm", "pku_fmm"), ("hit-bmm", "pku_bmm")):
        text = (folder / f"{name}.utf8").read_text(encoding="utf-8")
        assert check(EXERCISES[id], Answer(text, given=given)).outcome == "right"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("研究 生命", "Your answer ends too early: the text goes on in sentence 2."),
        ("研究 生命\n结 魂", "Sentence 2, character 2: your text has '魂' where the exercise has '婚'."),
        ("研究 生 命结 婚", "A word of your answer goes beyond the end of its sentence."),
    ],
)
def test_an_answer_of_another_text_says_where(answer: str, message: str) -> None:
    given = {"algorithm": "fmm", "text": "研究生命\n结婚", "dictionary": "研究\n生命"}
    with pytest.raises(AnswerError, match=re.escape(message)):
        check(own_exercise(given), Answer(answer))


@pytest.mark.parametrize(("given", "missing"), [("fmm", "seg_BMM.txt"), ("gold", "seg_FMM.txt")])
def test_files_that_are_scored_come_together(given: str, missing: str) -> None:
    with pytest.raises(AnswerError, match=re.escape(missing)):
        check(EXERCISES["hit-score"], Answer("FMM P 1 R 1 BMM P 1 R 1", given={given: b"a/ b/ "}))
