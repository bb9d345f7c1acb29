"""N-gram models: probabilities are those of the reference and of nltk, and the segmentation is the best of all."""

from collections.abc import Sequence
from itertools import combinations
from math import exp, inf, isclose, log
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webapp.core.models import ngram_viterbi
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START, UNKNOWN
from webapp.core.models.ngram_lattice import CharacterModel
from webapp.core.models.ngram_viterbi import best_path
from webapp.core.models.smoothing import SMOOTHINGS, KneserNey, estimate
from webapp.core.reference import ngram as reference
from webapp.core.traces.ngram import n_best, sentence_traces
from webapp.core.trainers.ngram import segmented, train

REFERENCES = {
    "add-one": reference.add_one,
    "jelinek-mercer": reference.jelinek_mercer,
    "absolute-discounting": reference.absolute_discounting,
    "kneser-ney": reference.kneser_ney,
}
LESSON = "人生 如 梦境\n人生 如 戏\n生如夏花\n梦境 如 人生"

# The textbooks' marks may be words like any other.
words = st.one_of(st.text("ab", min_size=1, max_size=3), st.sampled_from(["<s>", "</s>", "c"]))
sentences = st.lists(st.lists(words, min_size=1, max_size=5), min_size=1, max_size=5)
texts = st.text("abcd。 ", max_size=9)
contexts = st.lists(st.sampled_from(["a", "b", "ab", "zz", "<s>"]), max_size=2)
smoothings = st.sampled_from(SMOOTHINGS)
orders = st.integers(1, 3)


@given(sentences, orders, smoothings, contexts, st.booleans())
def test_probabilities_equal_the_reference(
    given_sentences: list[list[str]], order: int, smoothing: str, context: list[str], begins: bool
) -> None:
    counts = reference.train(given_sentences, order)
    longest = max(map(len, counts))
    model = NGram(train(given_sentences, order), smoothing)
    before = ([START] if begins else []) + context
    told = tuple("" if word is START else word for word in before)[-longest:] if longest else ()
    for word in ("a", "b", "never", END):
        expected = REFERENCES[smoothing]("" if word is END else word, told, counts)
        if longest == order - 1:
            assert isclose(model.probability(word, before), expected, rel_tol=1e-9)


@given(sentences, orders, contexts)
def test_what_textbooks_count_by_hand(given_sentences: list[list[str]], order: int, context: list[str]) -> None:
    """Without smoothing c / n, and −∞ for what was never counted; with the beginning in V (c + 1) / (n + V + 1)."""
    counts = train(given_sentences, order)
    adding = NGram(counts, "add-one")
    plain, marked = NGram(counts, "unsmoothed"), NGram(counts, "add-one-marks")
    for word in ("a", "b", "never", END):
        part = adding.contributions(word, context)[0]
        assert plain.probability(word, context) == (part.count / part.total if part.total else 0)
        assert plain.score(word, context) == (log(part.count / part.total) if part.count else -inf)
        assert marked.probability(word, context) == (part.count + 1) / (part.total + adding.vocabulary_size + 1)
    assert [end for _id, _start, end in plain.segment("abzz")][-1] == 4  # a path of probability 0 is one, too


@given(sentences, orders, smoothings, contexts, st.booleans(), st.booleans(), st.booleans())
def test_probabilities_sum_to_one_after_each_context(
    given_sentences: list[list[str]],
    order: int,
    smoothing: str,
    context: list[str],
    rare: bool,
    spells: bool,
    dictionary: bool,
) -> None:
    counts = train(given_sentences, order, (2, 2, 2) if rare else ())
    base = [3] * len(counts.words) if dictionary else None
    model = NGram(counts, smoothing, base=base, characters=CharacterModel({}) if spells else None)
    others = [UNKNOWN] if spells or counts.counts_unknown else []
    for before in ([], [START], context, [START, *context], ["never", "seen"]):
        assert isclose(sum(model.probability(word, before) for word in (*counts.words, END, *others)), 1)
        for word in (*counts.words, END):
            parts = model.contributions(word, before)
            assert isclose(sum(part.probability for part in parts), model.probability(word, before))


def by_formula(word: str, context: tuple[str, ...], texts: list[list[str]], order: int) -> float:
    """Interpolated Kneser-Ney as Chen and Goodman write it (equations 12, 24 and 25), counted anew for each n-gram."""
    lines = [("<", *text, ">") for text in texts]
    grams = [{line[at : at + n] for line in lines for at in range(len(line) - n + 1)} for n in range(order + 1)]

    def count(gram: tuple[str, ...]) -> int:
        n = len(gram)
        if n == order or gram[0] == "<":
            return sum(line[at : at + n] == gram for line in lines for at in range(len(line) - n + 1))
        return sum(longer[1:] == gram for longer in grams[n + 1])

    def discount(n: int) -> float:
        counts = [count(gram) for gram in grams[n] if gram != ("<",)]
        once, twice = counts.count(1), counts.count(2)
        return once / (once + 2 * twice) if once and twice else 0.5

    def probability(gram: tuple[str, ...]) -> float:
        below = probability(gram[1:]) if len(gram) > 1 else 1 / len(grams[1] - {("<",)})
        after = {one: count(one) for one in grams[len(gram)] if one[:-1] == gram[:-1] and one != ("<",)}
        if not after:
            return below
        d, total = discount(len(gram)), sum(after.values())
        return max(after.get(gram, 0) - d, 0) / total + d * len(after) / total * below

    return probability((*context, word)[-order:])


@settings(max_examples=60)
@given(sentences, orders, st.lists(st.sampled_from(["a", "b", "ab", "c"]), max_size=2))
@example([["a", "b"], ["a", "b"], ["b", "a"], ["c"]], 3, ["a"])  # bigrams that begin a sentence change the discount
def test_kneser_ney_is_the_formula(given_sentences: list[list[str]], order: int, context: list[str]) -> None:
    model = NGram(train(given_sentences, order), "kneser-ney")
    for before in (context, [START, *context]):
        told = tuple("<" if one is START else one for one in before)
        for word in ("a", "b", END):
            expected = by_formula(">" if word is END else word, told, given_sentences, order)
            assert isclose(model.probability(word, before), expected, rel_tol=1e-9)


def test_the_discounts_are_those_of_kenlm(shared: Path) -> None:
    """KenLM 0.3.0 prints them: `lmplz -o 3 < pku_test_gold.utf8`, D1 of each order."""
    lines = (shared / "sighan" / "pku_test_gold.utf8").read_text(encoding="utf-8").splitlines()
    smoothing = estimate("kneser-ney", train([line.split() for line in lines if line.strip()], 3))
    assert isinstance(smoothing, KneserNey)
    assert [round(each, 6) for each in smoothing.discounts] == [0.629333, 0.811119, 0.882022]


def segmentations(text: str, known: Sequence[str]) -> list[list[str]]:
    """All ways to divide a text into known words and single characters."""
    ways = []
    for number in range(len(text)):
        for cuts in combinations(range(1, len(text)), number):
            parts = [text[start:end] for start, end in zip((0, *cuts), (*cuts, len(text)), strict=True)]
            if all(len(part) == 1 or part in known for part in parts):
                ways.append(parts)
    return ways


@settings(max_examples=60)
@given(sentences, st.text("abcd", min_size=1, max_size=7), orders, smoothings)
def test_the_segmentation_is_the_best_of_all(
    given_sentences: list[list[str]], text: str, order: int, smoothing: str
) -> None:
    model = NGram(train(given_sentences, order), smoothing, keep_runs=False)

    def score(way: Sequence[str]) -> float:
        line = [START, *way, END]
        return sum(model.score(word, line[max(0, at - order + 1) : at]) for at, word in enumerate(line) if at)

    scores = sorted(map(score, segmentations(text, model.pieces)), reverse=True)
    assert isclose(score(model.words(text)), scores[0], abs_tol=1e-9)
    found = n_best(model, text, 4)
    assert [one.score for one in found] == pytest.approx(scores[:4], abs=1e-9)
    assert isclose(sum(one.probability for one in n_best(model, text, 1000)), 1)


def test_sentences_begin_and_end_at_marks_and_lines() -> None:
    model = NGram(train(segmented("a b 。\nb a 。\nb")), keep_runs=False)
    assert model.words("ab。”b\na") == ["a", "b", "。", "”", "b", "\n", "a"]
    assert len(sentence_traces(model, "ab。”b\na")) == 3


def test_the_scores_of_two_words_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    model, again = (NGram(train(list(segmented(LESSON)), 3), "kneser-ney") for _ in range(2))
    text = "人生如梦境梦境如人生如戏"
    words = model.words(text)
    assert len(model.tables.triples) > 3
    monkeypatch.setattr(ngram_viterbi, "MOST_CONTEXTS", 3)
    assert again.words(text) == words
    assert len(again.tables.triples) <= 3


def test_white_space_and_runs_are_kept_as_in_matching() -> None:
    model = NGram(train(segmented("用 纸")))
    assert model.words("用A4 纸x") == ["用", "A4", " ", "纸", "x"]
    assert [id for id, _, _ in model.segment("A4 用")] == [2, Dictionary(["用", "纸"]).other_ids[" "], 0]


def test_an_unknown_word_has_the_probability_of_its_spelling() -> None:
    spelling = CharacterModel({"烎": 3})
    model = NGram(train(segmented(LESSON)), characters=spelling)
    assert model.vocabulary_size == 7
    assert isclose(exp(model.score("烎", ["如"])), (0 + 1) / (3 + 7) * spelling.probability("烎"))
    assert isclose(sum(spelling.probability(chr(at)) for at in range(1_112_064)), 1 - 0.25)


@given(sentences, st.text("abcd 1z", min_size=1, max_size=40), orders, smoothings, st.integers(0, 8))
def test_reading_back_early_does_not_change_the_path(
    given_sentences: list[list[str]], text: str, order: int, smoothing: str, longest: int
) -> None:
    model = NGram(train(given_sentences, order), smoothing, characters=CharacterModel({"d": 2}))
    counts, arcs = model.counts, model.arcs(text).__getitem__
    whole = best_path(model.tables, arcs, len(text), counts.start, counts.end)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ngram_viterbi, "LONGEST_OPEN", longest)
        assert best_path(model.tables, arcs, len(text), counts.start, counts.end) == whole
