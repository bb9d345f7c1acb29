"""The variants of BPE over bytes that a plan can choose: PickyBPE, SuperBPE and parity-aware BPE."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from webapp.core.models.picky_bpe import PickyBPE
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, parity_bpe, picky_bpe, superbpe
from webapp.core.trainers.bpe import BYTES, CountedMerge
from webapp.core.trainers.picky_bpe import MOST, Event, TrainedPickyBPE
from webapp.core.trainers.word_counts import WordCounts
from webapp.core.training.curve import EACH, LATEST, Watch
from webapp.core.training.languages import by_language
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.recipe import recipe_of


def byte_merges(plan: TrainingPlan, counts: WordCounts, room: int) -> Iterator[CountedMerge[bytes]]:
    """Return the merges of a plan without removals; SuperBPE's phases depend on the `room` for pieces."""
    minimum = plan.minimum_count or 1
    if plan.variant == "superbpe":
        return superbpe.merges(counts, room, share=plan.transition, minimum_count=minimum)
    if plan.variant == "parity":
        return (merge for _, merge in parity_bpe.merges(by_language(counts), minimum_count=minimum))
    return bpe.merges(counts, form="bytes", minimum_count=minimum)


def train_picky_bpe(plan: TrainingPlan, counts: WordCounts, watch: Watch, room: int) -> Tokenizer:
    """Train PickyBPE with `room` pieces beside the special tokens."""
    events: list[Event] = []
    pieces = len(BYTES)
    latest: deque[bytes] = deque(maxlen=LATEST)
    found = picky_bpe.rounds(counts, plan.removal_threshold, plan.minimum_count or 1)
    special = len(plan.special_tokens)
    while pieces < room and len(events) < MOST * room and (one := next(found, None)) is not None:
        pieces, merge, removals = one
        events += (merge, *removals)
        latest.appendleft(merge.left + merge.right)
        if not len(events) % EACH:
            if watch.curve.due(pieces + special):
                watch.curve.add(pieces + special, _tokens(TrainedPickyBPE(tuple(events)).model, watch.curve.words))
            watch(pieces + special, pieces - len(BYTES), room - len(BYTES), latest)
    trained = TrainedPickyBPE(tuple(events), plan.special_tokens)
    if watch.curve.is_open(pieces + special):
        watch.curve.add(pieces + special, _tokens(trained.model, watch.curve.words))
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def _tokens(model: PickyBPE, words: WordCounts) -> int:
    return sum(len(model.ids(word)) * count for word, count in words.items())
