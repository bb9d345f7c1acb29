"""N-gram models: probabilities are those of the reference and of nltk, and the segmentation is the best of all."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from math import exp, isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.models import ngram_viterbi
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.ngram import NGram
from webapp.core.models.ngram_counts import END, START, UNKNOWN
from webapp.core.models.ngram_lattice import CharacterModel
from webapp.core.models.ngram_viterbi import best_path
from webapp.core.models.smoothing import SMOOTHINGS, AbsoluteDiscounting, AddK, KneserNey, Smoothing, estimates_of
from webapp.core.reference import ngram as reference
from webapp.core.traces.ngram import n_best, sentence_traces
from webapp.core.trainers.ngram import pruned, segmented, train

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


@given(sentences, texts, orders, smoothings, st.booleans())
def test_the_trace_ends_with_the_segmentation(
    given_sentences: list[list[str]], text: str, order: int, smoothing: str, spells: bool
) -> None:
    characters = CharacterModel({"d": 2}) if spells else None
    model = NGram(train(given_sentences, order), smoothing, keep_runs=False, characters=characters)
    traced = [word for trace in sentence_traces(model, text) for word in trace.words]
    assert traced == [word for word in model.words(text) if not word.isspace()]
    assert "".join(model.words(text)) == text


@given(sentences, orders)
def test_weights_of_deleted_interpolation_equal_the_reference(given_sentences: list[list[str]], order: int) -> None:
    counts = reference.train(given_sentences, order)
    if max(map(len, counts)) == order - 1:
        assert estimates_of(train(given_sentences, order)).weights == pytest.approx(reference.weights_of(counts))


def test_the_worked_example_has_the_numbers_of_the_textbook() -> None:
    model = NGram(train(segmented(LESSON)))
    best, second, *_ = n_best(model, "人生如梦境", 4)
    assert best.words == ("人生", "如", "梦境")
    assert second.words == ("人生", "如", "梦", "境")
    assert (exp(-best.score), exp(-second.score)) == pytest.approx((180, 3240))
    assert model.probability("人生", [START]) == (2 + 1) / (4 + 6)


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
    assert [id for id, _, _ in model.segment("A4 用")] == [2, Dictionary(["用", "纸"]).space_ids[" "], 0]


def test_an_unknown_word_has_the_probability_of_its_spelling() -> None:
    spelling = CharacterModel({"烎": 3})
    model = NGram(train(segmented(LESSON)), characters=spelling)
    assert model.vocabulary_size == 7
    assert isclose(exp(model.score("烎", ["如"])), (0 + 1) / (3 + 7) * spelling.probability("烎"))
    assert isclose(sum(spelling.probability(chr(at)) for at in range(1_112_064)), 1 - 0.25)


def test_removed_ngrams_leave_their_part_to_shorter_ones() -> None:
    counts = train([["a", "b"], ["a", "b"], ["a", "c"]], 2)
    kept = pruned(counts, [2])
    assert kept.count("a", "c") == 0
    assert kept.context_count("a") == 3
    whole, less = NGram(counts, "absolute-discounting"), NGram(kept, "absolute-discounting")
    assert less.probability("c", ["a"]) < whole.probability("c", ["a"])


def test_nltk_has_the_same_probabilities() -> None:
    lm = pytest.importorskip("nltk.lm")
    given_sentences = [line.split() for line in ["a b c a", "a b a b", "c a b", "b b c"]]
    grams = [gram for line in given_sentences for gram in _grams(["<s>", *line, "</s>"])]
    model = NGram(train(given_sentences, 2))
    theirs = lm.Laplace(2)
    theirs.fit([grams], vocabulary_text=["a", "b", "c", "</s>"])
    lidstone = lm.Lidstone(0.5, 2)
    lidstone.fit([grams], vocabulary_text=["a", "b", "c", "</s>"])
    half = NGram(train(given_sentences, 2), AddK(0.5))
    unknown = len(theirs.vocab) - model.vocabulary_size  # nltk counts its <UNK> as a word
    for before in ("a", "b", "c"):
        for word in ("a", "b", "c", "</s>"):
            ours = END if word == "</s>" else word
            count, total = model.counts.count(before, ours), model.counts.context_count(before)
            assert isclose(theirs.score(word, [before]), (count + 1) / (total + model.vocabulary_size + unknown))
            assert isclose(lidstone.score(word, [before]), (count + 0.5) / (total + 0.5 * 5))
            assert isclose(half.probability(ours, [before]), (count + 0.5) / (total + 0.5 * 4))


def test_nltk_discounts_in_the_same_way() -> None:
    lm = pytest.importorskip("nltk.lm")
    given_sentences = [line.split() for line in ["a b c a", "a b a b", "c a b", "b b c"]]
    counts = train(given_sentences, 2)
    grams = [gram for line in given_sentences for gram in _grams(["<s>", *line, "</s>"])]
    # Without a discount of its own, order 1 leaves nothing to order 0, which nltk does not have.
    pairs: list[tuple[type, Smoothing]] = [
        (lm.KneserNeyInterpolated, KneserNey((0.0, 0.75))),
        (lm.AbsoluteDiscountingInterpolated, AbsoluteDiscounting((0.0, 0.75))),
    ]
    for kind, smoothing in pairs:
        theirs = kind(2, discount=0.75)
        theirs.fit([grams], vocabulary_text=["a", "b", "c", "</s>"])
        model = NGram(counts, smoothing)
        for before in ("a", "b", "c"):
            for word in ("a", "b", "c", "</s>"):
                ours = model.probability(END if word == "</s>" else word, [before])
                assert isclose(theirs.score(word, [before]), ours), (kind, before, word)


def _grams(line: list[str]) -> list[tuple[str, ...]]:
    return [(word,) for word in line[1:]] + list(pairwise(line))


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
