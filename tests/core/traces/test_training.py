"""The training traces show, round by round, what the trainers do."""

from __future__ import annotations

from itertools import pairwise
from math import exp, fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.reference.bpe import count_pairs
from webapp.core.traces import training_merges, training_unigram
from webapp.core.traces.training_merges import CorpusWord
from webapp.core.trainers import bpe, unigram, wordpiece
from webapp.core.trainers.word_trie import proper_substrings

few_letters = st.dictionaries(st.text("abc", max_size=12), st.integers(1, 4), max_size=10)
any_words = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.integers(1, 9), max_size=6
)
marks = st.dictionaries(st.text("#a</w>", max_size=9), st.integers(1, 3), max_size=8)  # the characters of the suffix
corpora = st.one_of(few_letters, any_words, marks)


@given(corpora, st.integers(0, 40), st.sampled_from(["bytes", "apart", "glued"]))
def test_bpe_round_by_round(counts: dict[str, int], merges: int, form: str) -> None:
    if form == "bytes":
        training = training_merges.train_bytes(counts, merges)
        wanted = bpe.train_bytes(counts, merges_at_most=merges).merges
    else:
        training = training_merges.train_characters(counts, merges, suffix_apart=form == "apart")
        wanted = bpe.train_characters(counts, merges_at_most=merges, suffix_apart=form == "apart").merges
    rounds = list(training.rounds())
    assert [vars_of(round.winner) for round in rounds] == [tuple(merge) for merge in wanted]
    chains(training.start, rounds)
    words = rounds[-1].after if rounds else training.start
    model = training.trained.model
    for word, text in zip(words, counts, strict=True):
        if form == "bytes" or (text and "</w>" not in text):
            assert [model.pieces[id] for id in model.ids(text)] == list(word.symbols)


@given(corpora, st.integers(0, 40), st.integers(1, 3))
def test_wordpiece_round_by_round(counts: dict[str, int], merges: int, minimum: int) -> None:
    training = training_merges.train_wordpiece(counts, merges, minimum=minimum)
    rounds = list(training.rounds())
    wanted = wordpiece.train(counts, merges_at_most=merges, minimum_pair_frequency=minimum).merges
    told = [(step.winner.left, step.winner.right, step.piece, step.winner.count, step.winner.score) for step in rounds]
    assert told == [tuple(merge) for merge in wanted]
    chains(training.start, rounds)
    for step in rounds:
        singles = [symbol for word in step.before for symbol in word.symbols for _ in range(word.count)]
        assert step.winner.left_count == singles.count(step.winner.left)
        assert step.winner.right_count == singles.count(step.winner.right)
        everything = training_merges.pairs(step.before)
        assert len(step.pairs()) + step.too_rare() == len(everything)


def vars_of(pair: Any) -> tuple[Any, ...]:
    return pair.left, pair.right, pair.count


def chains(start: tuple[CorpusWord, ...], rounds: list[Any]) -> None:
    """Check that each round begins with the words of the last, its winner leads its pairs, and its counts are right."""
    words = start
    for number, step in enumerate(rounds, start=1):
        assert step.number == number
        assert step.before == words
        pairs = step.pairs()
        assert pairs[0] == step.winner
        recounted = count_pairs({tuple(word.symbols): word.count for word in step.before})
        assert all(recounted[pair.left, pair.right] == pair.count for pair in pairs)
        for old, new in zip(step.before, step.after, strict=True):
            assert bool(new.made) == (old.symbols != new.symbols)
            assert all(new.symbols[place] == step.piece for place in new.made)
            assert len(old.symbols) - len(new.symbols) == len(new.made)
        words = step.after


@given(
    st.dictionaries(st.text("abcd", min_size=1, max_size=10), st.integers(1, 9), min_size=1, max_size=12),
    st.integers(0, 12),
    st.integers(0, 60),
    st.booleans(),
)
def test_unigram_round_by_round(counts: dict[str, int], longer: int, seeds: int, every: bool) -> None:
    size = len({character for word in counts for character in word}) + longer
    training = training_unigram.UnigramTraining(counts, size, seeds=seeds, every_substring=every)
    candidates = proper_substrings(counts, seeds) if every else None
    wanted = list(unigram.rounds(counts, size, seeds=seeds, candidates=candidates))
    told = training.rounds
    assert len(told) == len(wanted)
    for step, done in zip(told, wanted, strict=True):
        assert {line.piece: line.loss for line in step.candidates if line.loss is not None} == done.losses
        assert {line.piece for line in step.candidates if line.removed} == set(done.removed)
        assert step.log_likelihoods == done.log_likelihoods
        number = min(step.surplus, max(step.share, step.lossless))
        assert number == len(done.removed)
        assert step.last == (not done.losses)
        assert [line.probability for line in step.candidates] == list(done.probabilities)
        assert sum(line.expected * len(line.piece) for line in step.candidates) == pytest.approx(
            sum(count * len(word) for word, count in counts.items())
        )
        for line in step.candidates:
            assert "".join(line.instead) == (line.piece if line.loss is not None else "")
            assert line.piece not in line.instead
        assert [(reading.word, reading.count) for reading in step.readings] == list(counts.items())
        assert all("".join(reading.pieces) == reading.word for reading in step.readings)
    for step, following in pairwise(told):
        kept = [(line.piece, line.probability) for line in step.candidates if not line.removed]
        assert kept == [(line.piece, line.before) for line in following.candidates]
    assert [(line.piece, line.before) for line in told[0].candidates] == [
        (seed.piece, seed.probability) for seed in training.seeds
    ]
    assert fsum(line.probability for line in told[-1].candidates) == pytest.approx(1)
    trained = unigram.train(counts, size + 1, seeds=seeds, candidates=candidates)
    assert training.trained == trained
    for reading in told[-1].readings:
        scores = [trained.scores[piece] for piece in reading.pieces]
        best = [trained.model.scores[id] for id in trained.model.ids(reading.word)]
        assert exp(fsum(scores)) == pytest.approx(exp(fsum(best)), rel=1e-4)


def test_an_empty_corpus_is_refused() -> None:
    assert list(training_merges.train_bytes({}, 9).rounds()) == []
    assert list(training_merges.train_wordpiece({"a": 3}, 9).rounds()) == []
    for counts in ({}, {"": 2}):
        with pytest.raises(ValueError, match=r"nothing|empty"):
            training_unigram.UnigramTraining(counts, 9)
