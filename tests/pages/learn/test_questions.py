"""Every answer of the course is what the core computes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import floor

import pytest
from flask import Flask

from tests.core.trainers.test_ties import LOWEST as ASSIGNED
from tests.core.trainers.test_ties import cs336
from tests.pages.learn.computed import ADD_ONE, COMPANY, COUNTS, frequency, product, segmenter, signed, tag_score, total
from webapp.core.encoding import Encoding
from webapp.core.evaluation.score import score_lines
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.ngram_counts import END, START
from webapp.core.models.tagger import Tagger
from webapp.core.models.unigram import Unigram
from webapp.core.reference import bpe, matching, unigram, wordpiece
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe as trainer
from webapp.core.trainers.tagger import Training
from webapp.pages.learn.lessons import ADMITTED, ADMITTED_CUT, LESSON_BY_SLUG, LESSONS, MOLECULES, Lesson, Question
from webapp.rendering.markup import inline_markup
from webapp.tokenization.result import prepare
from webapp.tokenization.state import State
from webapp.web.localization import LANGUAGES

BYTES, WORDPIECE, UNIGRAM = ("bpe", "bpe-bytes"), ("wordpiece", "wordpiece"), ("unigram", "unigram")
ALL = [(language, one.slug, key) for language in LANGUAGES for one in LESSONS for key in one.questions[language]]
DOGS, LOW = (
    LESSON_BY_SLUG[slug].by_key[key].choices["corpus"] for slug, key in (("wordpiece", "unknown"), ("bpe", "five"))
)
GOLD = [line.split() for line in str(LESSON_BY_SLUG["tagger"].by_key["unseen"].choices["corpus"]).splitlines()]
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


def quoted(words: Sequence[str]) -> str:
    return " / ".join(words)


def coded(words: Iterable[str]) -> list[str]:
    return [f"`{word}`" for word in words]


# --- a function for each question, by its key: it computes the right answer, then what the explanation says: whole
# numbers, pieces in code, or spans of its text


def capital(question: Question) -> list[object]:
    first, second = ids("The")[0], ids(" the")[0]
    assert {first, second} <= set(ids("The cat sat on the mat."))
    return [question.choices[1], first, second]


def letter(question: Question) -> list[object]:
    small, large = ids("strawberry"), ids("Strawberry")
    (changed,) = [pair for pair in zip(small, large, strict=True) if pair[0] != pair[1]]
    return [question.choices[1], *changed, *small[1:], abs(changed[0] - changed[1])]


def forward(question: Question) -> list[object]:
    return [quoted(matching.forward(set(SCIENCE.split()), "研究生命科学"))]


def rule(question: Question) -> list[object]:
    text = "我们在野生动物园玩"
    left, right = (pieces(text, (algorithm, "jieba")) for algorithm in ("fmm", "bmm"))
    assert quoted(left) in question.prompt
    assert quoted(right) in question.prompt
    assert matching.bidirectional({*left, *right}, text) == right
    return [question.choices[1]]


def size(question: Question) -> list[object]:
    text = "难以置信的分词器 tokenizers" if "分词器" in question.prompt else "unbelievable tokenizers"
    assert text in question.prompt
    assert str(len(text)) in numbers(question.prompt)
    found = pieces(text)
    return [len(found), *found]


def rare(question: Question) -> list[object]:
    assert pieces(" information") == ["·information"]
    found = pieces(" quokka")
    return [next(choice for choice in question.choices if choice.startswith("quokka")), *coded(found)]


def first(question: Question) -> list[object]:
    pairs = bpe.count_pairs({bpe.characters(word): count for word, count in Counter(LOW.split()).items()})
    counts = {f"{left} {right}": count for (left, right), count in pairs.items()}
    best = max(question.choices, key=counts.__getitem__)
    assert counts[best] == max(counts.values())
    return [best, *(counts[choice] for choice in question.choices)]


def suffix(question: Question) -> list[object]:
    found = pieces("lowest", ("bpe", "learned-characters"), corpus=LOW, size=10)
    return [quoted(found)]


def emoji(question: Question) -> list[object]:
    found = ids("🙂")
    return [len(found), "🙂".encode().hex(" ").upper(), *found]


def spaces(question: Question) -> list[object]:
    encoding = encode("the the  the\nThe")
    places = zip(encoding.ids, encoding.starts, encoding.ends, strict=True)
    words = {id for id, start, end in places if encoding.text[start:end].strip().lower() == "the"}
    return [len(words), *words]


def unknown(question: Question) -> list[object]:
    encoding = encode("lovely", ("wordpiece", "learned-wordpiece"), corpus=DOGS)
    assert (encoding.unknown, len(encoding)) == ({0}, 1)
    return ["[UNK]"]


def score(question: Question) -> list[object]:
    words = {wordpiece.split(word): count for word, count in Counter(DOGS.split()).items()}
    scores = wordpiece.scores(words)
    often, apart = ("##o", "##v"), ("##g", "##s")
    assert wordpiece.count_pairs(words)[often] == 2
    assert wordpiece.count_symbols(words)["##o"] == 4
    assert (scores[often], scores[apart]) == (0.25, 1)
    return [next(choice for choice in question.choices if choice.startswith("g s")), "2 / (4 · 2)", "0.25"]


def smoothing(question: Question) -> list[object]:
    numerator, denominator = factor("人生", "如")
    assert ADD_ONE.probability("如", ["人生"]) == pytest.approx(numerator / denominator)
    return [Fraction(numerator, denominator), f"({numerator - 1} + 1) / ({denominator - 6} + 6)"]


def flower(question: Question) -> list[object]:
    said = []
    for choice in question.choices[:2]:
        factors = [factor(*pair) for pair in pairwise((START, *choice.split(" / "), END))]
        result = product([Fraction(*each) for each in factors])
        said.append(f"{' · '.join(f'{a}/{b}' for a, b in factors)} = {result}")
    return [quoted(ADD_ONE.words("人生如夏花")), *said]


def factor(before: str, word: str) -> tuple[int, int]:
    return COUNTS.count(before, word) + 1, COUNTS.context_count(before) + COUNTS.vocabulary_size


def scores_of(vocabulary: tuple[str, str] = UNIGRAM) -> dict[str, float]:
    model = tokenizer(*vocabulary).model
    assert isinstance(model, Unigram)
    return dict(zip(model.pieces, model.scores, strict=True))


def restart(question: Question) -> list[object]:
    greedy, likely, digits = (
        (("有意", "见"), ("有", "意见"), 1) if "有意见" in question.prompt else (("▁rest", "art"), ("▁re", "start"), 2)
    )
    scores = scores_of()
    start = "".join(greedy)
    assert greedy[0] == max((start[:end] for end in range(1, len(start) + 1) if start[:end] in scores), key=len)
    assert unigram.viterbi(start, scores) == list(likely)
    assert question.choices[0] == quoted([piece.strip("▁") for piece in greedy])
    assert all(signed(scores[piece], digits) in question.prompt for piece in (*greedy, *likely))
    sums = [signed(sum(scores[piece] for piece in path), digits) for path in (greedy, likely)]
    return [quoted([piece.strip("▁") for piece in likely]), *sums]


def paths(question: Question) -> list[object]:
    text = "▁研究生命科学"
    arcs = unigram.lattice(text, scores_of())
    assert str(len(arcs)) in numbers(question.prompt)
    ways = [1] + [0] * len(text)
    for start, end in arcs:
        ways[end] += ways[start]
    return [ways[-1], 1 + 30 * 3]


def decode(question: Question) -> list[object]:
    built = tokenizer(*WORDPIECE, lowercase=True)
    return [built.decode(built.ids("Café"))]


def contraction(question: Question) -> list[object]:
    assert pieces("I don't")[1:] == ["·don", "'t"]
    return [quoted(pieces("don't"))]


def count(question: Question) -> list[object]:
    text = "The end.<|endoftext|>Once upon"
    plain, recognized = encode(text), encode(text, special=True)
    assert text in question.prompt
    assert str(len(plain)) in numbers(question.prompt)
    found = pieces("<|endoftext|>")
    sums = f"{len(plain)} − {len(found)} + 1 = {len(recognized)}"
    return [len(recognized), *coded(found), recognized.ids[3], sums]


def forge(question: Question) -> list[object]:
    assert encode("<|endoftext|>", special=True).ids == (31999,)
    return [question.choices[2], *ids("<|endoftext|>")]


def lowest(question: Question) -> list[object]:
    found = {choice: ids(choice.replace("·", " ")) for choice in question.choices}
    return [min(found, key=found.__getitem__), *(id for (id,) in found.values())]


def five(question: Question) -> list[object]:
    found = [ids(text) for text in ("the", " the", "The", " The", "THE")]
    return [sum(len(one) == 1 for one in found), *(one[0] for one in found)]


def chain(question: Question) -> list[object]:
    one, other = (quoted(match(MOLECULES.split(), "结合成分子时")) for match in (matching.forward, matching.backward))
    assert one == other
    return [one, "结合 / 成 / 分子 / 时"]


def handle(question: Question) -> list[object]:
    words = LESSON_BY_SLUG["ambiguity"].by_key["handle"].choices["dictionary"].split()
    right = ["请", "把", "手", "放下"]
    assert quoted(right) in question.prompt
    assert right not in (matching.forward(words, "请把手放下"), matching.backward(words, "请把手放下"))
    return [question.choices[2]]


def longer(question: Question) -> list[object]:
    one, parts = frequency("生命科学"), frequency("生命") * frequency("科学") / total()
    assert all(f"{each:,}" in question.prompt for each in (frequency("生命"), frequency("科学"), one, total()))
    return [quoted(segmenter().words("生命科学")), f"{parts:.2f}/{total():,}", f"{one}/{total():,}"]


def taichung(question: Question) -> list[object]:
    needed = frequency("台") * frequency("中") / total()
    assert all(f"{frequency(word):,}" in question.prompt for word in ("台中", "台", "中"))
    said = f"{frequency('台'):,} · {frequency('中'):,} / {total():,} = {needed:.1f}"
    return [floor(needed) + 1, said]


def zhao(question: Question) -> list[object]:
    said = [f"{tag_score('赵春来了', tags):.1f}".replace("-", "−") for tags in ("BMES", "BESS")]
    return [quoted(segmenter().words("赵春来了")), *said, "B M E S", "B E S S"]


def success(question: Question) -> list[object]:
    return [quoted(segmenter().words("方成功考上了北大")), segmenter().words("方小成考上了北大")[0]]


def update(question: Question) -> list[object]:
    training = Training(GOLD[:1])
    list(training.run(1))
    changed = next(four for _, value, four in training.weights.at("小明在北京工作", 0) if value == "小")
    return [f"{question.answer.split()[0]} {changed[0]:+}", "S", "B"]


def correct(question: Question) -> list[object]:
    text = LESSON_BY_SLUG["tagger"].by_key["long"].texts["en"]
    training, further = Training(GOLD), Training([*GOLD, ["老师", "在", "乌鲁木齐", "学习"]])
    assert [*training.run(), *further.run()]
    listed = Tagger(training.tagger().weights, Dictionary([*training.tagger().pieces, "乌鲁木齐"]))
    corrected = ["乌鲁木齐" in model.words(text) for model in (listed, further.tagger())]
    return [question.choices[corrected.index(True)]]


def collected(question: Question) -> list[object]:
    kinds, seen, discount = COUNTS.types_after("人生"), COUNTS.context_count("人生"), 0.75
    share = Fraction(kinds * discount / seen)
    return [share, f"{kinds * discount} / {seen} = {share}"]


def company(question: Question) -> list[object]:
    (common, count, before), (_rare, rare_count, rare_before) = COMPANY
    assert round(before / rare_before) == 7
    assert {str(count), str(rare_count)} <= set(numbers(question.prompt))
    answer = next(choice for choice in question.choices if common in choice)
    return [answer, before, rare_before, before - 3, 299]


def greatest(question: Question) -> list[object]:
    words = {bpe.utf8(word): count for word, count in ASSIGNED.items()}
    chosen = [bpe.train(words, 1, rule)[0] for rule in (bpe.greater, bpe.first_seen)]
    assert {bpe.count_pairs(words)[pair] for pair in chosen} == {9} == {max(bpe.count_pairs(words).values())}
    assert "9" in numbers(question.prompt)
    best, other = (" ".join(map(bytes.decode, pair)) for pair in chosen)
    return [best, *coded([best, other])]


def tied(question: Question) -> list[object]:
    counts, _merges = cs336()
    course, ours = (
        trainer.train_bytes(counts, merges_at_most=65, ties=rule).merges for rule in ("greater", "first-seen")
    )
    assert ours[:64] == course[:64]
    assert {"64", "65", "246"} <= set(numbers(question.prompt))
    assert (course[64].count, ours[64].count) == (246, 246)
    return [
        question.choices[2],
        246,
        *coded(f"{left.decode()} {right.decode()}" for left, right, _ in (course[64], ours[64])),
    ]


def precision(question: Question) -> list[object]:
    score = score_lines([ADMITTED], [ADMITTED_CUT], None)
    assert (score.precision, score.recall) == (3 / 5, 3 / 4)
    return ["3/5", "3/4"]


def luck(question: Question) -> list[object]:
    return [f"{412 / 6_006:.3f}", 6_006, 412]  # both are counted in test_prose.py


@pytest.mark.parametrize(("language", "slug", "key"), ALL)
def test_the_answer_is_what_the_core_computes(language: str, slug: str, key: str) -> None:
    question = LESSON_BY_SLUG[slug].questions[language][key]
    answer, *said = globals()[key](question)
    assert question.answer == str(answer)
    for value in said:
        if isinstance(value, int):
            assert {f"{value}", f"{value:,}"} & set(numbers(question.why)), value
        else:
            assert value in question.why, value


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.slug)
def test_each_lesson_has_two_questions_with_one_right_choice(lesson: Lesson) -> None:
    for language in LANGUAGES:
        assert len(lesson.questions[language]) == 2
        for question in lesson.questions[language].values():
            assert len(set(question.choices)) == 3
            assert 0 <= question.right < 3
            assert not set("*`") & set(inline_markup(question.prompt + question.why))
