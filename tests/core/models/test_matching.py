"""Maximum matching: worked examples, jieba's dictionary and the SIGHAN bakeoff."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.evaluation.score import score_lines
from webapp.core.formats.dictionary import jieba_dictionary, read_dictionary
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching, backward, disagreements, forward, verdict
from webapp.core.recipes import MATCHING

alphabet = st.text("研究生命ab1的\0😀", max_size=12)
dictionaries = st.lists(st.text("研究生命ab1的\0", min_size=1, max_size=4), unique=True, max_size=12)


@given(words=dictionaries, text=alphabet)
def test_disagreements_are_minimal_and_complete(words: list[str], text: str) -> None:
    dictionary = Dictionary(words)
    left, right = forward(dictionary, text)[1], backward(dictionary, text)[1]
    differing = set(left) ^ set(right)
    found = disagreements(dictionary, text)
    assert {at for one in found for at in range(one.start + 1, one.end) if at in differing} == differing
    for one in found:
        assert one.forward != one.backward
        assert "".join(one.forward) == "".join(one.backward) == text[one.start : one.end]
        inner = set(range(one.start + 1, one.end))
        assert not (inner & set(left) & set(right)), "a shared boundary would split the disagreement in two"


# --- worked examples


@pytest.mark.parametrize("direction", ["forward", "backward", "both"])
def test_white_space_is_kept_but_is_neither_a_word_nor_unknown(direction: Any) -> None:
    dictionary = Dictionary(["研究", "生命", "New York"], [5, 7, 1])
    tokenizer = MATCHING.tokenizer(Matching(dictionary, direction))
    text = "研究\n生命\t\u3000New York 人\n\n"
    encoding = tokenizer.encode(text)
    found = [(token.piece, token.start, token.unknown) for token in encoding]
    assert found[:3] == [("研究", 0, False), ("\n", 2, False), ("生命", 3, False)]
    assert [piece for piece, _, _ in found] == ["研究", "\n", "生命", "\t", "\u3000", "New York", " ", "人", "\n", "\n"]
    assert "".join(text[start:end] for start, end in zip(encoding.starts, encoding.ends, strict=True)) == text
    assert [encoding.piece(at) for at in sorted(encoding.unknown)] == ["人"]
    assert tokenizer.decode(encoding.ids) == text.replace("人", "\ufffd")
    assert len({token.id for token in encoding if str(token.piece).isspace()}) == 4


@pytest.mark.parametrize(
    ("text", "pieces", "words"),
    [
        ("iPhone15卖了", ["iPhone15", "卖", "了"], ["卖"]),
        ("apples", ["apples"], ["apple", "app"]),
        ("卡拉OK厅", ["卡拉OK", "厅"], ["卡拉OK"]),
        ("卡拉OKAY", ["卡", "拉", "OKAY"], ["卡拉OK"]),
        ("用AT&T的网", ["用", "AT&T", "的", "网"], ["AT&T"]),
        ("２０２４年", ["２０２４", "年"], []),
        ("研究 研究", ["研究", " ", "研究"], ["研究", " "]),
    ],
)
def test_runs_stay_whole(text: str, pieces: list[str], words: list[str]) -> None:
    for direction in ("forward", "backward"):
        tokenizer = MATCHING.tokenizer(Matching(Dictionary(words), direction))  # type: ignore[arg-type]
        assert [token.piece for token in tokenizer.encode(text)] == pieces


@pytest.mark.parametrize(
    ("words", "text", "direction", "reason"),
    [
        (["甲乙丙", "丙丁"], "甲乙丙丁", "forward", "fewer words"),
        (["研究", "研究生", "生命", "科学"], "研究生命科学", "backward", "fewer single characters"),
        (["和尚", "尚未"], "和尚未", "backward", "backward by default"),
        (["和尚", "尚未"], "\n和尚未 ", "backward", "backward by default"),
        ([], "", "backward", "backward by default"),
    ],
)
def test_verdict_gives_the_reason(words: list[str], text: str, direction: str, reason: str) -> None:
    found = verdict(Dictionary(words), text)
    assert (found.direction, found.reason) == (direction, reason)


# --- published figures


def test_scores_equal_the_sighan_baseline(shared: Path) -> None:
    """Emerson 2005, the bakeoff's baseline for the PKU corpus: R .904, P .836, F .869."""
    words, tested, gold = (
        (shared / "sighan" / f"pku_{name}.utf8").read_text(encoding="utf-8")
        for name in ("training_words", "test", "test_gold")
    )
    dictionary = read_dictionary(words)
    texts = ["".join(text.split()) for text in tested.split("\n")]
    model = Matching(dictionary, "forward", keep_runs=False)
    found = [[text[start:end] for _, start, end in model.segment(text)] for text in texts]
    score = score_lines([line.split() for line in gold.split("\n")], found, None)
    assert (score.recall or 0) >= 0.904
    assert (score.precision or 0) >= 0.836
    assert (score.f1 or 0) >= 0.869


def test_jieba_dictionary_equals_the_one_jieba_loads() -> None:
    jieba = pytest.importorskip("jieba")
    jieba.setLogLevel(60)
    jieba.initialize()
    words = {word: frequency for word, frequency in jieba.dt.FREQ.items() if frequency}
    dictionary = jieba_dictionary()
    assert len(dictionary) == 349_045
    assert dictionary.total == jieba.dt.total == 60_101_967  # repeated lines count, as for jieba
    assert dictionary.frequencies is not None
    # jieba uses the last line of a word; only one word has two lines.
    ours = dict(zip(dictionary.words, dictionary.frequencies, strict=True))
    differing = {word for word in ours if ours[word] and ours[word] != words.get(word)}
    assert words.keys() <= ours.keys()
    assert len(differing) <= 1


def test_words_are_those_of_jieba_with_white_space_between_them() -> None:
    """jieba's own matcher keeps every white space character as a token of its own."""
    jieba = pytest.importorskip("jieba")
    jieba.setLogLevel(60)
    tokenizer = MATCHING.tokenizer(Matching(jieba_dictionary(), "forward"))
    text = "研究 生命\n起源\t和\u3000科学\n"
    assert [token.piece for token in tokenizer.encode(text)] == jieba.lcut(text, HMM=False)
    assert not tokenizer.encode(text).unknown
