"""Inferences that draw: BPE-dropout and samples of Unigram."""

from __future__ import annotations

import time
from collections import Counter
from itertools import pairwise
from math import exp, fsum
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import texts
from tests.properties import SAME_FIXTURE
from webapp.core.inference import infer, inferences_for
from webapp.core.inference.dropout import Drops, MergesWithDropout, merge_with_drops
from webapp.core.inference.samples import UnigramSamples
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.models.unigram import Unigram
from webapp.core.recipes import BYTE_BPE
from webapp.core.reference import inference as reference
from webapp.core.reference import unigram as reference_unigram
from webapp.core.tokenizer import Tokenizer

MERGES = [("a", "b"), ("b", "c"), ("ab", "c"), ("c", "a"), ("abc", "ab")]
PIECES = ["a", "b", "c", *(left + right for left, right in MERGES)]
PAIRS = [(PIECES.index(left), PIECES.index(right)) for left, right in MERGES]
MODEL = BPE(PIECES, PAIRS, byte_level=False)
probabilities = st.floats(0, 1)


def merged(word: str, probability: float, seed: int) -> list[int]:
    symbols = [PIECES.index(character) for character in word]
    return merge_with_drops(symbols, MODEL.merge_result, Drops(probability, Random(seed)))[0]


@given(word=st.text("abc", max_size=60), probability=probabilities, seed=st.integers(0, 2**31))
def test_merging_is_that_of_the_paper(word: str, probability: float, seed: int) -> None:
    """All possible merges are looked at anew in each step, the best first, the leftmost first among equals."""
    symbols, drops = [PIECES.index(character) for character in word], Drops(probability, Random(seed))
    while True:
        pairs = enumerate(pairwise(symbols))
        possible = sorted((*made, at) for at, pair in pairs if (made := MODEL.merge_result(*pair)) is not None)
        dropped = drops.count() if possible else 0
        if dropped >= len(possible):
            break
        _, made, at = possible[dropped]
        symbols[at : at + 2] = [made]
    assert merged(word, probability, seed) == symbols


@SAME_FIXTURE
@given(text=texts)
def test_a_probability_of_0_is_the_own_rule_and_of_1_merges_nothing(pair: Pair, text: str) -> None:
    if "dropout" not in inferences_for(pair.ours.model):
        return
    own, none = pair.ours.encode(text), infer(pair.ours, "dropout", dropout=0).encode(text)
    assert (list(none.ids), list(none.starts), list(none.ends)) == (list(own.ids), list(own.starts), list(own.ends))
    some, all_dropped = (infer(pair.ours, "dropout", dropout=dropout, seed=5).encode(text) for dropout in (0.5, 1))
    assert len(own) <= len(all_dropped)
    assert len(some) <= len(all_dropped)
    for encoding in some, all_dropped:
        assert len(encoding.starts) == len(encoding)
        assert not own or (encoding.starts[0], encoding.ends[-1]) == (own.starts[0], own.ends[-1])
    if not own.unknown:
        assert pair.ours.decode(some.ids) == pair.ours.decode(own.ids)


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.9])
def test_the_distribution_is_that_of_algorithm_1(probability: float) -> None:
    word, draws = "abcabcab", 4000
    ours = Counter(tuple(PIECES[id] for id in merged(word, probability, seed)) for seed in range(draws))
    theirs = Counter(
        tuple(reference.dropout(word, MERGES, probability, Random(f"theirs {seed}"))) for seed in range(draws)
    )
    assert chi_square(ours, theirs) < 5


def chi_square(first: Counter[tuple[str, ...]], second: Counter[tuple[str, ...]]) -> float:
    """How many standard deviations the statistic of two samples of one size is above what equal distributions give."""
    common = [key for key in first | second if first[key] + second[key] >= 10]
    rest = [sum(counts[key] for key in counts if key not in common) for counts in (first, second)]
    pairs = [*((first[key], second[key]) for key in common), *([tuple(rest)] if sum(rest) >= 10 else [])]
    statistic = sum((a - b) ** 2 / (a + b) for a, b in pairs)
    freedom = max(len(pairs) - 1, 1)
    return (statistic - freedom) / (2 * freedom) ** 0.5


def test_each_occurrence_of_a_word_is_drawn_anew(byte_pair: Pair) -> None:
    tokenizer = infer(byte_pair.ours, "dropout", dropout=0.4, seed=1)
    encoding = tokenizer.encode(" such" * 50)
    spans = {tuple(encoding.ids[at] for at in range(len(encoding)) if encoding.starts[at] // 5 == n) for n in range(50)}
    assert len(spans) > 1


def test_the_same_seed_gives_the_same_tokens_everywhere() -> None:
    # These ids were computed once; other versions and platforms must give the same.
    pieces = [*(bytes([byte]) for byte in range(256)), b"lo", b"low", b"er", b"lower"]
    model = BPE(pieces, [(108, 111), (256, 119), (101, 114), (257, 258)], byte_level=True)
    tokenizer = BYTE_BPE.tokenizer(model)
    found = [infer(tokenizer, "dropout", dropout=0.3, seed=seed).ids("lower") for seed in range(6)]
    assert found == [[257, 258], [257, 258], [257, 101, 114], [259], [108, 111, 119, 258], [259]]


def test_subword_nmt_merges_all_occurrences_that_are_not_dropped_together() -> None:
    model = SubwordBPE([*PIECES, "<unk>"], PAIRS, byte_level=False, unknown="<unk>")
    for seed in range(50):
        assert [id for id, _, _ in MergesWithDropout(model, 0.0).draw("abcabcab", Random(seed))] == list(
            model.ids("abcabcab")
        )
    drawn = Counter(len(MergesWithDropout(model, 0.5).draw("abab", Random(seed))) for seed in range(2000))
    # Both "ab" are made in the first step with 1/4, one of them with 1/2; then each step may make the other one.
    assert set(drawn) == {2, 3, 4}
    assert 0.2 < drawn[4] / 2000 < 0.3


def test_unused_pieces_of_sentencepiece_are_split_again() -> None:
    kinds = [PieceKind.UNKNOWN, PieceKind.NORMAL, PieceKind.NORMAL, PieceKind.UNUSED, PieceKind.NORMAL]
    model = ScoredBPE(ScoredPieces(["<unk>", "a", "b", "ab", "abb"], [0.0, -9.0, -9.0, -1.0, -2.0], kinds))
    for seed in range(20):
        ids = {id for id, _, _ in MergesWithDropout(model, 0.3).draw("ababb", Random(seed))}
        assert ids <= {1, 2, 4}


@pytest.mark.parametrize("probability", [0.1, 0.9, 0.999, 0.999999])
def test_one_long_pre_token_takes_seconds(probability: float) -> None:
    pieces = [*(bytes([byte]) for byte in range(256)), *(b"a" * 2**power for power in range(1, 8))]
    tokenizer = infer(Tokenizer(RankBPE(pieces)), "dropout", dropout=probability)
    began = time.process_time()
    assert tokenizer.ids("a" * 50_000)
    assert time.process_time() - began < 10  # 0.3 s on a free machine


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_only_probabilities_are_accepted(byte_pair: Pair, wrong: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        infer(byte_pair.ours, "dropout", dropout=wrong)


PIECES_SAMPLES = {"<unk>": 0.0, "a": -2.0, "b": -2.5, "c": -1.5, "ab": -2.2, "bc": -3.0, "abc": -4.0, "ca": -2.9}
MODEL_SAMPLES = Unigram(list(PIECES_SAMPLES), list(PIECES_SAMPLES.values()), unknown_id=0)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0, 3.0])
def test_samples_follow_the_exact_probabilities(alpha: float) -> None:
    text, draws = "abcab", 5000
    ways = [tuple(way) for way in reference_unigram.segmentations(text, PIECES_SAMPLES)]
    weights = [exp(alpha * fsum(PIECES_SAMPLES[piece] for piece in way)) for way in ways]
    ours = UnigramSamples(MODEL_SAMPLES, alpha)
    random = Random(7)
    counts = Counter(tuple(MODEL_SAMPLES.pieces[id] for id, _, _ in ours.draw(text, random)) for _ in range(draws))
    assert set(counts) <= set(ways)
    assert fit([(counts[way], draws * weight / sum(weights)) for way, weight in zip(ways, weights, strict=True)]) < 5
    theirs = Counter(tuple(reference.sample(text, PIECES_SAMPLES, alpha, random)) for _ in range(draws))
    assert fit([(theirs[way], draws * weight / sum(weights)) for way, weight in zip(ways, weights, strict=True)]) < 5


def fit(pairs: list[tuple[int, float]]) -> float:
    """How many standard deviations a statistic is above what the expected numbers give."""
    common = [pair for pair in pairs if pair[1] >= 5]
    freedom = len(common) - 1
    return (sum((found - wanted) ** 2 / wanted for found, wanted in common) - freedom) / (2 * freedom) ** 0.5


@SAME_FIXTURE
@given(text=texts)
def test_samples_decode_as_the_own_rule_does(pair: Pair, text: str) -> None:
    if "sample" not in inferences_for(pair.ours.model):
        return
    own, tokenizer = pair.ours.encode(text), infer(pair.ours, "sample", alpha=0.3, seed=3)
    encoding = tokenizer.encode(text)
    assert list(encoding.ids) == tokenizer.ids(text)
    assert len(encoding.starts) == len(encoding)
    if not own.unknown and not encoding.unknown:
        assert pair.ours.decode(encoding.ids) == pair.ours.decode(own.ids)


def test_the_same_seed_gives_the_same_samples_everywhere() -> None:
    # These ids were computed once; other versions and platforms must give the same.
    assert [infer(Tokenizer(MODEL_SAMPLES), "sample", alpha=0.5, seed=seed).ids("abcab") for seed in range(4)] == [
        [1, 5, 1, 2],
        [1, 2, 3, 4],
        [6, 1, 2],
        [4, 3, 4],
    ]


@pytest.mark.parametrize("text", ["a" * 40_000, "ab " * 30_000])
def test_one_long_pre_token_takes_seconds_in_samples(text: str) -> None:
    names = [
        "<unk>",
        " ",
        *("a" * length for length in range(1, 60)),
        "b",
        "ab",
        *("ab" * length for length in range(2, 30)),
    ]
    model = Unigram(names, [0.0, *(-float(len(name)) for name in names[1:])], unknown_id=0)
    tokenizer = infer(Tokenizer(model), "sample", alpha=0.5)
    began = time.process_time()
    assert tokenizer.decode(tokenizer.ids(text)) == text
    assert time.process_time() - began < 16


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan")])
def test_alpha_is_above_0(wrong: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        infer(Tokenizer(MODEL_SAMPLES), "sample", alpha=wrong)
