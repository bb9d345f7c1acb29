"""The JSON of a minimal byte-level BPE class: what a plain implementation makes of it, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import CORPUS, any_text
from webapp.core.formats import minimal_bpe
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.recipes import BYTE_BPE, WORDPIECE
from webapp.core.text.normalizers import NFC
from webapp.core.text.pretokenizers import Split
from webapp.core.text.split_patterns import CL100K
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import train_bytes

TRAINED = train_bytes(BYTE_BPE.count(CORPUS), 400, ["<|end|>", "<|pad|>"])
OURS = BYTE_BPE.tokenizer(TRAINED.model, TRAINED.special_tokens)


@pytest.fixture(scope="module", params=["gpt2", "cl100k", "none"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    """The same model behind several pre-tokenizers."""
    split = {"gpt2": BYTE_BPE.pretokenizer, "cl100k": Split(CL100K), "none": None}[request.param]
    return Tokenizer(TRAINED.model, pretokenizer=split, decoder=BYTE_BPE.decoder, special_tokens=TRAINED.special_tokens)


@given(text=any_text)
def test_a_minimal_class_gives_the_same_ids(tokenizer: Tokenizer, text: str) -> None:
    written = minimal_bpe.write(tokenizer)
    again = minimal_bpe.read(json.loads(written))
    assert tokenizer.ids(text) == again.ids(text)
    assert again.ids(text + "<|end|>", special=True) == [*tokenizer.ids(text), TRAINED.special_tokens["<|end|>"]]
    assert again.decode(again.ids(text)) == text


@pytest.mark.parametrize(
    "merges",
    [
        [[[97, 98], 256], [[256, 99], 257]],
        [[97, 98, 256], [256, 99, 257]],
        [[97, 98], [256, 99]],
        [[[256, 99], 257], [[97, 98], 256]],
    ],
)
@pytest.mark.parametrize("special", [[["<end>", 300]], {"<end>": 300}])
def test_spellings_that_are_read(merges: Any, special: Any) -> None:
    content = json.dumps({"type": "bpe", "merges": merges, "special_tokens": special}).encode()
    found = recognize(content)
    assert found.format == "minimal-bpe"
    assert found.tokenizer.ids("abcab<end>", special=True) == [257, 256, 300]


@given(merges=st.lists(st.tuples(st.integers(-2, 300), st.integers(-2, 300), st.integers(200, 270)), max_size=9))
def test_any_merges_are_read_or_refused(merges: list[tuple[int, int, int]]) -> None:
    try:
        tokenizer = minimal_bpe.read({"merges": merges})
    except FormatError:
        return
    assert tokenizer.decode(tokenizer.ids(CORPUS)) == CORPUS


def test_other_tokenizers_are_refused() -> None:
    with pytest.raises(FormatError, match="WordPiece cannot be written"):
        minimal_bpe.write(WORDPIECE.tokenizer(recognize(b"[UNK]\nlow\n").tokenizer.model))
    with pytest.raises(FormatError, match="no normalizer"):
        minimal_bpe.write(Tokenizer(TRAINED.model, normalizer=NFC(), decoder=BYTE_BPE.decoder))
