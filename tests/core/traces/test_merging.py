"""Traces of merges, and of training round by round: what the models and trainers do."""

from __future__ import annotations

from itertools import pairwise
from math import exp, fsum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import any_text
from tests.properties import EXPENSIVE
from webapp.core.formats.recognize import load
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.reference.bpe import count_pairs
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces import training_merges, training_unigram
from webapp.core.traces.merging import (
    BeginStep,
    CandidatePair,
    EndStep,
    MergeNode,
    MergeStep,
    MergingModel,
    MergingStep,
    ReplaceStep,
    TracedWord,
    merging_steps,
    traced_words,
)
from webapp.core.traces.pretokens import Pretoken, pretokens_of
from webapp.core.traces.training_merges import CorpusWord
from webapp.core.trainers import bpe, unigram, wordpiece
from webapp.core.trainers.word_trie import proper_substrings
from webapp.vocabularies import shipped_tokenizer

BYTES = [bytes([byte]) for byte in range(256)]
BYTE_PIECES = [f"<0x{byte:02X}>" for byte in range(256)]
LETTERS = "abcé▁"
texts = st.text(LETTERS + "ñ☃x", max_size=24)


def steps_of(model: MergingModel, text: str) -> list[list[MergingStep]]:
    return [list(merging_steps(model, word)) for word in traced_words(model, text)]


def assert_steps(model: MergingModel, text: str) -> None:
    """Check that the steps end in the model's ids, follow one another, and build each node from earlier nodes."""
    every = steps_of(model, text)
    assert [id for word in every for id in ends(word).ids] == list(model.ids(text))
    assert "".join(word.text for word in traced_words(model, text)) == text
    for word in every:
        nodes: list[MergeNode] = []
        row: tuple[MergeNode, ...] = ()
        for step in word:
            if isinstance(step, BeginStep):
                nodes += step.symbols
            else:
                assert step.symbols == row or not nodes
            if isinstance(step, MergeStep):
                assert len(step.pairs) == len(step.symbols) - 1
                assert all(right - left > 1 for left, right in pairwise(step.chosen))
                first = min(order(pair) for pair in step.pairs if pair)
                assert all(order(step.pairs[at]) == first for at in step.chosen)
                assert all(not pair or order(pair) > first for pair in step.pairs[: step.chosen[0]])
            if isinstance(step, MergeStep | ReplaceStep):
                nodes += step.made
                assert all(part < node.number for node in step.made for part in node.parts)
            row = step.after if isinstance(step, MergeStep | ReplaceStep) else step.symbols
        assert [node.number for node in nodes] == list(range(len(nodes)))
        assert all(node.id is not None for node in ends(word).symbols)


def ends(word: list[MergingStep]) -> EndStep:
    assert isinstance(word[-1], EndStep)
    return word[-1]


def order(pair: CandidatePair | None) -> float:
    assert pair is not None
    return -pair.score if pair.score is not None else float(pair.rank or 0)


@st.composite
def character_models(draw: st.DrawFn, kind: type[BPE] = BPE) -> BPE:
    """Draw vocabularies over a few letters, with every way to begin and to treat unknown characters."""
    suffix = draw(st.sampled_from(["", "", "</w>"]))
    apart = draw(st.booleans())
    prefix = draw(st.sampled_from(["", "", "##"]))
    pieces = draw(st.lists(st.sampled_from(LETTERS), min_size=1, max_size=5, unique=True))
    if prefix:
        pieces += [prefix + piece for piece in pieces]
    if suffix:
        pieces += [suffix] if apart else [piece + suffix for piece in pieces]
    if draw(st.booleans()):
        pieces += draw(st.sampled_from([BYTE_PIECES, [BYTE_PIECES[byte] for byte in "é☃".encode()]]))
    pieces = ["<unk>", *dict.fromkeys(pieces)]
    merges: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(0, 14))):
        left, right = draw(st.tuples(*[st.integers(0, min(len(pieces), 30) - 1)] * 2))
        joined = pieces[left] + pieces[right][len(prefix) :]
        if (left, right) not in merges and joined and len(joined) < 12:
            if joined not in pieces:
                pieces.append(joined)
            merges.append((left, right))
    return kind(
        pieces,
        draw(st.permutations(merges)),
        byte_level=False,
        end_of_word_suffix=suffix,
        unknown=draw(st.sampled_from(["<unk>", None])),
        continuing_subword_prefix=prefix,
        fuse_unknown=draw(st.booleans()),
        byte_fallback=draw(st.booleans()),
        ignore_merges=kind is BPE and draw(st.booleans()),
    )


@given(model=character_models() | character_models(SubwordBPE), text=texts)
def test_bpe_over_characters(model: BPE, text: str) -> None:
    assert_steps(model, text)


byte_pieces = st.lists(
    st.tuples(st.text("ab研é", min_size=1, max_size=4), st.integers(0, 2), st.integers(1, 6))
    .map(lambda cut: cut[0].encode()[cut[1] : cut[1] + cut[2]])
    .filter(lambda piece: len(piece) > 1),
    max_size=25,
    unique=True,
)


@given(extra=byte_pieces, reserved=st.booleans(), text=st.text("ab研éÉ😀", max_size=30))
def test_bpe_by_the_ranks_of_pieces(extra: list[bytes], reserved: bool, text: str) -> None:
    assert_steps(RankBPE(BYTES + extra, reserved=[256] if reserved and extra else []), text)


@given(data=st.data(), whole=st.booleans(), text=st.text("ab研éÉ😀", max_size=30))
def test_bpe_over_bytes(data: st.DataObject, whole: bool, text: str) -> None:
    pieces, merges = list(BYTES), []
    for _ in range(data.draw(st.integers(0, 15))):
        some = st.sampled_from([*"ab研é".encode(), *range(256, len(pieces))])
        pair = data.draw(st.tuples(some, some))
        if (joined := pieces[pair[0]] + pieces[pair[1]]) not in pieces and len(joined) < 12:
            pieces.append(joined)
            merges.append(pair)
    assert_steps(BPE(pieces, data.draw(st.permutations(merges)), byte_level=True, ignore_merges=whole), text)


@st.composite
def scored_models(draw: st.DrawFn) -> ScoredBPE:
    """Draw SentencePiece's types of pieces, with many equal scores."""
    found = draw(st.lists(st.text(LETTERS, min_size=1, max_size=5), max_size=16, unique=True))
    kinds = [draw(st.sampled_from([PieceKind.NORMAL] * 5 + [PieceKind.UNUSED, PieceKind.USER_DEFINED])) for _ in found]
    scores = [draw(st.sampled_from([-1.0, -2.0, -3.0, 0.0])) for _ in found]
    pieces, byte_ids = ["<unk>", *found], None
    kinds, scores = [PieceKind.UNKNOWN, *kinds], [0.0, *scores]
    if draw(st.booleans()):
        byte_ids = range(len(pieces), len(pieces) + 256)
        pieces, kinds, scores = pieces + BYTE_PIECES, kinds + [PieceKind.BYTE] * 256, scores + [0.0] * 256
    return ScoredBPE(ScoredPieces(pieces, scores, kinds, byte_ids=byte_ids))


@given(model=scored_models(), text=texts)
def test_bpe_by_scores(model: ScoredBPE, text: str) -> None:
    assert_steps(model, text)


PUBLISHED = [
    "tokenizers/gpt2.json", "tokenizers/mistral01.json", "tiktoken/r50k_base.tiktoken",
    "sentencepiece/llama2.model", "scores/stories15m_tokens_scores.json",
]  # fmt: skip


@pytest.fixture(scope="module", params=PUBLISHED)
def published(request: pytest.FixtureRequest, shared: Path) -> Tokenizer:
    return load(shared / "vocabularies" / request.param)


@EXPENSIVE
@given(text=any_text)
def test_published_vocabularies(published: Tokenizer, text: str) -> None:
    model = published.model
    assert isinstance(model, MergingModel)
    ids: list[int] = []
    for found in pretokens_of(published, text):
        if isinstance(found, Pretoken):
            ids += [id for word in steps_of(model, found.text) for id in ends(word).ids]
        else:
            ids.append(found.token.id)
    assert ids == published.ids(text)


def test_a_very_long_word() -> None:
    model = shipped_tokenizer("bpe-bytes").model
    assert isinstance(model, BPE)
    assert_steps(model, "研究生命科学" * 34 + "a" * 200)


# --- single steps


def scored(*pieces: str, unused: str = "", byte: bool = False) -> ScoredBPE:
    every = ["<unk>", *pieces, *(BYTE_PIECES if byte else [])]
    kinds = [PieceKind.UNKNOWN, *(PieceKind.UNUSED if piece == unused else PieceKind.NORMAL for piece in pieces)]
    kinds += [PieceKind.BYTE] * (len(every) - len(kinds))
    byte_ids = range(len(pieces) + 1, len(every)) if byte else None
    return ScoredBPE(ScoredPieces(every, [-float(at) for at in range(len(every))], kinds, byte_ids=byte_ids))


@pytest.mark.parametrize(
    ("model", "text", "why", "kinds", "pieces"),
    [
        (scored("a", byte=True), "aé", ["bytes"], ["piece", "uncovered"], ["a", "<0xC3>", "<0xA9>"]),
        (scored("a"), "éña", ["unknown"], ["uncovered", "uncovered", "piece"], ["éñ", "a"]),
        (scored("a", "b", "ab", unused="ab"), "ab", ["apart"], ["piece", "piece"], ["a", "b"]),
    ],
)
def test_why_symbols_are_replaced(
    model: ScoredBPE, text: str, why: list[str], kinds: list[str], pieces: list[str]
) -> None:
    begin, *steps, end = merging_steps(model, TracedWord(text, 0))
    assert [symbol.kind for symbol in begin.symbols] == kinds
    assert [step.why for step in steps if isinstance(step, ReplaceStep)] == why
    assert [node.piece for node in end.symbols] == pieces


def test_a_word_that_is_a_piece_is_not_merged() -> None:
    model = RankBPE([*BYTES, b"abc"])
    [word] = traced_words(model, "abc")
    [end] = merging_steps(model, word)
    assert word.whole
    assert [(node.id, node.how, node.rank) for node in end.symbols] == [(256, "whole", 256)]


def test_unknown_characters_follow_bytes() -> None:
    pieces = ["<unk>", "<0xC3>", "<0xA9>"]
    begin, _ = merging_steps(
        BPE(pieces, [], byte_level=False, unknown="<unk>", byte_fallback=True), TracedWord("xé", 0)
    )
    assert isinstance(begin, BeginStep)
    assert [(node.id, node.start) for node in begin.symbols] == [(1, 1), (2, 1), (0, 0)]


def test_dropped_characters_are_reported() -> None:
    begin, _ = merging_steps(BPE(["a"], [], byte_level=False), TracedWord("aéa", 0))
    assert isinstance(begin, BeginStep)
    assert begin.left_out == ((1, 2),)


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
