"""Train the plans whose trainers choose among many pieces: WordPiece from the top down, and Unigram."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from webapp.core.sentencepiece_tokenizer import sentencepiece_tokenizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, unigram, wordpiece, wordpiece_top_down
from webapp.core.trainers.word_counts import WordCounts, alphabet, characters, symbol_counts
from webapp.core.training.by_merges import LONGEST_OF_BERT, room_after
from webapp.core.training.curve import LATEST, Watch, tokens_of_best_paths, tokens_of_longest_matches
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.recipe import normalizer_of, recipe_of

SEEDS = 1_000_000  # candidates at most
SEEDS_FOR_A_PIECE = 10  # candidates from BPE, for each piece of the vocabulary


def train_wordpiece_top_down(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train WordPiece from the top down; special tokens come first."""
    names = tuple(dict.fromkeys((wordpiece.UNKNOWN, *plan.special_tokens)))
    spelled = ((wordpiece.spell(word, wordpiece.PREFIX), count) for word, count in counts.items())
    always = {*names, *alphabet(symbol_counts(spelled), plan.coverage)}
    room_after(plan, always)
    steps = 0

    def measure(kept: Collection[str]) -> None:
        """Measure after a step of the search for the threshold, which keeps more or fewer pieces than the size."""
        nonlocal steps
        steps += 1
        pieces = always | set(kept)
        _measure_longest_matches(pieces, watch)
        watch(min(len(pieces), plan.size), steps, 0)

    trained = wordpiece_top_down.train(
        counts, plan.size, special_tokens=names, coverage=plan.coverage, kept_by_step=measure
    )
    _measure_longest_matches({*always, *trained.longer}, watch)
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def _measure_longest_matches(pieces: Collection[str], watch: Watch) -> None:
    curve = watch.curve
    if not curve.is_open(len(pieces)):
        return
    words = {word: n for word, n in curve.words.items() if len(word) <= LONGEST_OF_BERT}
    too_long = sum(curve.words.values()) - sum(words.values())
    matches = tokens_of_longest_matches(words, pieces, wordpiece.PREFIX, wordpiece_top_down.LONGEST)
    if len(pieces) <= curve.size:
        curve.add(len(pieces), too_long + matches)


def train_unigram(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train Unigram; special tokens come first."""
    names = tuple(dict.fromkeys((unigram.UNKNOWN, *plan.special_tokens)))
    room = room_after(plan, dict.fromkeys((*names, *alphabet(characters(counts), plan.coverage)))) - len(names)
    minimum = plan.minimum_count or 2
    rounds = unigram.rounds(
        counts,
        room,
        coverage=plan.coverage,
        longest=plan.longest_piece,
        minimum_frequency=minimum,
        seeds=SEEDS,
        keep=plan.keep,
        candidates=_seeds_of_bpe(plan, counts, room, minimum) if plan.seeds == "bpe" else None,
        reserved=names,
    )
    curve = watch.curve
    last = None
    first = 0
    for last in rounds:
        pieces = len(last.scores) + len(names)
        first = first or pieces
        if curve.words:
            curve.add(pieces, tokens_of_best_paths(curve.words, last.scores, plan.longest_piece))
        watch(pieces, first - pieces, max(first - plan.size, 0), last.removed[:LATEST])
    assert last is not None
    trained = unigram.finished(last, names)
    return sentencepiece_tokenizer(
        trained.model.pieces,
        trained.model.scores,
        algorithm="unigram",
        special_tokens=trained.special_tokens,
        normalizer=normalizer_of(plan),
    )


def _seeds_of_bpe(plan: TrainingPlan, counts: WordCounts, room: int, minimum: int) -> Mapping[str, int]:
    """Return the pieces of BPE's merges with the counts of their pairs, several for each piece that is wanted.

    As an alternative to frequent substrings: they are fewer, and no part of a longer piece that is never alone.
    """
    symbols = alphabet(characters(counts), plan.coverage)
    seeds: dict[str, int] = {}
    for merge in bpe.merges_of_symbols(counts, symbols, minimum_count=minimum):
        piece = merge.left + merge.right
        if len(piece) <= plan.longest_piece:
            seeds[piece] = seeds.get(piece, 0) + merge.count
        if len(seeds) >= min(room * SEEDS_FOR_A_PIECE, SEEDS):
            break
    return seeds
