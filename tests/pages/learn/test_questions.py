"""Every answer of the course is what the core computes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor

import pytest
from flask import Flask

from tests.pages.learn.computed import ADD_ONE, COMPANY, COUNTS, frequency, segmenter, signed, tag_score, total
from webapp.core.encoding import Encoding
from webapp.core.evaluation.score import score_lines
from webapp.core.models.ngram_counts import END, START
from webapp.core.models.unigram import Unigram
from webapp.core.reference import bpe, matching, unigram, wordpiece
from webapp.core.tokenizer import Tokenizer
from webapp.pages.learn.lessons import ADMITTED, ADMITTED_CUT, LESSON_BY_SLUG, LESSONS, MOLECULES, Lesson, Question
from webapp.rendering.markup import inline_markup
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE
from webapp.web.localization import LANGUAGES

BYTES, WORDPIECE, UNIGRAM = ("bpe", "bpe-bytes"), ("wordpiece", "wordpiece"), ("unigram", "unigram")
ALL = [(language, one.slug, key) for language in LANGUAGES for one in LESSONS for key in one.questions[language]]
DOGS, LOW = (
    LESSON_BY_SLUG[slug].by_key[key].choices["corpus"] for slug, key in (("wordpiece", "unknown"), ("bpe", "five"))
)
SCIENCE = LESSON_BY_SLUG["dictionary"].by_key["forward"].choices["dictionary"]


@pytest.fixture(autouse=True)
def app_context(app: Flask) -> Iterator[None]:
    with app.app_context():
        yield


def tokenizer(algorithm: str, vocabulary: str, **options: object) -> Tokenizer:
    state = State(algorithm, vocabulary, "x", **options)  # type: ignore[arg-type]
    return prepare(state, corpus_limit=10_000).tokenizer


def encode(text: str, kind: tuple[str, str] = BYTES, *, special: bool = False, **options: object) -> Encoding:
    return tokenizer(*kind, **options).encode(text, special=special)


def ids(text: str, kind: tuple[str, str] = BYTES) -> list[int]:
    return list(encode(text, kind).ids)


def pieces(text: str, kind: tuple[str, str] = BYTES, **options: object) -> list[str]:
    """The pieces of a text as the questions write them: a space is `·`."""
    encoding = encode(text, kind, **options)
    found = [encoding.piece(index) for index in range(len(encoding))]
    return [(one.decode() if isinstance(one, bytes) else one).replace(" ", "·") for one in found]


def numbers(text: str) -> list[str]:
    return re.findall(r"\d+(?:[.,]\d+)*", text)


def says(question: Question, *values: object) -> None:
    """Check that the explanation contains each value as a whole number, a piece in code, or a span of text."""
    for value in values:
        if isinstance(value, int):
            assert f"{value}" in numbers(question.why) or f"{value:,}" in numbers(question.why), value
        else:
            assert str(value) in question.why, value


def quoted(words: Sequence[str]) -> str:
    return " / ".join(words)


def coded(words: Sequence[str], question: Question) -> None:
    says(question, *(f"`{word}`" for word in words))


# --- a check for each question, by its key: it computes the answer and compares it with the right choice and its
# explanation


def capital(question: Question) -> None:
    sentence = ids("The cat sat on the mat.")
    first, second = ids("The")[0], ids(" the")[0]
    assert sentence.index(first) == 0
    assert second in sentence
    assert abs(first - second) > 1
    assert question.right == 1
    says(question, first, second)


def letter(question: Question) -> None:
    small, large = ids("strawberry"), ids("Strawberry")
    assert pieces("strawberry") == re.findall(r"`(\w+)`", question.prompt)[1:5]
    changed = [pair for pair in zip(small, large, strict=True) if pair[0] != pair[1]]
    assert (len(changed), question.right) == (1, 1)
    says(question, *changed[0], *small[1:], abs(changed[0][0] - changed[0][1]))


def forward(question: Question) -> None:
    words = matching.forward(set(SCIENCE.split()), "研究生命科学")
    assert question.answer == quoted(words)
    assert pieces("研究生命科学", ("fmm", "own-dictionary"), dictionary=SCIENCE) == words
    assert len(question.choices[2].replace(" / ", "")) == len("研究生命科学") + 1


def rule(question: Question) -> None:
    text = "我们在野生动物园玩"
    left, right = (pieces(text, (algorithm, "jieba")) for algorithm in ("fmm", "bmm"))
    assert quoted(left) in question.prompt
    assert quoted(right) in question.prompt
    assert (len(left), len(right)) == (6, 5)
    assert matching.bidirectional({*left, *right}, text) == right
    assert question.right == 1


def size(question: Question) -> None:
    text = "难以置信的分词器 tokenizers" if "分词器" in question.prompt else "unbelievable tokenizers"
    found = pieces(text)
    assert text in question.prompt
    assert str(len(text)) in numbers(question.prompt)
    assert question.answer == str(len(found))
    assert "32,000" in question.prompt
    assert CATALOGUE["bpe-bytes"].size == 32_000
    spoken = [word.strip(" `") for word in re.split(r"[,、]", re.split(r"[.。]", question.why)[0])]
    assert spoken == found


def rare(question: Question) -> None:
    assert pieces(" information") == ["·information"]
    coded(pieces(" quokka"), question)
    assert len(pieces(" quokka")) == 3
    assert question.answer.startswith("quokka")


def first(question: Question) -> None:
    pairs = bpe.count_pairs({bpe.characters(word): count for word, count in Counter(LOW.split()).items()})
    counts = {f"{left} {right}": count for (left, right), count in pairs.items()}
    assert question.answer == max(question.choices, key=counts.__getitem__)
    assert counts[question.answer] == max(counts.values())
    says(question, *(counts[choice] for choice in question.choices))
    assert "es" in tokenizer("bpe", "learned-characters", corpus=LOW, size=1).model.pieces  # type: ignore[attr-defined]


def suffix(question: Question) -> None:
    found = pieces("lowest", ("bpe", "learned-characters"), corpus=LOW, size=10)
    assert question.answer == quoted([piece.removesuffix("</w>") for piece in found])
    known = tokenizer("bpe", "learned-characters", corpus=LOW, size=10).model.pieces  # type: ignore[attr-defined]
    assert {"lo", "low</w>", "est</w>"} <= set(known)


def emoji(question: Question) -> None:
    found = ids("🙂")
    assert question.answer == str(len(found))
    assert found == list("🙂".encode())
    says(question, "🙂".encode().hex(" ").upper(), *found)


def spaces(question: Question) -> None:
    encoding = encode("the the  the\nThe")
    words = [
        id
        for id, start, end in zip(encoding.ids, encoding.starts, encoding.ends, strict=True)
        if encoding.text[start:end].strip().lower() == "the"
    ]
    assert len(words) == 4
    assert question.answer == str(len(set(words)))
    says(question, *set(words))


def unknown(question: Question) -> None:
    kind = ("wordpiece", "learned-wordpiece")
    known = set(tokenizer(*kind, corpus=DOGS).model.pieces)  # type: ignore[attr-defined]
    assert {"love", "##d", "##o", "##g", "##s"} <= known
    assert not {"##l", "##y"} & known
    encoding = encode("lovely", kind, corpus=DOGS)
    assert encoding.unknown == {0}
    assert len(encoding) == 1
    assert question.answer == "[UNK]"


def score(question: Question) -> None:
    words = {wordpiece.split(word): count for word, count in Counter(DOGS.split()).items()}
    scores, counts = wordpiece.scores(words), wordpiece.count_pairs(words)
    often, apart = ("##o", "##v"), ("##g", "##s")
    assert (counts[often], counts[apart]) == (2, 1)
    assert (scores[often], scores[apart]) == (0.25, 1)
    assert wordpiece.count_symbols(words)["##o"] == 4
    assert question.answer.startswith("g s")
    says(question, "2 / (4 · 2)", "0.25")


def smoothing(question: Question) -> None:
    count, context, kinds = COUNTS.count("人生", "如"), COUNTS.context_count("人生"), COUNTS.vocabulary_size
    assert (count, context, kinds) == (2, 3, 6)
    assert Fraction(count + 1, context + kinds) == Fraction(question.answer)
    assert ADD_ONE.probability("如", ["人生"]) == pytest.approx(1 / 3)
    says(question, f"({count} + 1) / ({context} + {kinds})")


def flower(question: Question) -> None:
    words = ADD_ONE.words("人生如夏花")
    assert question.answer == quoted(words)
    for choice in question.choices[:2]:
        factors = [factor(*pair) for pair in pairwise((START, *choice.split(" / "), END))]
        product = Fraction(1)
        for numerator, denominator in factors:
            product *= Fraction(numerator, denominator)
        says(question, f"{' · '.join(f'{a}/{b}' for a, b in factors)} = {product}")


def factor(before: str, word: str) -> tuple[int, int]:
    return COUNTS.count(before, word) + 1, COUNTS.context_count(before) + COUNTS.vocabulary_size


def scores_of(vocabulary: tuple[str, str] = UNIGRAM) -> dict[str, float]:
    model = tokenizer(*vocabulary).model
    assert isinstance(model, Unigram)
    return dict(zip(model.pieces, model.scores, strict=True))


def restart(question: Question) -> None:
    text, greedy, likely, digits = (
        ("有意见", ("有意", "见"), ("有", "意见"), 1)
        if "有意见" in question.prompt
        else ("restart", ("▁rest", "art"), ("▁re", "start"), 2)
    )
    scores = scores_of()
    assert question.answer == quoted([piece.strip("▁") for piece in likely])
    assert question.choices[0] == quoted([piece.strip("▁") for piece in greedy])
    assert pieces(text, UNIGRAM)[-len(likely) :] == list(likely)
    assert unigram.viterbi("".join(likely), scores) == list(likely)
    for path in (greedy, likely):
        for piece in path:
            assert signed(scores[piece], digits) in question.prompt
        says(question, signed(sum(scores[piece] for piece in path), digits))
    # The greedy path is really that of the longest piece first.
    start = "".join(greedy)
    assert greedy[0] == max((start[:end] for end in range(1, len(start) + 1) if start[:end] in scores), key=len)


def paths(question: Question) -> None:
    text = "▁研究生命科学"
    arcs = unigram.lattice(text, scores_of())
    assert len(arcs) == 10
    assert str(len(arcs)) in numbers(question.prompt)
    ways = [1] + [0] * len(text)
    for start, end in arcs:
        ways[end] += ways[start]
    assert question.answer == str(ways[-1])
    assert {text[start:end] for start, end in arcs if end - start > 1} == {"研究", "生命", "科学"}
    says(question, 1 + 30 * 3)
    assert pytest.approx(1e9, rel=0.1) == 2**30


def decode(question: Question) -> None:
    built = tokenizer(*WORDPIECE, lowercase=True)
    assert question.answer == built.decode(built.ids("Café"))


def contraction(question: Question) -> None:
    assert question.answer == quoted(pieces("don't"))
    assert pieces("I don't")[1:] == ["·don", "'t"]


def count(question: Question) -> None:
    text = "The end.<|endoftext|>Once upon"
    plain, recognized = encode(text), encode(text, special=True)
    assert text in question.prompt
    assert str(len(plain)) in numbers(question.prompt)
    assert question.answer == str(len(recognized))
    coded(pieces("<|endoftext|>"), question)
    assert len(pieces("<|endoftext|>")) == 7
    says(question, recognized.ids[3], f"{len(plain)} − 7 + 1 = {len(recognized)}")


def forge(question: Question) -> None:
    found = ids("<|endoftext|>")
    assert 31999 not in found
    assert encode("<|endoftext|>", special=True).ids == (31999,)
    assert str(len("<|endoftext|>")) in numbers(question.choices[0])
    says(question, *found)
    assert question.right == 2


def lowest(question: Question) -> None:
    found = {choice: ids(choice.replace("·", " ")) for choice in question.choices}
    assert all(len(one) == 1 for one in found.values())
    assert question.answer == min(found, key=found.__getitem__)
    says(question, *(one[0] for one in found.values()))


def five(question: Question) -> None:
    found = [ids(text) for text in ("the", " the", "The", " The", "THE")]
    assert question.answer == str(sum(len(one) == 1 for one in found))
    says(question, *(one[0] for one in found))


def chain(question: Question) -> None:
    words = MOLECULES.split()
    assert all(word in question.prompt for word in words)
    for match in (matching.forward, matching.backward):
        assert question.answer == quoted(match(words, "结合成分子时"))
    says(question, "结合 / 成 / 分子 / 时")


def handle(question: Question) -> None:
    words = LESSON_BY_SLUG["ambiguity"].by_key["handle"].choices["dictionary"].split()
    right = ["请", "把", "手", "放下"]
    assert quoted(right) in question.prompt
    assert question.right == 2
    assert right not in (matching.forward(words, "请把手放下"), matching.backward(words, "请把手放下"))


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


@pytest.mark.parametrize(("language", "slug", "key"), ALL)
def test_the_answer_is_what_the_core_computes(language: str, slug: str, key: str) -> None:
    question = LESSON_BY_SLUG[slug].questions[language][key]
    globals()[key](question)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_each_lesson_has_two_questions_with_one_right_choice(lesson: Lesson, language: str) -> None:
    questions = lesson.questions[language]
    assert len(questions) == 2
    for question in questions.values():
        assert len(set(question.choices)) == 3
        assert 0 <= question.right < 3
        assert question.why
        assert not set("*`") & set(inline_markup(question.prompt + question.why))
