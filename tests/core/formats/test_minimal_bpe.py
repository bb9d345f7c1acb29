"""The JSON of a minimal byte-level BPE class: what a plain implementation makes of it, and what is refused."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import CORPUS, any_text
from webapp.core.formats import minimal_bpe
from webapp.core.formats.fields import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.recipes import BYTE_BPE, WORDPIECE
from webapp.core.text.normalizers import NFC
from webapp.core.text.pretokenizers import Split
from webapp.core.text.split_patterns import CL100K
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import train_bytes

TRAINED = train_bytes(BYTE_BPE.count(CORPUS), 400, ["<|end|>", "<|pad|>"])
OURS = BYTE_BPE.tokenizer(TRAINED.model, TRAINED.special_tokens)


class MinimalBPE:
    """A tokenizer as tutorials write it: the pair with the lowest id is merged until none is left."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.merges = {(left, right): id for (left, right), id in document["merges"]}
        self.special_tokens = dict(document["special_tokens"])
        self.pattern = document.get("pattern", r"[\s\S]+")

    def encode(self, text: str) -> list[int]:
        """The ids of a text, one match of the pattern after the other."""
        return [id for word in regex.findall(self.pattern, text) for id in self._merged(list(word.encode()))]

    def _merged(self, ids: list[int]) -> list[int]:
        while len(ids) > 1:
            pair = min(pairwise(ids), key=lambda pair: self.merges.get(pair, 1 << 30))
            if pair not in self.merges:
                return ids
            made, at = [], 0
            while at < len(ids):
                joined = tuple(ids[at : at + 2]) == pair
                made.append(self.merges[pair] if joined else ids[at])
                at += 1 + joined
            ids = made
        return ids


@pytest.fixture(scope="module", params=["gpt2", "cl100k", "none"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    """The same model behind several pre-tokenizers."""
    split = {"gpt2": BYTE_BPE.pretokenizer, "cl100k": Split(CL100K), "none": None}[request.param]
    return Tokenizer(TRAINED.model, pretokenizer=split, decoder=BYTE_BPE.decoder, special_tokens=TRAINED.special_tokens)


@given(text=any_text)
def test_a_minimal_class_gives_the_same_ids(tokenizer: Tokenizer, text: str) -> None:
    written = minimal_bpe.write(tokenizer)
    again = minimal_bpe.read(written)
    assert MinimalBPE(json.loads(written)).encode(text) == tokenizer.ids(text) == again.ids(text)
    assert again.ids(text + "<|end|>", special=True) == [*tokenizer.ids(text), TRAINED.special_tokens["<|end|>"]]
    assert again.decode(again.ids(text)) == text


def test_merges_are_nested_lists() -> None:
    document = json.loads(minimal_bpe.write(OURS))
    assert document["merges"][0] == [[32, 105], 256]
    assert document["special_tokens"] == [["<|end|>", 398], ["<|pad|>", 399]]


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


def test_a_special_token_between_merges() -> None:
    tokenizer = minimal_bpe.read('{"merges": [[[97,98],256], [[256,99],258]], "special_tokens": [["<end>",257]]}')
    assert tokenizer.ids("abc<end>", special=True) == [258, 257]
    assert minimal_bpe.read(minimal_bpe.write(tokenizer)).ids("abc<end>", special=True) == [258, 257]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"merges": [[[97, 98], 256], [[97, 99], 256]]}, "the id 256 of a merge is used twice"),
        ({"merges": [[[97, 98], 97]]}, "the id 97 of a merge is used twice"),
        ({"merges": [[[97, 98], 257]]}, "no merge and no special token has the id 256"),
        ({"merges": [[[97, 256], 256]]}, "joins an id that no earlier merge makes"),
        ({"merges": [[[97, -1], 256]]}, "joins an id that no earlier merge makes"),
        ({"merges": [[[97, 98], 256], [[97, 98], 257]]}, "occurs twice"),
        ({"merges": [["a", "b"]]}, r"should be \[\[left, right\], id\], not \['a', 'b'\]"),
        ({"merges": [[[97, True], 256]]}, "should be"),
        ({"merges": [97]}, "should be"),
        ({"merges": [[at + 255 if at else 97] * 2 for at in range(16)]}, "is too long"),
        ({"special_tokens": [["<end>", 97]]}, "the id 97 of '<end>' is used twice"),
        ({"special_tokens": [["<end>", 300], ["<a>", 300]]}, "the id 300 of '<a>' is used twice"),
        ({"special_tokens": [["<end>", 300], ["<end>", 301]]}, "occurs twice"),
        ({"special_tokens": [["", 300]]}, r"should be \[token, id\]"),
        ({"special_tokens": [["<end>", True]]}, r"should be \[token, id\]"),
        ({"special_tokens": 5}, "should be a list"),
        ({"pattern": "(a+)+$"}, "times out"),
        ({"pattern": 5}, '"pattern" should be a string'),
    ],
)
def test_broken_files_are_refused(members: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        recognize(json.dumps({"merges": [[97, 98]], **members}).encode())


@given(merges=st.lists(st.tuples(st.integers(-2, 300), st.integers(-2, 300), st.integers(200, 270)), max_size=9))
def test_any_merges_are_read_or_refused(merges: list[tuple[int, int, int]]) -> None:
    try:
        tokenizer = minimal_bpe.read(json.dumps({"merges": merges}))
    except FormatError:
        return
    assert tokenizer.decode(tokenizer.ids(CORPUS)) == CORPUS


def test_other_tokenizers_are_refused() -> None:
    with pytest.raises(FormatError, match="WordPiece cannot be written"):
        minimal_bpe.write(WORDPIECE.tokenizer(recognize(b"[UNK]\nlow\n").tokenizer.model))
    with pytest.raises(FormatError, match="no normalizer"):
        minimal_bpe.write(Tokenizer(TRAINED.model, normalizer=NFC(), decoder=BYTE_BPE.decoder))
