"""Byte-level BPE against `tiktoken`, with a small vocabulary and with the published ones."""

import base64
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings

from tests.core.texts import CORPUS, any_text
from webapp.core import decoders, pretokenizers
from webapp.core.models.bpe import BPE
from webapp.core.recipes import BYTE_BPE
from webapp.core.split_patterns import CL100K, GPT2
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import train_bytes


def merges_of(ranks: dict[bytes, int]) -> list[tuple[int, int]]:
    """tiktoken keeps pieces by rank only: the two parts a piece was merged from are what lower ranks make of it."""
    merges = []
    for piece, rank in sorted(ranks.items(), key=lambda item: item[1]):
        if len(piece) > 1:
            parts = [bytes([byte]) for byte in piece]
            while len(parts) > 2:
                pairs = [ranks.get(parts[at] + parts[at + 1], rank) for at in range(len(parts) - 1)]
                at = pairs.index(min(pairs))
                parts[at : at + 2] = [parts[at] + parts[at + 1]]
            merges.append((ranks[parts[0]], ranks[parts[1]]))
    return merges


TRAINED = train_bytes(BYTE_BPE.count(CORPUS), 900).model
RANKS = {bytes(piece): id for id, piece in enumerate(TRAINED.pieces)}  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", [GPT2, CL100K])
@settings(max_examples=300)
@given(text=any_text)
def test_a_vocabulary_of_our_own(pattern: str, text: str) -> None:
    rival = tiktoken.Encoding("small", pat_str=pattern, mergeable_ranks=RANKS, special_tokens={})
    ours = Tokenizer(TRAINED, pretokenizer=pretokenizers.Split(pattern), decoder=decoders.ByteLevel())
    ids = ours.ids(text)
    assert ids == rival.encode_ordinary(text)
    assert ours.decode(ids) == rival.decode(ids) == text


@pytest.mark.parametrize(("name", "pattern"), [("r50k_base", GPT2), ("cl100k_base", CL100K)])
def test_published_vocabularies(shared: Path, name: str, pattern: str) -> None:
    lines = (shared / "vocabularies" / "tiktoken" / f"{name}.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in map(bytes.split, lines)}
    rival = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    model = BPE(sorted(ranks, key=ranks.__getitem__), merges_of(ranks), byte_level=True)
    ours = Tokenizer(model, pretokenizer=pretokenizers.Split(pattern), decoder=decoders.ByteLevel())
    for file in sorted((shared / "texts").iterdir()):
        text = file.read_text(encoding="utf-8")[:200_000]
        ids = ours.ids(text)
        assert ids == rival.encode_ordinary(text), file.name
        assert ours.decode(ids) == text
