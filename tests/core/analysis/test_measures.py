"""Measures of a tokenization against published implementations and direct counts."""

from collections.abc import Iterable
from itertools import accumulate

import numpy as np
import pytest
import tokenization_scorer
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.scores import f_measure, precision, recall

from webapp.core.analysis.measures import boundary_agreement, gini, measures_of, renyi_efficiency, word_measures
from webapp.core.analysis.words import words_of
from webapp.core.evaluation.gold import read_gold
from webapp.core.evaluation.report import segmented_by
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.uploads import number_of_ids

TEXT = "Unbelievably, tokenization isn't trivial: 3.14 widest birds. 研究生命科学的人 naïve ☃ e.g."
counted = st.lists(st.integers(1, 200), min_size=2, max_size=60)


@given(counts=counted, power=st.sampled_from([2.5, 1.0, 0.5, 3.0]))
def test_renyi_efficiency_is_that_of_the_published_scorer(counts: list[int], power: float) -> None:
    lines = "\n".join(" ".join([f"t{number}"] * count) for number, count in enumerate(counts))
    # With power 1 the scorer's own detour to Shannon's reads an exhausted generator.
    metric = "shannon" if power == 1 else "renyi"
    theirs = tokenization_scorer.score(lines, metric=metric, power=power)
    assert renyi_efficiency(counts, power) == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    assert renyi_efficiency(counts[:1]) is renyi_efficiency([]) is None


@given(costs=st.lists(st.floats(0, 1e6), min_size=1, max_size=60))
def test_gini_is_the_mean_difference_over_twice_the_mean(costs: list[float]) -> None:
    each = np.array(costs)
    if each.mean() < 1e-100:
        return
    expected = np.abs(each[:, None] - each[None, :]).mean() / (2 * each.mean())
    assert gini(costs) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", ["wordpiece", "bpe-bytes", "bpe-characters", "unigram"])
@given(text=st.text(st.sampled_from("lower widest é研究, '.\n☃0"), max_size=60))
def test_word_measures_are_direct_counts(name: str, text: str) -> None:
    encoding = shipped_tokenizer(name).encode(text)
    words = words_of(text)
    fertility, whole = word_measures(words, encoding.starts, encoding.ends, encoding.unknown)
    covering = [
        [token for token in encoding if max(token.start, start) < min(token.end, end)]
        for start, end in zip(words.starts, words.ends, strict=True)
    ]
    if not covering:
        assert (fertility, whole) == (None, None)
        return
    assert fertility == sum(map(len, covering)) / len(words)
    assert whole == sum(len(found) == 1 and not found[0].unknown for found in covering) / len(words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It isn't 3.14, U.S.A. foo_bar ___ don’t", ["It", "isn't", "3.14", "U.S.A", "foo_bar", "don’t"]),
        ("naïve cafe\u0301 ½ ☃ 👩‍🚀", ["naïve", "cafe\u0301"]),
        ("한국어 단어 カタカナ", ["한국어", "단어", "カタカナ"]),
        ("\ud800 a\udc00b", ["a", "b"]),
    ],
)
def test_words_are_those_of_unicodes_rule(text: str, expected: list[str]) -> None:
    assert words_of(text).of(text) == expected


@pytest.mark.parametrize("name", ["wordpiece", "bpe-bytes", "bpe-characters"])
@pytest.mark.parametrize(
    "gold",
    [
        "研究 生命 的 起源\n结婚 的 和 尚未 结婚 的",
        "un break able\nword s\nword",
        "1\tThe\t_\tDET\n2\tbirds\t_\tNOUN\t_\t_\t_\t_\t_\tSpaceAfter=No\n3\t.\t_\tPUNCT\n",
    ],
)
def test_boundaries_are_scored_as_sets(name: str, gold: str) -> None:
    tokenizer, read = shipped_tokenizer(name), read_gold(gold)

    def places(lines: Iterable[list[str]]) -> set[tuple[int, int]]:
        return {(at, end) for at, line in enumerate(lines) for end in list(accumulate(map(len, line)))[:-1]}

    expected, found = places(line.words for line in read.lines), places(segmented_by(tokenizer, read))
    agreement = boundary_agreement(tokenizer, read)
    assert (agreement.gold, agreement.found, agreement.both) == (len(expected), len(found), len(expected & found))
    assert (agreement.precision, agreement.recall) == (precision(expected, found), recall(expected, found))
    if agreement.both:
        assert agreement.f1 == pytest.approx(f_measure(expected, found))


def test_a_boundary_inside_of_a_character_is_none() -> None:
    tokenizer = shipped_tokenizer("unigram")  # its tokens of 研究 share the bytes of 研
    assert [(token.start, token.end) for token in tokenizer.encode("研究")] == [(0, 1), (0, 2)]
    agreement = boundary_agreement(tokenizer, read_gold("研 究"))
    assert (agreement.gold, agreement.found, agreement.both) == (1, 0, 0)
    assert (agreement.precision, agreement.recall, agreement.f1) == (None, 0, 0)


@pytest.mark.parametrize("text", ["", "   ", "\ud800", "a" * 200_000, "研" * 50_000, "_" * 100_000, "a'" * 50_000])
def test_hostile_texts_have_measures(text: str) -> None:
    tokenizer = shipped_tokenizer("bpe-bytes")
    found = measures_of(tokenizer.encode(text), words_of(text), number_of_ids(tokenizer))
    assert found.tokens == len(tokenizer.ids(text))
    assert (found.characters_per_token is None) == (not text)
    assert found.vocabulary_used is None or 0 < found.vocabulary_used <= 1
    assert found.renyi_efficiency is None or 0 <= found.renyi_efficiency <= 1 + 1e-12
