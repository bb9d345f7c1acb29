"""Traces of merges, and of training round by round: what the models and trainers do."""

from itertools import islice, pairwise
from math import exp, fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.properties import THOROUGH
from webapp.core.homework.rounds import WordPieceRounds, train
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.reference.bpe import count_pairs
from webapp.core.traces import training_merges, training_unigram
from webapp.core.traces.merge_records import (
    BeginStep,
    CandidatePair,
    EndStep,
    MergeNode,
    MergeStep,
    MergingStep,
    ReplaceStep,
)
from webapp.core.traces.merging import MergingModel, merging_steps, traced_words
from webapp.core.trainers import bpe, unigram, wordpiece
from webapp.core.trainers.ties import TIE_RULES, TieRule
from webapp.core.trainers.word_trie import proper_substrings

BYTES = [bytes([byte]) for byte in range(256)]
BYTE_PIECES = [f"<0x{byte:02X}>" for byte in range(256)]
LETTERS = "abcé▁"


def assert_steps(model: MergingModel, text: str) -> None:
    """Check that the steps end in the model's ids, follow one another, and build each node from earlier nodes."""
    every = [list(merging_steps(model, word)) for word in traced_words(model, text)]
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


@st.composite
def byte_models(draw: st.DrawFn) -> BPE | RankBPE:
    """Draw merges of bytes, or ranks of pieces that begin and end anywhere inside a character."""
    pieces, merges = list(BYTES), []
    if draw(st.booleans()):
        texts = draw(st.lists(st.text("ab研é", min_size=1, max_size=4), max_size=25, unique=True))
        cuts = (text.encode()[draw(st.integers(0, 2)) :][: draw(st.integers(1, 6))] for text in texts)
        return RankBPE([*pieces, *dict.fromkeys(piece for piece in cuts if len(piece) > 1)])
    for _ in range(draw(st.integers(0, 15))):
        some = st.sampled_from([*"ab研é".encode(), *range(256, len(pieces))])
        pair = draw(st.tuples(some, some))
        if (joined := pieces[pair[0]] + pieces[pair[1]]) not in pieces and len(joined) < 12:
            pieces.append(joined)
            merges.append(pair)
    return BPE(pieces, draw(st.permutations(merges)), byte_level=True, ignore_merges=draw(st.booleans()))


@pytest.mark.parametrize("models", [character_models(), character_models(SubwordBPE), byte_models(), scored_models()])
@given(data=st.data(), text=st.text(LETTERS + "ñ☃x研É😀", max_size=30))
def test_the_steps_end_in_the_ids_of_the_model(models: Any, data: st.DataObject, text: str) -> None:
    assert_steps(data.draw(models), text)


few_letters = st.dictionaries(st.text("abc", max_size=12), st.integers(1, 4), max_size=10)
any_words = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.integers(1, 9), max_size=6
)
marks = st.dictionaries(st.text("#a</w>", max_size=9), st.integers(1, 3), max_size=8)  # the characters of the suffix
corpora = st.one_of(few_letters, any_words, marks)
FORMS = ["bytes", "unmarked", "apart", "glued", "wordpiece"]


@THOROUGH
@given(corpora, st.integers(0, 40), st.integers(1, 3), st.sampled_from(FORMS), st.sampled_from(TIE_RULES))
def test_merges_round_by_round(counts: dict[str, int], merges: int, minimum: int, form: str, ties: TieRule) -> None:
    if form == "bytes":
        training = training_merges.train_unmarked(counts, merges, ties=ties)
        wanted = bpe.train_bytes(counts, merges_at_most=merges, ties=ties)
    elif form == "unmarked":
        training = training_merges.train_unmarked(counts, merges, as_bytes=False, ties=ties)
        found = bpe.character_merges(counts, end_of_word_suffix="", ties=ties)
        wanted = bpe.TrainedBPE((), tuple(islice(found, merges)))
    elif form == "wordpiece":
        training = training_merges.train_wordpiece(counts, merges, minimum=minimum)
        wanted = wordpiece.train(counts, merges_at_most=merges, minimum_pair_frequency=minimum)
        by_rule = training_merges.train_wordpiece(counts, merges, ties=ties)
        rounds_by_rule = WordPieceRounds(([*wordpiece.spell(word, "##")], count) for word, count in counts.items())
        assert [(merge.left, merge.right) for merge in by_rule.trained.merges] == train(rounds_by_rule, merges, ties)
    else:
        training = training_merges.train_characters(counts, merges, suffix_apart=form == "apart", ties=ties)
        wanted = bpe.train_characters(counts, merges_at_most=merges, suffix_apart=form == "apart", ties=ties)
    words, rounds = training.start, list(training.rounds())
    assert len(rounds) == len(wanted.merges)
    for number, (step, merge) in enumerate(zip(rounds, wanted.merges, strict=True), start=1):
        assert (step.number, step.before) == (number, words)
        winner, pairs, words = step.winner, step.pairs(), step.after
        assert pairs[0] == winner
        recounted = count_pairs({tuple(word.symbols): word.count for word in step.before})
        assert all(recounted[pair.left, pair.right] == pair.count for pair in pairs)
        for old, new in zip(step.before, words, strict=True):
            assert bool(new.made) == (old.symbols != new.symbols)
            assert all(new.symbols[place] == step.piece for place in new.made)
            assert len(old.symbols) - len(new.symbols) == len(new.made)
        if form != "wordpiece":
            assert (winner.left, winner.right, winner.count) == tuple(merge)
            continue
        assert (winner.left, winner.right, step.piece, winner.count, winner.score) == tuple(merge)
        singles = [symbol for word in step.before for symbol in word.symbols for _ in range(word.count)]
        assert (winner.left_count, winner.right_count) == (singles.count(winner.left), singles.count(winner.right))
        assert len(pairs) + step.too_rare() == len(training_merges.pairs(step.before))
    model = training.trained.model
    for word, text in zip(words, counts, strict=True):
        if form in ("bytes", "unmarked") or (form != "wordpiece" and text and "</w>" not in text):
            assert [model.pieces[id] for id in model.ids(text)] == list(word.symbols)


def test_a_merge_may_make_a_piece_that_a_merge_before_made_in_no_word() -> None:
    before = [("b", "c"), ("a", "b"), ("ab", "c")]
    training = training_merges.train_unmarked({"abc": 5, "abcd": 7}, 5, as_bytes=False, before=before)
    assert [round.piece for round in training.rounds()] == ["abc", "abcd"]


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
    wanted = list(unigram.rounds(counts, size, seeds=seeds, candidates=candidates, by_length=not every))
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
        for line in step.candidates:
            assert "".join(line.instead) == (line.piece if line.loss is not None else "")
            assert line.piece not in line.instead
        assert [(reading.word, reading.count) for reading in step.readings] == list(counts.items())
        assert all("".join(reading.pieces) == reading.word for reading in step.readings)
    for step, following in pairwise(told):
        kept = [(line.piece, line.probability) for line in step.candidates if not line.removed]
        assert kept == [(line.piece, line.before) for line in following.candidates]
    seeds_of = [(seed.piece, seed.probability) for seed in training.seeds]
    assert [(line.piece, line.before) for line in told[0].candidates] == seeds_of
    assert fsum(line.probability for line in told[-1].candidates) == pytest.approx(1)
    trained = unigram.train(counts, size + 1, seeds=seeds, candidates=candidates, by_length=not every)
    assert training.trained == trained
    for reading in told[-1].readings:
        scores = [trained.scores[piece] for piece in reading.pieces]
        best = [trained.model.scores[id] for id in trained.model.ids(reading.word)]
        assert exp(fsum(scores)) == pytest.approx(exp(fsum(best)), rel=1e-4)


@pytest.mark.parametrize("counts", [{}, {"": 2}])
def test_an_empty_corpus_is_refused(counts: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"nothing|empty"):
        training_unigram.UnigramTraining(counts, 9)
