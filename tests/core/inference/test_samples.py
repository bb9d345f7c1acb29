"""Samples of Unigram follow the exact probabilities, those of `sentencepiece`."""

import io
import time
from collections import Counter
from math import exp, fsum
from random import Random
from statistics import mean, pvariance

import pytest
import sentencepiece
from hypothesis import given

from tests.core.pairs import Pair
from tests.core.texts import CORPUS, texts
from tests.properties import SAME_FIXTURE
from webapp.core.formats import sentencepiece as sentencepiece_format
from webapp.core.inference import infer, inferences_for
from webapp.core.inference.samples import UnigramSamples
from webapp.core.models.unigram import Unigram
from webapp.core.reference import inference as reference
from webapp.core.reference import unigram as reference_unigram
from webapp.core.tokenizer import Tokenizer

PIECES = {"<unk>": 0.0, "a": -2.0, "b": -2.5, "c": -1.5, "ab": -2.2, "bc": -3.0, "abc": -4.0, "ca": -2.9}
MODEL = Unigram(list(PIECES), list(PIECES.values()), unknown_id=0)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0, 3.0])
def test_samples_follow_the_exact_probabilities(alpha: float) -> None:
    text, draws = "abcab", 5000
    ways = [tuple(way) for way in reference_unigram.segmentations(text, PIECES)]
    weights = [exp(alpha * fsum(PIECES[piece] for piece in way)) for way in ways]
    ours = UnigramSamples(MODEL, alpha)
    random = Random(7)
    counts = Counter(tuple(MODEL.pieces[id] for id, _, _ in ours.draw(text, random)) for _ in range(draws))
    assert set(counts) <= set(ways)
    assert (
        chi_square([(counts[way], draws * weight / sum(weights)) for way, weight in zip(ways, weights, strict=True)])
        < 5
    )
    theirs = Counter(tuple(reference.sample(text, PIECES, alpha, random)) for _ in range(draws))
    assert (
        chi_square([(theirs[way], draws * weight / sum(weights)) for way, weight in zip(ways, weights, strict=True)])
        < 5
    )


def chi_square(pairs: list[tuple[int, float]]) -> float:
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


def test_tokens_are_as_many_as_in_sentencepiece() -> None:
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS.splitlines()), model_writer=file, vocab_size=280, minloglevel=2
    )
    theirs = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    ours = sentencepiece_format.read(file.getvalue())
    text = CORPUS[:600].replace("\n", " ")
    assert ours.ids(text) == theirs.encode(text)
    for alpha in 0.1, 0.5:
        sentencepiece.set_random_generator_seed(1)
        their_counts = [len(theirs.encode(text, enable_sampling=True, alpha=alpha, nbest_size=-1)) for _ in range(150)]
        our_counts = [len(infer(ours, "sample", alpha=alpha, seed=seed).ids(text)) for seed in range(150)]
        deviation = ((pvariance(our_counts) + pvariance(their_counts)) / 150) ** 0.5
        assert abs(mean(our_counts) - mean(their_counts)) < 6 * deviation
        assert mean(our_counts) > len(ours.ids(text))


def test_the_same_seed_gives_the_same_tokens_everywhere() -> None:
    # These ids were computed once; other versions and platforms must give the same.
    assert [infer(Tokenizer(MODEL), "sample", alpha=0.5, seed=seed).ids("abcab") for seed in range(4)] == [
        [1, 5, 1, 2],
        [1, 2, 3, 4],
        [6, 1, 2],
        [4, 3, 4],
    ]


@pytest.mark.parametrize("text", ["a" * 40_000, "ab " * 30_000])
def test_one_long_pre_token_takes_seconds(text: str) -> None:
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
        infer(Tokenizer(MODEL), "sample", alpha=wrong)
