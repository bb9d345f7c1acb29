"""Tie rules: each trains what its original trains, and every trainer with a rule follows it."""

import json
import lzma
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from tokenizers import models, pre_tokenizers, trainers

from webapp.core import recipes, train_bpe
from webapp.core.text.utf8 import characters_to_bytes
from webapp.core.trainers import bpe, bpe_variants
from webapp.core.trainers.ties import TIE_RULES, TieRule
from webapp.core.trainers.word_counts import characters
from webapp.core.training.counted_corpus import CountedCorpus
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.train import train

CORPORA = ("en_holmes_and_others", "zh_luxun", "zh_honglou")
LOWEST = {"low": 5, "lower": 2, "widest": 3, "newest": 6}  # the example of CS336's assignment


def pairs(merges: Iterable[bpe.CountedMerge[Any]]) -> list[tuple[Any, Any]]:
    return [(merge.left, merge.right) for merge in merges]


def cs336() -> tuple[dict[str, int], list[tuple[bytes, bytes]]]:
    """The word counts of the corpus that CS336 hands out, and the merges of its reference implementation."""
    given = json.loads(lzma.decompress(Path(__file__).with_name("cs336.json.xz").read_bytes()))
    return given["counts"], [(characters_to_bytes(left), characters_to_bytes(right)) for left, right in given["merges"]]


def test_merges_of_cs336() -> None:
    """The course breaks ties by the lexicographically greater pair."""
    counts, wanted = cs336()
    found = bpe.train_bytes(counts, 500, ["<|endoftext|>"], ties="greater").merges
    assert len(wanted) == 243
    assert pairs(found) == wanted
    others = bpe.train_bytes(counts, 500, ["<|endoftext|>"]).merges
    assert pairs(others[:64]) == wanted[:64]
    assert len({*pairs(others)} & {*wanted}) == 240
    assert [merge.count for merge in others] == [merge.count for merge in found]
    assert (found[64], others[64]) == ((b"l", b"e", 246), (b"c", b"e", 246))


@pytest.mark.parametrize(
    ("ties", "merges"),
    [
        ("first-seen", "e s, es t, l o, lo w, n e, ne w"),
        ("greater", "s t, e st, o w, l ow, w est, n e"),  # as printed in the assignment
        ("smaller", "e s, es t, l o, lo w, e w, ew est"),
        ("lower-ids", "e s, es t, l o, lo w, e w, n ew"),
        ("longest", "e s, es t, l o, lo w, w est, e west"),
    ],
)
def test_six_merges_by_each_rule(ties: TieRule, merges: str) -> None:
    found = bpe.train_bytes(LOWEST, merges_at_most=6, ties=ties)
    assert ", ".join(f"{left.decode()} {right.decode()}" for left, right in pairs(found.merges)) == merges
    text = "\n".join(" ".join([word] * count) for word, count in LOWEST.items()).replace(" ", "\n")
    assert list(train_bpe(text, merges=6, ties=ties).model.pieces) == list(found.model.pieces)


def by_tokenizers(text: str, merges: int, *, byte_level: bool) -> list[tuple[Any, Any]]:
    rival = tokenizers.Tokenizer(models.BPE())
    initial = pre_tokenizers.ByteLevel.alphabet() if byte_level else []
    rival.pre_tokenizer = (
        pre_tokenizers.ByteLevel(add_prefix_space=False) if byte_level else pre_tokenizers.Whitespace()
    )
    letters = len(initial) or len(characters(recipes.CHARACTER_BPE.count(text)))
    trainer = trainers.BpeTrainer(vocab_size=letters + merges, initial_alphabet=initial, show_progress=False)
    rival.train_from_iterator([text], trainer)
    spelled = json.loads(rival.to_str())["model"]["merges"]
    as_written = characters_to_bytes if byte_level else str
    return [(as_written(left), as_written(right)) for left, right in spelled]


@pytest.mark.parametrize(
    ("size", "merges"), [(200_000, 1_000), pytest.param(10**9, 8_000, marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize("name", CORPORA)
def test_merges_of_tokenizers(shared: Path, name: str, size: int, merges: int) -> None:
    text = (shared / "corpora" / f"{name}.txt").read_text(encoding="utf-8")[:size]
    found = bpe.train_bytes(recipes.BYTE_BPE.count(text), merges_at_most=merges, ties="lower-ids")
    assert pairs(found.merges) == by_tokenizers(text, merges, byte_level=True)
    spelled = bpe.character_merges(recipes.CHARACTER_BPE.count(text), end_of_word_suffix="", ties="lower-ids")
    assert pairs(merge for merge, _ in zip(spelled, range(merges), strict=False)) == by_tokenizers(
        text, merges, byte_level=False
    )


Merges = Iterable[bpe.CountedMerge[Any]]
PLANS: dict[str, tuple[dict[str, Any], Callable[..., Merges] | None]] = {
    "bytes": ({"trainer": "bpe-bytes"}, bpe.byte_merges),
    "superbpe": ({"trainer": "bpe-bytes", "variant": "superbpe"}, partial(bpe_variants.merges, room=400)),
    "characters": ({"trainer": "bpe-characters"}, bpe.character_merges),
    "sentencepiece": ({"trainer": "bpe-sentencepiece"}, partial(bpe.character_merges, end_of_word_suffix="")),
    "wordpiece": ({"trainer": "wordpiece"}, None),
    "unigram": ({"trainer": "unigram"}, None),
}
WORDS = [f"{first}{rest}" for first in "abcdefghij" for rest in ("est", "ing", "old", "ound")]
SPANS = {f"{one} {two}": 2 + place % 3 for place, one in enumerate(WORDS) for two in WORDS}


@pytest.mark.parametrize("name", PLANS)
def test_plans_follow_their_rule(name: str) -> None:
    choices, merges = PLANS[name]
    counts = SPANS if name == "superbpe" else {word: 2 + place % 7 for place, word in enumerate(WORDS)}
    counted = CountedCorpus(counts, "", 1_000, 1_000, "")
    found = {}
    for ties in TIE_RULES:
        plan = TrainingPlan(size=400, minimum_count=2, coverage=1.0, ties=ties, **choices)
        pieces = train(plan, counted, lambda _moment: None).tokenizer.model.pieces
        found[ties] = tuple(pieces)
        made = dict.fromkeys(merge.piece for merge in merges(counts, minimum_count=2, ties=ties)) if merges else {}
        in_order = [piece for piece in pieces if piece in made]
        assert in_order == list(made)[: len(in_order)]
        assert not merges or len(in_order) > 40
    assert len(set(found.values())) == (len(TIE_RULES) if merges else 1)
    letters = [piece for piece in found["lower-ids"] if isinstance(piece, str) and len(piece) == 1]
    assert not merges or letters == sorted(letters)
