"""The answers to the questions of the lessons on segmentation, computed with the core and compared."""

from __future__ import annotations

from functools import cache
from math import floor

from webapp.core.evaluation.score import score_lines
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.hmm import HiddenMarkovModel, State, jieba_hmm
from webapp.core.models.matching import Matching
from webapp.core.models.maximum_probability import MaximumProbability
from webapp.core.models.ngram import NGram
from webapp.core.models.smoothing import AddK
from webapp.core.reference.matching import backward, forward
from webapp.core.trainers.ngram import train
from webapp.pages.learn.diagrams import ADMITTED, ADMITTED_CUT, MOLECULES
from webapp.pages.learn.lessons import LESSON_BY_SLUG, Question
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State as PageState
from webapp.vocabularies.trained import EXAMPLE_SENTENCES

COUNTS = train(sentence.split() for sentence in EXAMPLE_SENTENCES.splitlines())
ADD_ONE = NGram(COUNTS, AddK())
"""The model of the lesson on n-grams."""
COMPANY = (("东西", 307, 44), ("Q", 306, 6))
"""Two words in the works of Lu Xun in lower case: how often, and after how many different characters."""
HANDLE = LESSON_BY_SLUG["ambiguity"].by_key["handle"].choices["dictionary"]


@cache
def dictionary() -> Dictionary:
    """jieba's dictionary."""
    model = prepare(PageState("fmm", "jieba", "x"), corpus_limit=1_000).tokenizer.model
    assert isinstance(model, Matching)
    return model.dictionary


@cache
def segmenter(hmm: bool = True) -> MaximumProbability:
    """jieba's segmentation."""
    return MaximumProbability(dictionary(), hmm)


@cache
def site_model() -> NGram:
    """The n-gram model that the site ships."""
    model = prepare(PageState("ngram", "ngram", "x"), corpus_limit=1_000).tokenizer.model
    assert isinstance(model, NGram)
    return model


def frequency(word: str) -> int:
    """The frequency of a word of jieba's dictionary; 0 for another one."""
    id = dictionary().id_of(word)
    return dictionary().frequencies[id] if id is not None else 0


def total() -> int:
    """The sum of all frequencies, with the second line of a word that the file repeats."""
    return dictionary().total


def tag_score(run: str, tags: str, model: HiddenMarkovModel | None = None) -> float:
    """The sum of the log-probabilities of some tags."""
    model = model or jieba_hmm()
    states: list[State] = list(tags)  # type: ignore[arg-type]
    score = model.start[states[0]] + model.emission[states[0]][run[0]]
    for before, state, character in zip(states, states[1:], run[1:], strict=False):
        score += model.transition[before, state] + model.emission[state][character]
    return score


def quoted(words: object) -> str:
    """Words as the choices write them."""
    return " / ".join(words)  # type: ignore[arg-type]


def says(question: Question, *values: object) -> None:
    """Check that the explanation has each value."""
    for value in values:
        shown = f"{value:,}" if isinstance(value, int) else str(value)
        assert shown in question.why, value


def chain(question: Question) -> None:
    words = MOLECULES.split()
    assert all(word in question.prompt for word in words)
    assert question.answer == quoted(backward(words, "结合成分子时")) == quoted(forward(words, "结合成分子时"))
    says(question, "结合 / 成 / 分子 / 时")


def handle(question: Question) -> None:
    words = HANDLE.split()
    right = ["请", "把", "手", "放下"]
    assert quoted(right) in question.prompt
    assert question.right == 2
    assert right not in (forward(words, "请把手放下"), backward(words, "请把手放下"))


def longer(question: Question) -> None:
    one, parts = frequency("生命科学"), frequency("生命") * frequency("科学") / total()
    assert one > parts
    assert question.answer == quoted(segmenter().words("生命科学"))
    for count in (frequency("生命"), frequency("科学"), one, total()):
        assert f"{count:,}" in question.prompt
    says(question, f"{parts:.2f}/{total():,}", f"{one}/{total():,}")
    assert floor(parts) + 1 == 2


def taichung(question: Question) -> None:
    needed = frequency("台") * frequency("中") / total()
    assert question.answer == str(floor(needed) + 1) == "69"
    assert all(f"{frequency(word):,}" in question.prompt for word in ("台中", "台", "中"))
    says(question, f"{frequency('台'):,} · {frequency('中'):,} / {total():,} = {needed:.1f}")
    assert segmenter().words("台中") == ["台", "中"]


def zhao(question: Question) -> None:
    assert question.answer == quoted(segmenter().words("赵春来了"))
    assert all(frequency(word) == 0 for word in ("赵春", "春来", "来了", "赵春来", "春来了", "赵春来了"))
    for tags in ("BMES", "BESS"):
        says(question, f"{tag_score('赵春来了', tags):.1f}".replace("-", "−"), " ".join(tags))


def success(question: Question) -> None:
    assert question.answer == quoted(segmenter().words("方成功考上了北大"))
    assert frequency("成功")
    assert segmenter().words("方小成考上了北大")[0] == "方小成"
    assert "方小成" in question.why


def collected(question: Question) -> None:
    kinds, seen, discount = COUNTS.types_after("人生"), COUNTS.context_count("人生"), 0.75
    assert (kinds, seen, discount) == (2, 3, 0.75)
    assert question.answer == "1/2"
    assert kinds * discount / seen == 1 / 2
    says(question, f"{kinds * discount} / {seen} = 1/2")


def company(question: Question) -> None:
    (common, count, before), (_rare, rare_count, rare_before) = COMPANY
    assert round(before / rare_before) == 7
    assert common in question.answer
    assert str(count) in question.prompt
    assert str(rare_count) in question.prompt
    says(question, before, rare_before, before - 3, 299)


def precision(question: Question) -> None:
    score = score_lines([ADMITTED], [ADMITTED_CUT], None)
    assert quoted(ADMITTED) in question.prompt
    assert quoted(ADMITTED_CUT) in question.prompt
    assert question.answer == "3/5"
    assert (score.precision, score.recall) == (3 / 5, 3 / 4)
    says(question, "3/4")


def luck(question: Question) -> None:
    assert question.answer == f"{412 / 6_006:.3f}"  # both are counted in test_evaluation.py
    says(question, 6_006, 412)
