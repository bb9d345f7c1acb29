"""The figures of the chart equal those of the shipped vocabularies and of smaller ones that the trainers produce."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from webapp.core import recipes
from webapp.core.trainers import bpe, wordpiece
from webapp.vocabularies import shipped_tokenizer, sizes_record
from webapp.vocabularies.sizes import SIZES, SizedVocabulary, held_out, measured, merging

NAMES = ["bpe-bytes", "bpe-characters", "wordpiece", "unigram"]


@pytest.mark.parametrize("name", NAMES)
def test_lines_range_from_the_alphabet_to_the_shipped_vocabulary(name: str) -> None:
    line = sizes_record()["vocabularies"][name]
    sizes = [one["pieces"] for one in line]
    assert sizes[1:] == [size for size in SIZES if size > sizes[0]]
    for language in ("English", "Chinese"):
        tokens = [one["tokens"][language] for one in line]
        assert all(before >= after for before, after in pairwise(tokens))


@pytest.mark.parametrize("name", NAMES)
def test_the_last_point_is_the_shipped_vocabulary(name: str, shared: Path) -> None:
    unseen = held_out(shared / "corpora", shared / "texts")
    record = sizes_record()
    for text in unseen:
        assert record["texts"][text.language]["sha256"] == sha256(text.text.encode()).hexdigest()
        assert record["texts"][text.language]["characters"] == len(text.text)
    found = measured(SizedVocabulary(32_000, shipped_tokenizer(name)), unseen)
    assert found == record["vocabularies"][name][-1]


def test_a_smaller_vocabulary_equals_one_trained_to_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webapp.vocabularies.sizes.SIZES", (12, 14, 259, 261))
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    learned = (
        (recipes.WORDPIECE, wordpiece.train(counts), lambda size: wordpiece.train(counts, size)),
        (recipes.CHARACTER_BPE, bpe.train_characters(counts), lambda size: bpe.train_characters(counts, size)),
        (recipes.BYTE_BPE, bpe.train_bytes(counts, None, ["<e>"]), lambda size: bpe.train_bytes(counts, size, ["<e>"])),
    )
    for recipe, trained, train in learned:
        sizes = [*merging(recipe, trained)]
        assert len(sizes) == 3
        for sized in sizes:
            assert sized.tokenizer.model.pieces == train(sized.pieces).model.pieces
