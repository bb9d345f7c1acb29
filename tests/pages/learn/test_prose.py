"""Every number that the lessons on segmentation say is what the core computes, in both languages."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.core.trainers.test_ties import LOWEST, cs336
from tests.pages.learn.computed import (
    ADD_ONE,
    COMPANY,
    COUNTS,
    dictionary,
    frequency,
    product,
    prose,
    segmenter,
    signed,
    site_model,
    tag_score,
    total,
)
from webapp.core.evaluation.score import score_lines, training_words
from webapp.core.formats.dictionary import read_dictionary
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.hmm import jieba_hmm
from webapp.core.models.maximum_probability import MaximumProbability, WordGraph, joined_frequency
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START
from webapp.core.models.smoothing import AbsoluteDiscounting, JelinekMercer, KneserNey
from webapp.core.models.tag_weights import SCALE
from webapp.core.reference import tagger as tagging
from webapp.core.reference.matching import backward
from webapp.core.traces.ngram import columns
from webapp.core.trainers import bpe
from webapp.core.trainers.tagger import Training
from webapp.pages.learn.lessons import LESSON_BY_SLUG, MOLECULES, spans_of
from webapp.pages.training.trainings import PRESETS
from webapp.vocabularies.trained import EXAMPLE_SENTENCES
from webapp.web.localization import LANGUAGES

OPINION = "有意见分歧"
PLAY = ("戏", "如", "人生")


def ambiguity() -> Iterator[str]:
    yield from ("为人", "人民", "民工", "工作")
    yield " / ".join(backward(MOLECULES.split(), "结合成分子时"))


def max_probability() -> Iterator[str]:
    graph = WordGraph(read_dictionary(LESSON_BY_SLUG["max-probability"].by_key["opinion"].choices["dictionary"]))
    assert graph.total == 1_000
    for words in (("有", "意见", "分歧"), ("有意", "见", "分歧")):
        shares = [Fraction(graph.frequency_of(word), graph.total) for word in words]
        factors = " · ".join(f"{graph.frequency_of(word)}/1,000" for word in words)
        yield f"P({' / '.join(words)}) = {factors} = 1/{product(shares).denominator:,}"
    best = [0.0] * (len(OPINION) + 1)
    for start in reversed(range(len(OPINION))):
        sums = []
        for arc in graph.arcs(OPINION, start):
            sums.append(arc.score + best[arc.end])
            after = tens(best[arc.end])
            after = f"− {after[1:]}" if after != "0" else "+ 0"
            yield f"{OPINION[arc.start : arc.end]} {tens(arc.score)} {after} = {tens(sums[-1])}"
        best[start] = max(sums)
    yield signed(best[0], 2)
    yield f"{len(dictionary().words):,}"
    yield f"{total():,}"
    for one, other in (("研究", "生命"), ("研究生", "命")):
        yield f"{frequency(one):,} · {frequency(other):,}"
    lowest = frequency("中") * frequency("将") / total()
    yield f"{frequency('中'):,} · {frequency('将'):,} / {total():,} = {lowest:.1f}"
    yield str(frequency("中将"))
    assert joined_frequency(segmenter().graph, "台中") == 69


def tens(score: float) -> str:
    """A natural logarithm to base 10, as the lesson writes it; all of them are whole numbers."""
    exponent = score / log(10)
    assert exponent == pytest.approx(round(exponent))
    return f"−{-round(exponent)}" if round(exponent) else "0"


def hmm() -> Iterator[str]:
    tagged = ["".join(map(tags_of, sentence.split())) for sentence in EXAMPLE_SENTENCES.splitlines()]
    yield from map(" ".join, tagged)
    after = Counter(right for tags in tagged for left, right in pairwise(tags) if left == "B")
    for tag in "EM":
        yield f"P({tag} | B) = {after[tag]}/{after.total()}"
    written = zip("".join(tagged), "".join(EXAMPLE_SENTENCES.split()), strict=True)
    for character, count in Counter(character for tag, character in written if tag == "B").items():
        yield f"P({character} | B) = {count}/{after.total()}"
    model = jieba_hmm()
    for first, second in ("BE", "SS"):
        steps = (model.start[first], model.emission[first]["杭"])  # type: ignore[index]
        steps += (model.transition[first, second], model.emission[second]["研"])  # type: ignore[index]
        yield from (signed(step, 2) for step in steps)
        yield signed(tag_score("杭研", first + second), 1)
    lowest = frequency("方") * frequency("成功") / total()
    yield f"{frequency('方'):,} · {frequency('成功'):,} / {total():,} = {lowest:.2f}"
    assert joined_frequency(segmenter().graph, "赵春") == 1
    assert joined_frequency(segmenter().graph, "方成功") == 3


def test_the_diagram_of_the_tags_has_the_probabilities_of_the_model(client: FlaskClient) -> None:
    page = client.get("/learn/hmm").text
    part = page[page.index('id="diagram-states"') :]
    model = jieba_hmm()
    scores = [*model.transition.values(), model.start["B"], model.start["S"]]
    shown = re.findall(r">(0\.\d\d)</text>", part[: part.index("</figure>")])
    assert sorted(shown) == sorted(f"{exp(score):.2f}" for score in scores)


def tags_of(word: str) -> str:
    return "S" if len(word) == 1 else "B" + "M" * (len(word) - 2) + "E"


def ngram() -> Iterator[str]:
    assert PRESETS["ngram"][0][1].corpus == EXAMPLE_SENTENCES
    for before in (START, *COUNTS.words):
        row = [*(COUNTS.count(before, word) for word in (*COUNTS.words, END)), COUNTS.context_count(before)]
        yield " ".join(map(str, row))
    best, second = ("人生", "如", "梦境"), ("人生", "如", "梦", "境")
    yield f"P({' '.join(best)}) = {written(best, 0)}"
    yield written(("梦境", "如", "戏"), 0)
    yield written(PLAY, 1)
    yield written(best, 1)
    yield written(second, 1).partition(" = ")[2]
    last = sorted(columns(ADD_ONE, "人生如梦境")[-1].candidates, key=lambda one: -one.total)
    for candidate, words in zip(last, (best, second), strict=True):
        total = sum(log(Fraction(*factor)) for factor in factors(words, 1))
        assert candidate.total == pytest.approx(total)
        yield signed(total, 2)


def factors(words: tuple[str, ...], more: int) -> list[tuple[int, int]]:
    """The counts of the pairs of a sentence and of their first words, with as many more for each."""
    kinds = COUNTS.vocabulary_size * more
    return [
        (COUNTS.count(before, word) + more, COUNTS.context_count(before) + kinds)
        for before, word in pairwise((START, *words, END))
    ]


def written(words: tuple[str, ...], more: int) -> str:
    """The factors and their product, as the lesson writes them."""
    found = factors(words, more)
    return f"{' · '.join(f'{a}/{b}' for a, b in found)} = {product([Fraction(a, b) for a, b in found])}"


def evaluation() -> Iterator[str]:
    for key, precision, recall in (("name", "3/5", "3/4"), ("horse", "3/4", "3/5")):
        example = LESSON_BY_SLUG["evaluation"].by_key[key]
        score = score_lines([example.gold], [example.texts["en"].split()], frozenset(example.known))
        assert (score.precision, score.recall) == (float(Fraction(precision)), float(Fraction(recall)))
        assert score.f1 == pytest.approx(6 / 9)
    yield from ("2 · 3 / (4 + 5) = 6/9 = 0.667", "0.750", "0.600", "0.667", "0/1", "3/3", "3/5", "0–3", "3–5")


# The parameters of the lesson on smoothing are round, and single words are not smoothed, so that figures can be checked
# by hand.
JELINEK_MERCER = NGram(COUNTS, JelinekMercer((1.0, 0.9)))
ABSOLUTE_DISCOUNTING = NGram(COUNTS, AbsoluteDiscounting((0.0, 0.75)))
KNESER_NEY = NGram(COUNTS, KneserNey((0.0, 0.75)))
MODELS = (ADD_ONE, JELINEK_MERCER, ABSOLUTE_DISCOUNTING, KNESER_NEY)


def fraction(model: NGram, word: str, before: str = "人生") -> Fraction:
    return Fraction(model.probability(word, [before])).limit_denominator(10_000)


def steps(model: NGram) -> list[Fraction]:
    return [fraction(model, word, before) for before, word in pairwise((START, *PLAY, END))]


def perplexity(model: NGram) -> str:
    return f"{float(product(steps(model))) ** (-1 / 4):.2f}"


def smoothing() -> Iterator[str]:
    unseen = [word for word in COUNTS.words if COUNTS.count("人生", word) == 0]
    assert len(unseen) == 4
    assert {fraction(ADD_ONE, word) for word in unseen} == {Fraction(1, 9)}
    yield from ("4/9", "50,100")
    assert pytest.approx(0.002, rel=0.01) == 100 / 50_100
    assert COUNTS.context_count() == 14
    yield f"0.9 · 2/3 + 0.1 · 3/14 = {JELINEK_MERCER.probability('如', ['人生']):.3f}"
    yield f"0.1 · 2/14 = {JELINEK_MERCER.probability('梦境', ['人生']):.3f}"
    assert fraction(JELINEK_MERCER, "梦境") == 2 * fraction(JELINEK_MERCER, "戏")
    assert COUNTS.types_after("人生") == 2
    yield f"(2 − 3/4) / 3 + 1/2 · 3/14 = 5/12 + 3/28 = {fraction(ABSOLUTE_DISCOUNTING, '如')}"
    yield f"1/2 · 1/14 = {fraction(ABSOLUTE_DISCOUNTING, '戏')}"
    kinds = len(list(COUNTS.ngrams(2)))
    yield from (f"{COUNTS.levels[0].continuations[COUNTS.number(word)]}/{kinds}" for word in ("如", END))
    yield f"P(如 | 人生) = 5/12 + 1/2 · 2/12 = {fraction(KNESER_NEY, '如')}"
    yield f"P(戏 | 人生) = 0 + 1/2 · 1/12 = {fraction(KNESER_NEY, '戏')}"
    assert COUNTS.count(START, "戏") == 0
    assert f"{(2835 / 2) ** 0.25:.2f}" == perplexity(ADD_ONE)
    yield f"{' · '.join(map(str, steps(ADD_ONE)))} = {product(steps(ADD_ONE))}"
    yield " · ".join(map(str, steps(KNESER_NEY)))
    yield from (perplexity(ADD_ONE), perplexity(KNESER_NEY))
    yield f"{len(site_model().counts.words):,}"


def ties() -> Iterator[str]:
    counts, wanted = cs336()
    seen = [(merge.left, merge.right) for merge in bpe.train_bytes(counts, 500, ["<|endoftext|>"]).merges]
    first = next(place for place, (one, other) in enumerate(zip(seen, wanted, strict=True), 1) if one != other)
    yield from (str(len({*seen} & {*wanted})), str(len(wanted)), str(first))
    found = {
        ties: bpe.train_bytes(LOWEST, merges_at_most=6, ties=ties) for ties in ("first-seen", "greater", "lower-ids")
    }
    pieces = {ties: {merge.piece for merge in trained.merges} for ties, trained in found.items()}
    assert [name for name, own in pieces.items() if b"west" in own] == ["greater"]
    assert [name for name, own in pieces.items() if b"ew" in own] == ["lower-ids"]
    assert (
        len(
            {
                tuple(trained.model.ids("newest") + trained.model.ids("few") + trained.model.ids("west"))
                for trained in found.values()
            }
        )
        == 3
    )
    for number, merges in enumerate(zip(*(trained.merges for trained in found.values()), strict=True), 1):
        assert len({merge.count for merge in merges}) == 1
        yield " ".join(
            [f"{number} {merges[0].count}", *(f"{left.decode()} {right.decode()}" for left, right, _ in merges)]
        )


def tagger() -> Iterator[str]:
    texts = LESSON_BY_SLUG["tagger"].by_key
    gold = [line.split() for line in str(texts["unseen"].choices["corpus"]).splitlines()]
    yield from (" / ".join(words) for words in gold)
    assert set(str(texts["matching"].choices["dictionary"]).split()) == {word for words in gold for word in words}
    first = "".join(gold[0])
    yield " ".join(tagging.viterbi(first, {}))
    yield " ".join("".join(map(tags_of, gold[0])))
    yield " / ".join(tagging.words(first, {}))
    training = Training(gold)
    moments = list(training.run())
    assert [moment.wrong for moment in moments[1:]] == [0] * 9
    yield from (str(moments[0].wrong), str(moments[0].characters))
    weights = training.tagger().weights
    text = texts["unseen"].texts["en"]
    known = [(template, four) for template, _value, four in weights.at(text, text.index("天")) if any(four)]
    assert [template for template, _four in known] == ["C2", "T-1T0T1"]
    assert len(weights.at(text, 0)) == 11
    yield from (signed(known[0][1][tag] / SCALE, 2) for tag in (0, 3))


NUMBERS: dict[str, Callable[[], Iterator[str]]] = {
    "ambiguity": ambiguity,
    "max-probability": max_probability,
    "hmm": hmm,
    "ngram": ngram,
    "smoothing": smoothing,
    "ties": ties,
    "tagger": tagger,
    "evaluation": evaluation,
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", NUMBERS)
def test_every_number_of_a_lesson_is_computed(client: FlaskClient, slug: str, language: str) -> None:
    text = prose(client, slug, language)
    assert [shown for shown in NUMBERS[slug]() if shown not in text] == []


@pytest.mark.parametrize(
    ("segmentation", "words"),
    [
        (segmenter, "如果 放到 旧 字典 中将 出错"),
        (segmenter, "我 住 在 台 中"),
        (segmenter, "这个 人才 能 干活"),
        (segmenter, "乒乓球 拍卖 完 了"),
        (segmenter, "请 把手 放下"),
        (segmenter, "他 来到 了 网易 杭研 大厦"),
        (site_model, "请 把手 放下"),
        (site_model, "这个 人 才能 干活"),
    ],
)
def test_sentences_are_segmented_as_the_lessons_say(
    app: Flask, segmentation: Callable[[], MaximumProbability | NGram], words: str
) -> None:
    with app.app_context():
        assert segmentation().words(words.replace(" ", "")) == words.split()


def test_the_test_set_and_its_official_scores(client: FlaskClient, shared: Path) -> None:
    def lines(name: str) -> list[list[str]]:
        return [line.split() for line in (shared / "sighan" / name).read_text(encoding="utf-8").splitlines()]

    gold, known = lines("pku_test_gold.utf8"), {word for line in lines("pku_training_words.utf8") for word in line}
    assert sum(pair == ("才", "能") for line in gold for pair in pairwise(line)) == 17
    unknown = found = 0
    for words, others in zip(gold, lines("pku_fmm.utf8"), strict=True):
        same = set(spans_of(others))
        spans = [span for word, span in zip(words, spans_of(words), strict=True) if word not in known]
        unknown += len(spans)
        found += sum(span in same for span in spans)
    assert (unknown, found) == (6_006, 412)
    for language in LANGUAGES:
        text = prose(client, "evaluation", language)
        assert all(number in text for number in ("17", "6,006", "412"))
        for direction in ("fmm", "bmm"):
            scores = (shared / "sighan" / f"pku_{direction}.score").read_text(encoding="utf-8")
            official = dict(re.findall(r"=== ([A-Z a-z]+):\t(\S+)", scores))
            names = ("TOTAL TEST WORDS PRECISION", "TOTAL TRUE WORDS RECALL", "F MEASURE")
            wanted = [official[name].removeprefix("0") for name in (*names, "OOV Recall Rate", "IV Recall Rate")]
            zero = "0" if language == "zh" else ""
            assert " ".join((direction.upper(), *(zero + each for each in wanted))) in text


@pytest.mark.exhaustive
def test_the_table_has_the_scores_of_maximum_probability(client: FlaskClient, shared: Path) -> None:
    text = prose(client, "evaluation", "en")
    sighan = shared / "sighan"
    known = training_words((sighan / "pku_training_words.utf8").read_text(encoding="utf-8"))
    gold = [line.split() for line in (sighan / "pku_test_gold.utf8").read_text(encoding="utf-8").splitlines()]
    words = sorted(known)
    own = Dictionary(words, frequencies=[max(frequency(word), 1) for word in words])
    for label, model in (
        ("maximum probability", MaximumProbability(own, hmm=False)),
        ("the same, with HMM", MaximumProbability(own)),
        ("jieba's dictionary", segmenter(hmm=False)),
        ("jieba with HMM", segmenter()),
    ):
        score = score_lines(gold, [model.words("".join(line)) for line in gold], known)
        figures = (score.precision, score.recall, score.f1, score.oov_recall, score.iv_recall)
        shown = " ".join(f"{figure:.3f}".removeprefix("0") for figure in figures if figure is not None)
        assert f"{label} {shown}" in text


def test_another_sentence_of_the_reader_is_refused_and_stays(client: FlaskClient) -> None:
    refused = client.get("/learn/evaluation?name=方成功 考上&lang=en")
    assert refused.status_code == 422
    assert 'value="方成功 考上"' in refused.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tables_of_smoothing(client: FlaskClient, language: str) -> None:
    page = client.get(f"/learn/smoothing?lang={language}").text
    perplexities = ["∞", *map(perplexity, MODELS)]
    assert "".join(f'<td class="end">{value}</td>' for value in perplexities) in page
    for word in (*COUNTS.words, END):
        shares = [COUNTS.count("人生", word) / COUNTS.context_count("人生")]
        shares += [model.probability(word, ["人生"]) for model in MODELS]
        cells = "".join(f'<td class="end">{f"{each:.3f}" if each else "0"}</td>' for each in shares)
        assert f"</th>{cells}</tr>" in page
    for word, *counts in COMPANY:
        assert f'<th scope="row">{word}</th>' + "".join(f'<td class="end">{each}</td>' for each in counts) in page
    for key, pieces in (("by-add-one", ["人生如梦", "境"]), ("by-kneser-ney", ["人生", "如", "梦境"])):
        part = page[page.index(f'id="example-{key}"') :]
        assert re.findall(r"<i[^>]*>([^<]*)</i>", part[: part.index("</figure>")]) == pieces


def test_the_company_of_two_words(shared: Path) -> None:
    text = (shared / "corpora" / "zh_luxun.txt").read_text(encoding="utf-8").lower()
    for name, count, kinds in COMPANY:
        word = name.lower()
        before = Counter(text[at - 1] for at in range(1, len(text)) if text.startswith(word, at))
        assert (before.total(), len(before)) == (count, kinds)
        assert word != "q" or before["阿"] == 299
