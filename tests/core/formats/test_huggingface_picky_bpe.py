"""A PickyBPE vocabulary survives its file, and no other library reads it as something else."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from webapp.core import recipes
from webapp.core.formats import huggingface, tiktoken, vocab_json
from webapp.core.formats.fields import FormatError
from webapp.core.models.picky_bpe import PickyBPE
from webapp.core.text.split_patterns import TextError
from webapp.core.trainers import picky_bpe

TRAINED = picky_bpe.train_bytes({" could": 9, " loud": 2, " would": 6, "é": 3}, 268, ["<|endoftext|>"], threshold=0.6)
TOKENIZER = recipes.BYTE_BPE.tokenizer(TRAINED.model, TRAINED.special_tokens)
FILE = huggingface.write(TOKENIZER)
assert any(isinstance(event, picky_bpe.Removal) for event in TRAINED.events)


@given(st.text(st.sampled_from("couldw éx")))
def test_a_file_gives_the_same_ids(text: str) -> None:
    back = huggingface.read(FILE)
    assert back.ids(text) == TOKENIZER.ids(text)
    assert back.decode(back.ids(text)) == text
    assert back.special_tokens == TOKENIZER.special_tokens


def test_tokenizers_refuses_the_file() -> None:
    with pytest.raises(Exception, match="ModelUntagged"):
        tokenizers.Tokenizer.from_str(FILE)


def test_files_of_merges_or_ranks_are_refused() -> None:
    with pytest.raises(FormatError):
        vocab_json.write(TOKENIZER)
    with pytest.raises(FormatError):
        tiktoken.write(TOKENIZER)


@pytest.mark.parametrize("events", [None, 3, [3], [["a"]], [["a", 3]], [["a", "\n"]], [["ab", "c"]], [["a", "b", "c"]]])
def test_a_damaged_file_is_refused(events: Any) -> None:
    document = json.loads(FILE)
    document["model"]["events"] = events
    with pytest.raises(FormatError):
        huggingface.read(json.dumps(document))


def test_a_file_that_merges_and_splits_for_ever_is_stopped() -> None:
    """Its events are as many as its bytes; without a limit, each would change every place of the text."""
    bytes_ = [bytes([byte]) for byte in range(256)]
    model = PickyBPE(bytes_, [(b"a", b"b"), (b"ab", b"a", b"b")] * 1_000)
    with pytest.raises(TextError, match="too often"):
        model.ids("ab" * 100)
