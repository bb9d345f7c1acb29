"""The fast trainer and models of Unigram equal the reference, which equals an enumeration of every segmentation."""

from collections import Counter
from functools import partial
from math import exp, fsum, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import CORPUS
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.reference import unigram as reference
from webapp.core.trainers import unigram
from webapp.core.trainers.corpus_lattice import CorpusLattices
from webapp.core.trainers.word_trie import seed_pieces

words = st.dictionaries(st.text("abcd", min_size=1, max_size=10), st.integers(1, 9), min_size=1, max_size=15)
# Few letters, so that most pieces match somewhere and many segmentations are equally good.
pieces = st.lists(
    st.one_of(st.text("ab", min_size=1, max_size=4), st.text("abé研", min_size=1, max_size=4)),
    unique=True,
    max_size=12,
)
texts = st.one_of(st.text("ab", max_size=12), st.text("abcé研", max_size=12))


def product(path: list[str], probabilities: dict[str, float]) -> float:
    return exp(fsum(log(probabilities[piece]) for piece in path))


# --- the reference against an enumeration of all segmentations


@given(words)
def test_expected_counts_and_the_best_path_are_those_of_all_segmentations(counts: dict[str, int]) -> None:
    probabilities = reference.seed(counts, 20)
    scores = {piece: log(probability) for piece, probability in probabilities.items()}
    wanted = dict.fromkeys(probabilities, 0.0)
    for word, count in counts.items():
        paths = [(path, product(path, probabilities)) for path in reference.segmentations(word, probabilities)]
        total = fsum(probability for _, probability in paths)
        assert reference.log_likelihood({word: 1}, probabilities) == pytest.approx(log(total))
        best = reference.viterbi(word, scores)
        assert "".join(best) == word
        assert product(best, probabilities) == pytest.approx(max(probability for _, probability in paths))
        for path, probability in paths:
            for piece in path:
                wanted[piece] += count * probability / total
    assert reference.expected_counts(counts, probabilities) == pytest.approx(wanted)


# --- training


@given(words, st.integers(0, 12), st.integers(0, 60))
def test_every_round_of_training_equals_the_reference(counts: dict[str, int], longer: int, seeds: int) -> None:
    """Start each round from the trainer's own numbers, so that accumulated rounding cannot change a decision."""
    size = len(set("".join(counts))) + longer
    at_hand = reference.seed(counts, seeds)
    seeded = unigram.seed(counts, seeds=seeds)
    assert list(zip(seeded.ranks, seeded.probabilities(), strict=True)) == list(at_hand.items())
    assert list(seed_pieces(counts, seeds)) == [piece for piece in at_hand if len(piece) > 1]
    for step in unigram.rounds(counts, size, seeds=seeds):
        assert list(at_hand) == list(step.scores)
        for log_likelihood in step.log_likelihoods:
            assert log_likelihood == pytest.approx(reference.log_likelihood(counts, at_hand))
            expected = reference.expected_counts(counts, at_hand)
            at_hand = reference.maximize(expected)
        if not step.losses:
            at_hand = reference.normalize(expected)
        assert list(step.expected) == pytest.approx(list(expected.values()))
        assert list(step.probabilities) == pytest.approx(list(at_hand.values()))

        at_hand = dict(zip(step.scores, step.probabilities, strict=True))
        used = step.used()
        plain = reference.uses(counts, at_hand)
        assert spent(used, at_hand) == pytest.approx(spent(plain, at_hand))
        for piece, loss in step.losses.items():
            instead = list(step.instead(piece))
            assert product(instead, at_hand) == pytest.approx(product(reference.without(piece, at_hand), at_hand))
            assert loss == pytest.approx(reference.loss(piece, instead, used))
        if step.losses:
            dropped = reference.least_missed(step.losses, len(at_hand) - size)
            assert dropped == list(reversed(step.removed))
            at_hand = {piece: probability for piece, probability in at_hand.items() if piece not in dropped}
    assert len(at_hand) <= size


def spent(used: dict[str, int], probabilities: dict[str, float]) -> float:
    """Return the log-likelihood of a corpus whose words are segmented into these pieces."""
    return sum(count * log(probabilities[piece]) for piece, count in used.items())


@pytest.mark.parametrize("longer", [10, 25])
def test_training_as_a_whole_equals_the_reference(longer: int) -> None:
    counts = {word: count for word, count in Counter(CORPUS[:2000].split()).items() if len(word) <= 32}
    size = len(set("".join(counts))) + longer
    scores = unigram.train(counts, size + 1, seeds=150).scores
    assert scores == pytest.approx(reference.train(counts, reference.seed(counts, 150), size), abs=1e-6)
    assert list(scores) == sorted(scores, key=lambda piece: -scores[piece])


@given(words, st.data())
def test_best_paths_of_training_break_ties_as_the_reference(counts: dict[str, int], data: st.DataObject) -> None:
    """Use powers of two as probabilities: products and sums of logarithms are exact, and ties are frequent."""
    found = list(reference.seed(counts, 20))
    exponents = [data.draw(st.integers(1, 6)) for _ in found]
    scores = {piece: -float(exponent) for piece, exponent in zip(found, exponents, strict=True)}
    lattices = CorpusLattices(counts, found)
    wanted = dict.fromkeys(found, 0)
    for word, count in counts.items():
        for piece in reference.viterbi(word, scores):
            wanted[piece] += count
    assert dict(zip(found, lattices.best_path_counts([2**score for score in scores.values()]), strict=True)) == wanted


# --- encoding

# Few different scores make ties frequent; some of them beat the score of single characters. Single precision
# represents the first ones exactly.
EXACT = [-0.5, -1.0, -1.5, -2.0, -3.0, -4.25]
SCORES = [*EXACT, -3.1, -7.3, -11.0]


def sentencepiece_unigram(pieces: list[str], scores: list[float]) -> SentencePieceUnigram:
    kinds = [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * (len(pieces) - 1)]
    return SentencePieceUnigram(ScoredPieces(pieces, scores, kinds))


@pytest.mark.parametrize(("kind", "scores"), [(partial(Unigram, unknown_id=0), SCORES), (sentencepiece_unigram, EXACT)])
@given(vocabulary=pieces, data=st.data(), text=texts, times=st.sampled_from([1, 1, 1, 7, 50]))
def test_the_models_encode_as_the_reference(
    kind: Any, scores: list[float], vocabulary: list[str], data: st.DataObject, text: str, times: int
) -> None:
    scored = {piece: data.draw(st.sampled_from(scores)) for piece in vocabulary}
    model, text = kind(["<unk>", *scored], [0.0, *scored.values()]), text * times
    expected = reference.encode(text, scored)
    named = [piece if piece in scored else "<unk>" for piece in expected]
    assert [model.pieces[id] for id in model.ids(text)] == named
    assert [text[start:end] for _, start, end in model.segment(text)] == expected
