"""Every exercise: its computed answer is right, other answers get the verdict that their mistake deserves."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict

import pytest

from tests.cases import quick
from webapp.core.homework.check import Answer, check, solution
from webapp.core.homework.exercises import COURSES, EXERCISES
from webapp.core.homework.merges import written_vocabulary
from webapp.core.homework.training import Training
from webapp.core.homework.verdicts import OPEN_RULES, AnswerError, Side, Verdict
from webapp.core.text.utf8 import characters_to_bytes
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.shipped_vocabularies import shipped_encoding

UNKNOWN = ("cs336-tinystories", "hit-speed")
"""Exercises whose right answer only the student can know."""
NEEDING = ("cs336-train-bpe", "cs336-train-bpe-vocabulary")
COMPUTED = [id for id in EXERCISES if id not in (*UNKNOWN, *NEEDING)]


def find(name: str) -> Tokenizer:
    assert name == "cl100k_base"
    return shipped_encoding(name)


def verdict(id: str, text: str = "", **files: Mapping[str, bytes]) -> Verdict:
    found = check(EXERCISES[id], Answer(text, **files), find)
    json.dumps(asdict(found))  # data only
    return found


def test_at_least_thirty_exercises_of_six_courses() -> None:
    assert len(EXERCISES) >= 30
    assert {exercise.course.id for exercise in EXERCISES.values()} == set(COURSES)
    assert len(COURSES) == 6


@pytest.mark.parametrize("id", EXERCISES)
def test_texts_in_both_languages(id: str) -> None:
    exercise = EXERCISES[id]
    for words in (exercise.title, exercise.about, exercise.task, *exercise.hints):
        assert set(words) == {"en", "zh"}
        assert all(text.strip() == text != "" for text in words.values())
    assert 1 <= len(exercise.hints) <= 4


@pytest.mark.parametrize("id", COMPUTED)
def test_the_computed_answer_is_right(id: str) -> None:
    exercise = EXERCISES[id]
    found = verdict(id, solution(exercise, find_tokenizer=find))
    assert (found.outcome, found.place, found.agreeing) == ("right", None, found.total)


@pytest.mark.parametrize("id", COMPUTED)
def test_no_hint_is_the_answer(id: str) -> None:
    answer = solution(EXERCISES[id], find_tokenizer=find).strip()
    assert len(answer) < 8 or all(answer not in hint for words in EXERCISES[id].hints for hint in words.values())


PUBLISHED = {
    "cs336-bpe-example": "['s t', 'e st', 'o w', 'l ow', 'w est', 'n e']",
    "cs336-bpe-example-all": "s t, e st, o w, l ow, w est, n e, ne west, w i, wi d, wid est, low e, lowe r",
    "cs336-bpe-newest": "[ne, west]",
    "cs336-bpe-encoding": "[9, 7, 1, 5, 10, 3]",
    "minbpe-basic-ids": "[258, 100, 258, 97, 99]",
    "minbpe-gpt4": "15339 1917 12340 30 320 31495 230 75265 243 92245 16715 28509 4513 57037",
    "minbpe-special": "[100257, 15339, 1917]",
    "hf-pair-counts": "hu 15; ug 20; pu 17; un 16; bu 4; gs 5",
    "hf-pair-scores": "1/36 1/36 1/36 1/36 1/36 1/20",
    "hf-frequencies": "15 36 20 15 20 17 17 16 16 4 4 5 15 5 5 210",
    "hf-pug": "p u g: 0.00132\np ug: 0.007710\npu g: 0.007710",
    "hf-loss": "hug .071428; pug .007710; pun .006168; bun .001451; hugs .001701; loss 169.8; loss without hug 193.3",
    "slp-bpe": "e r\ner _\nn e\nne w\nl o\nlo w\nnew er_\nlow _",
    "slp-bigrams": ".67 .33 .67 .5 .5 .33",
    "slp-laplace": "3/14",
    "slp-viterbi": "v1(H) = .32, v1(C) = .02, v2(H) = .0384, v2(C) = .064, v3(H) = .0128, v3(C) = .0032",
    "slp-viterbi-path": "H C H",
}
"""As the courses print the answers, or as the text leads to them."""


@pytest.mark.parametrize("id", PUBLISHED)
def test_published_answers(id: str) -> None:
    assert verdict(id, PUBLISHED[id]).outcome == "right"


FMM = (
    "研究生/ 命/ 的/ 起源/ 。/ \n结婚/ 的/ 和尚/ 未/ 结婚/ 的/ 人/ \n"
    "哈尔滨工业大学/ 的/ 研究生/ 学习/ 自然语言/ 处理/ 。/ \n"
    "他/ 从/ 马上/ 下来/ ，/ 方法/ 很/ 多/ 。/ \n他/ 在/ A/ 4/ 纸/ 上/ 用/ G/ P/ T/ 4/ 学习/ 。/ \n"
)
BMM = FMM.replace("研究生/ 命", "研究/ 生命").replace("和尚/ 未", "和/ 尚未")
WORDS = "研究\n生命\n的\n起源\n。\n哈尔滨\n工业\n大学\n有\n3\n个\n组\n"
OTHER = [
    ("cs336-bpe-example", "e s, es t, l o, lo w, n e, ne w", "first-seen", 1),
    ("cs336-bpe-example", "('e', 's')\n('es', 't')\n('l', 'o')\n('lo', 'w')\n('e', 'w')\n('ew', 'est')", "smaller", 1),
    ("cs336-bpe-example", "e s\nes t\nl o\nlo w\ne w\nn ew", "lower-ids", 1),
    ("cs336-bpe-example", "e s\nes t\nl o\nlo w\nw est\ne west", "longest", 1),
    ("cs336-bpe-example", "e s\nes t\no w\nl ow\nw est\nn e", "mixed", 1),
    ("minbpe-basic", "97 97\n97 98\n256 257", "smaller", 2),
    ("minbpe-characters", "大 学\n大学 生\n北 京\n北京 大学", "greater", 2),
    ("hf-wordpiece-merges", "##g ##s\nh ##u\nhu ##g", "as-published", 3),
    ("hf-pug", "p u g 0.000389\np ug 0.0022676\npu g 0.0022676", "as-published", 1),
    ("slp-bpe", "e r\ner _\nn e\nne w\nl o\nlo w\nlow _\nnew er_", "", 7),
    ("slp-laplace", "3/13", "start-does-not-count", 1),
    ("sheet-bigram", "0.3 2/9 0.00444", "start-counts", 1),
    ("hit-fmm", BMM, "backward", 1),
    ("hit-bmm", FMM, "forward", 1),
    ("hit-fmm", FMM.replace("A/ 4", "A4").replace("G/ P/ T/ 4", "GPT4"), "runs", 5),
    ("hit-fmm", "\n".join(map(" ".join, FMM.replace("/ ", "").split("\n"))), "window-1", 1),
    ("hit-fmm", FMM.replace("哈尔滨工业大学", "哈尔滨/ 工业/ 大学"), "window-4", 3),
    ("hit-bigram", "研究 生命 科学\n你 才能 来\n他 的 才能 很 高", "max-probability", 2),
    ("hit-unigram", "研究生 命 科学\n你 才能 来\n他 的 才能 很 高", "forward", 1),
    ("sheet-path", "结合 成分 子时", "forward", 1),
    ("hit-dictionary", WORDS.replace("3\n", ""), "no-numbers", 10),
    ("hit-dictionary", re.sub("^.\n", "", WORDS, flags=re.MULTILINE), "no-single-characters", 3),
    ("hf-huggun", "hu gg un", "", 1),
    ("hit-dictionary", "19980101-01-001-001\n19980101-01-001-002\n" + WORDS, "with-line-ids", 1),
    ("sheet-tags", "BIEBEBESBIE", "BIES", 2),
    ("sheet-tags", "B I I B I B I B B I I", "BI", 2),
]


@pytest.mark.parametrize(("id", "text", "rule", "place"), OTHER)
def test_right_by_another_rule(id: str, text: str, rule: str, place: int) -> None:
    """Only a rule that the exercise leaves open is right."""
    found = verdict(id, text)
    outcome = "right" if rule in OPEN_RULES else "other-rule" if rule else "wrong"
    assert (found.outcome, found.rule, found.place) == (outcome, rule, place)


def test_rules_that_exercises_leave_open_are_in_the_cases() -> None:
    assert OPEN_RULES - {rule for _id, _text, rule, _place in OTHER} == {"equal-probability"}  # `test_given` has it


WRONG = [
    ("cs336-unicode1", "NUL\n'\\x00'\n20", "", 3),
    ("cs336-unicode2-sizes", "23 28 56", "byte-order-mark", 2),
    ("cs336-unicode2-wrong", "hello", "ascii-works", 1),
    ("cs336-unicode2-wrong", r"b'\xff'", "not-utf8", 1),
    ("cs336-unicode2-invalid", "0x41 0x42", "decodes", 1),
    ("cs336-unicode2-invalid", r"b'\xff\xfe\xfd'", "not-two-bytes", 1),
    ("cs336-bpe-example", "s t\ne st\no w\nl ow\nw est\ne r", "unweighted", 6),
    ("cs336-bpe-example", "s t\ne st\no w\nl ow\nw est", "fewer-merges", 6),
    ("cs336-bpe-example", '{"s": 0, "t": 1}', "fewer-merges", 1),
    ("cs336-bpe-vocabulary", '{"148": 0}', "other-piece", 1),
    ("cs336-bpe-example", "s t\ne st\no w\nl ow\nw est\nn e\nne west", "more-merges", 7),
    ("cs336-bpe-example", "s t\ns t", "merged-already", 2),
    ("cs336-bpe-example", "w ␣", "crosses-words", 1),
    ("cs336-bpe-example", "t s", "exchanged", 1),
    ("cs336-bpe-example-all", "s t\ne st\no w\nw est\nn e\nne west", "left-out", 4),
    ("cs336-bpe-example", "s \ufffd", "replaced", 1),
    ("cs336-bpe-example", "s t\ne st\nd est", "rarer", 3),
    ("cs336-bpe-example-all", "s t\nq u", "absent", 2),
    ("cs336-bpe-vocabulary", '{"s": 0}', "missing-piece", 1),
    ("cs336-bpe-newest", "new est", "", 1),
    ("cs336-bpe-newest", "ne wes", "other-text", 2),
    ("cs336-bpe-encoding", "9 7 1 5 8 5 3", "", 5),
    ("cs336-bpe-encoding", "9 7 1 5 10 3 3", "too-many", 7),
    ("cs336-decoding", "hi 你 !", "no-replacement", 6),
    ("cs336-decoding", "hi \ufffd\ufffd\ufffd \ufffd\ufffd!", "one-by-one", 4),
    ("cs336-streaming", "259 257 259 60 124 101 110 100 111 102 116 101 120 116 124 62 261 260", "special-as-text", 4),
    ("cs336-streaming", "259 257 259 60 124 101", "", 4),
    ("cs336-ratio", "bytes = 23\ntokens = 11\nbytes per token = 0.478\nlargest uint16 = 65535", "inverted", 3),
    ("minbpe-basic", "a a\naa a\naa ab", "absent", 3),
    ("minbpe-basic-ids", "256 97 100", "", 1),
    ("minbpe-regex", "t h\ni s", "without-spaces", 2),
    ("minbpe-regex", "t h\ni s\n␣ t", "rarer", 2),
    ("minbpe-gpt4", "15339 1917 12340 30 320 31495 230 75265 243 92245 16715 28509 4513", "missing", 14),
    ("minbpe-shuffle", "0 32 33 97 240", "not-shuffled", 1),
    ("minbpe-special", "27 91 8862 728 428 91 29 15339 1917", "special-as-text", 1),
    ("minbpe-characters", "大 学\n京 北", "exchanged", 2),
    ("hit-dictionary", "研究\n生命\n", "missing-word", 3),
    ("hit-dictionary", WORDS.replace("哈", "[哈"), "bracket-in-word", 6),
    ("hit-dictionary", WORDS.replace("组", "组/n"), "tag-in-word", 12),
    ("hit-dictionary", WORDS + "小组\n", "extra-word", 13),
    ("hit-fmm", FMM.replace("研究生/ 命", "研究/ 生命"), "backward", 1),
    ("hit-fmm", FMM.replace("处理/ 。", "处理。"), "punctuation", 3),
    ("hit-fmm", FMM.replace("马上/ 下来", "马/ 上/ 下来"), "word-missing", 4),
    ("hit-fmm", FMM.replace("马上/ 下来", "马/ 上/ 下/ 来"), "word-missing", 4),
    ("hit-fmm", FMM.replace("很/ 多", "很多"), "not-in-dictionary", 4),
    ("hit-bmm", BMM.replace("A/ 4", "A4"), "numbers", 5),
    ("hit-score", "FMM P 0.789 R 0.732 BMM P 0.895 R 0.829", "swapped", 1),
    ("hit-score", "FMM P 0.73 R 0.79 BMM P 0.83 R 0.80", "", 4),
    ("hit-speed", "before 2.0 s, after 3.5 s", "slower", 2),
    ("hit-unigram", "研究 生命 科学\n你 才 能 来\n他 的 才能 很 高", "less-probable", 2),
    ("hit-bigram", "研究 生命 科学\n你 才 能来\n他 的 才能 很 高", "not-in-dictionary", 2),
    ("hit-unknown", "5 0.625", "types", 1),
    ("hf-pair-counts", "2 3 2 2 1 1", "unweighted", 1),
    ("hf-pair-counts", "hu 15; ug 20; pu 17; un 16; bu 4", "empty", 6),
    ("hf-pair-counts", "hu x; ug 20; pu 17; un 16; bu 4; gs 5", "not-a-number", 1),
    ("hf-next-merge", "p u", "absent", 4),
    ("hf-unhug", "u n hug", "", 1),
    ("hf-pair-scores", "15 20 17 16 4 5", "counts", 1),
    ("hf-wordpiece-merges", "##u ##g", "count-not-score", 1),
    ("hf-wordpiece-next", "##u ##g", "rarer", 4),
    ("hf-pugs", "pu ##gs", "not-in-vocabulary", 1),
    ("hf-pugs", "p u gs", "no-prefix", 2),
    ("hf-frequencies", "10 36", "", 1),
    ("hf-frequencies", "h 2; u 5; g 3", "unweighted", 1),
    ("hf-pug", "p u g 0.13 %\np ug 0.77\npu g 0.77", "percent", 2),
    ("hf-pug", "0.0014 .0077 .0077", "rounded", 1),
    ("hf-pug", "0.002 .008 .008", "", 1),
    ("hf-huggun", "hu g g un", "less-probable", 1),
    ("hf-huggun", "hug gun", "not-in-vocabulary", 2),
    ("hf-huggun-score", "-7.565", "logarithm", 1),
    (
        "hf-loss",
        "hug .0714 pug .00771 pun .00617 bun .00145 hugs .0017 loss 245.0; loss without hug 278.9",
        "log2",
        6,
    ),
    ("slp-bpe", "e r\nw e", "rarer", 2),
    ("slp-bigrams", ".67 .33 .67 .5 .5 .25", "", 6),
    ("slp-laplace", "2/3", "unsmoothed", 1),
    ("slp-laplace", "0.25", "no-marks", 1),
    ("slp-perplexity", "probability = 0.00428\nperplexity = 233.7", "not-per-word", 2),
    ("slp-perplexity", "probability = 0.00428\nperplexity = 0.787", "entropy", 2),
    ("slp-viterbi", "0.32 0.02 0.0404 0.069 0.0235 0.0051", "sum-not-maximum", 3),
    ("slp-viterbi-path", "HHH", "", 2),
    ("sheet-bidirectional", "研究 生命 科学\n结婚 的 和尚 未 结婚 的", "forward", 2),
    ("sheet-path", "结 合成 分子 时", "less-probable", 1),
    ("sheet-tags", "B M E B E B E S B E E", "", 10),
    ("sheet-hmm", "B E B", "", 3),
    ("sheet-hmm-table", "0.18 0 0 0.08", "", 4),
    ("sheet-figures", "P 33.3% R 40% F1 36.4%", "swapped", 1),
    ("sheet-figures", "P 0.75 R 0.6 F1 0.667", "boundaries", 1),
    ("sheet-bigram", "1/3 1/4 1/100", "", 3),
]


@pytest.mark.parametrize(("id", "text", "why", "place"), WRONG)
def test_wrong_answers(id: str, text: str, why: str, place: int) -> None:
    found = verdict(id, text)
    assert (found.outcome, found.why, found.place) == ("wrong", why, place)
    assert not found.rows or place in [row.number for row in found.rows]
    assert found.agreeing < found.total or why in ("more-merges", "too-many", "extra-word")


def test_every_exercise_has_a_wrong_answer() -> None:
    assert {id for id, *_rest in WRONG} == {*COMPUTED, "hit-speed"}


HOSTILE = [
    "",
    " \n\t",
    "\x00" * 100,
    "((((" * 50_000,
    "[" * 100_000 + "]" * 100_000,
    "9" * 50_000,
    "1e99999999",
    "1/0",
    "𝟘 𝟙",
    "'" * 10_001,
    "a " * 100_000,
    "<script>alert(1)</script> x",
    "{" + '"a": 1,' * 3 + '"b": []}',
    '{"model": {"vocab": [], "merges": [[1]]}}',
    "(1, 2)\n(9999999, 1)",
    "\ud800 \udfff",
    "s t\n" * 30_000,
    "x" * 5_000_001,
    "h 1\n" * 12_000,
    "'a' " * 12_000,
    "a=1;" * 12_000,
]


# One of each kind of answer; the others read theirs as these do.
KINDS = {each.kind: id for id, each in EXERCISES.items()}.values()


@pytest.mark.parametrize("id", quick(EXERCISES, KINDS))
def test_hostile_answers_are_wrong_or_refused(id: str) -> None:
    """Nothing that is no answer is right, and nothing raises but AnswerError."""
    for text in HOSTILE:
        outcome = "refused"
        with suppress(AnswerError):
            outcome = verdict(id, text).outcome
        assert outcome in ("wrong", "refused") or EXERCISES[id].kind == "bytes" or id == "hit-speed", text[:40]


REFUSED = [
    (b"\x80\x04\x95\x10\x00", "is a pickle"),
    (b"(dp0\nS'a'\np1\n.", "is a pickle"),
    (b"}q\0X\1\0\0\0aq\1K\1s.", "is a pickle"),
    (b"PK\x03\x04rest", "is an archive"),
    (b"\x1f\x8b\x08\x00", "is an archive"),
    (b"\x93NUMPY\x01\x00", "is an archive or an array"),
    (b"\xff\xfe\x00\x00", "cannot be read"),
    (b"a" * 12_000_001, "the limit is"),
    (b"minbpe v1\n\nx\n", "is not a model of minbpe"),
    (b'{"a": 1, "a": 2}', "occurs twice"),
    (b'{"a": "b"}', "is not a vocabulary"),
    (b"only", "is not a merge"),
]


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_refused_files(content: bytes, message: str) -> None:
    with pytest.raises(AnswerError, match=message):
        verdict("cs336-bpe-example", files={"merges.txt": content})


FILES = {
    "merges.txt": b"#version: 0.2\ns t\ne st\no w\nl ow\nw est\nn e\n",
    "tokenizer.json": b'{"model": {"vocab": {"s": 0}, "merges": ["s t", ["e", "st"], "o w", "l ow", "w est", "n e"]}}',
    "toy.model": b"minbpe v1\n\n1\n<|endoftext|> 262\n115 116\n101 256\n111 119\n108 258\n119 257\n110 101\n",
    "merges.json": b'[["s", "t"], ["e", "st"], ["o", "w"], ["l", "ow"], ["w", "est"], ["n", "e"]]',
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_merges(name: str) -> None:
    assert verdict("cs336-bpe-example", files={name: FILES[name]}).outcome == "right"


def test_a_vocabulary_implies_its_merges() -> None:
    vocabulary = solution(EXERCISES["cs336-bpe-vocabulary"]).encode()
    found = verdict("cs336-bpe-example", files={"vocab.json": vocabulary})
    assert (found.outcome, [note.code for note in found.notes]) == ("right", ["byte-characters", "merges-implied"])
    by_id = {id: piece for piece, id in json.loads(vocabulary).items()}
    assert verdict("cs336-bpe-vocabulary", files={"vocab.json": json.dumps(by_id).encode()}).outcome == "right"


def test_a_vocabulary_by_another_rule_is_recognized() -> None:
    first_seen = written_vocabulary(
        Training.of(EXERCISES["cs336-bpe-vocabulary"].parameters | {"ties": "first-seen"}, {})
    )
    found = verdict("cs336-bpe-vocabulary", first_seen)
    assert (found.outcome, found.rule, found.why) == ("other-rule", "first-seen", "other-piece")
    assert (found.yours, found.right) == (Side("es"), Side("st"))
    other = verdict("cs336-bpe-vocabulary", first_seen.replace('"new"', '"zz"'))
    assert (other.outcome, other.rule, other.why) == ("wrong", "", "other-piece")


@pytest.mark.parametrize("content", [b"7", b"s t\ne st\n", FILES["toy.model"], b'{"merges": ["s t"]}'])
@pytest.mark.parametrize("id", ["cs336-bpe-vocabulary", "cs336-tinystories"])
def test_a_vocabulary_is_asked_for_where_merges_are_handed_in(id: str, content: bytes) -> None:
    with pytest.raises(AnswerError, match="Hand in the vocabulary"):
        verdict(id, "s", files={"merges.txt": content})


@pytest.mark.parametrize(("change", "why"), [({"zz": 263}, "extra-piece"), ({"<|endoftext|>": 300}, "ids")])
def test_a_vocabulary_has_the_right_pieces_and_ids(change: dict[str, int], why: str) -> None:
    right = json.loads(solution(EXERCISES["cs336-bpe-vocabulary"]))
    assert verdict("cs336-bpe-vocabulary", json.dumps(right | change)).why == why


@pytest.mark.parametrize(
    ("spelled", "outcome"),
    [
        (str, "right"),
        (lambda piece: piece.decode("latin-1"), "right"),
        (list, "right"),
        (lambda piece: piece.decode(errors="replace"), "wrong"),
    ],
    ids=["str of bytes", "latin-1", "list", "replaced"],
)
def test_vocabularies_as_students_save_them(spelled: Callable[[bytes], object], outcome: str) -> None:
    right = json.loads(solution(EXERCISES["cs336-bpe-vocabulary"]))
    pieces = {id: piece if "<" in piece[:-1] else spelled(characters_to_bytes(piece)) for piece, id in right.items()}
    found = verdict("cs336-bpe-vocabulary", files={"vocab.json": json.dumps(pieces).encode()})
    assert (found.outcome, found.why) == (outcome, "" if outcome == "right" else "replaced")


@pytest.mark.parametrize("written", [bytes.hex, lambda piece: b64encode(piece).decode()], ids=["hexadecimal", "Base64"])
def test_bytes_as_text(written: Callable[[bytes], str]) -> None:
    """So public solutions of CS336 save them, the special token included."""
    right = json.loads(solution(EXERCISES["cs336-bpe-vocabulary"]))
    pieces = {written(characters_to_bytes(piece)): id for piece, id in right.items()}
    assert verdict("cs336-bpe-vocabulary", json.dumps(pieces)).outcome == "right"
    merges = [line.split() for line in solution(EXERCISES["cs336-bpe-example"]).splitlines()]
    assert (
        verdict(
            "cs336-bpe-example", "\n".join(" ".join(map(written, map(str.encode, pair))) for pair in merges)
        ).outcome
        == "right"
    )


def test_the_longest_token_is_that_of_the_vocabulary() -> None:
    pieces = ["<|endoftext|>", "Ġaccomplishment", *(f"x{number}" for number in range(9_998))]
    files = {"vocab.json": json.dumps({piece: id for id, piece in enumerate(pieces)}).encode()}
    found = verdict("cs336-tinystories", " accomplishment", files=files)
    assert (found.outcome, [note.code for note in found.notes]) == ("right", ["corpus-unknown"])
    assert verdict("cs336-tinystories", "x1", files=files).why == "not-longest"
    files = {"vocab.json": json.dumps({"<|endoftext|>": 0, "Ġaccomplishment": 1}).encode()}
    assert verdict("cs336-tinystories", "accomplishment", files=files).why == "size"


def test_no_optimization_can_be_verified() -> None:
    for times in ("优化前：123.4 秒\n优化后：2.1 秒", "所需时间为71.2，优化后为2.1"):
        found = verdict("hit-speed", times)
        assert (found.outcome, [note.code for note in found.notes]) == ("right", ["times-unverified", "speed-up"])
