"""Byte-level BPE as other files: ranks with an encoding, and merges as nested lists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tiktoken.load import load_tiktoken_bpe

from tests.core.texts import CORPUS, any_text
from webapp.core.formats import minimal_bpe, tiktoken_encoding
from webapp.core.formats.reading import FormatError
from webapp.core.formats.recognize import recognize
from webapp.core.models.bpe import BPE
from webapp.core.recipes import BYTE_BPE, WORDPIECE, Recipe
from webapp.core.text.normalizers import NFC
from webapp.core.text.pretokenizers import ByteLevel, PreTokenizer, PreTokenizerSequence, Split, WhitespaceSplit
from webapp.core.text.split_patterns import CL100K, O200K
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers.bpe import train_bytes

SPLITS: dict[str, PreTokenizer | None] = {
    "gpt2": ByteLevel(),
    "cl100k": Split(CL100K),
    "o200k": PreTokenizerSequence((Split(O200K, "removed", invert=True), ByteLevel(use_regex=False))),
    "words": Split(r" ?\S+|\s+(?!\S)|\s+"),
    "gaps": Split(r"[a-z]+"),
    "letters": Split(r"\p{L}+", "removed", invert=True),
    "none": None,
}


def trained(split: PreTokenizer | None, size: int = 500) -> Tokenizer:
    recipe = Recipe("own", None, split, BYTE_BPE.decoder)
    result = train_bytes(recipe.count(CORPUS), size, ["<|end|>", "<|pad|>"])
    return recipe.tokenizer(result.model, result.special_tokens)


@pytest.fixture(scope="module", params=SPLITS)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Tokenizer, Any, Tokenizer]:
    """A tokenizer of this site, its files as `tiktoken` loads them, and as this site reads them."""
    ours = trained(SPLITS[request.param])
    ranks, encoding = tiktoken_encoding.write(ours)
    file = tmp_path_factory.mktemp("tiktoken") / "own.tiktoken"
    file.write_bytes(ranks)
    theirs = tiktoken.Encoding(**json.loads(encoding), mergeable_ranks=load_tiktoken_bpe(str(file)))
    found = recognize(ranks, encoding.encode())
    assert found.format == "tiktoken"
    assert found.tokenizer.special_tokens == ours.special_tokens
    return ours, theirs, found.tokenizer


@given(text=any_text)
def test_tiktoken_gives_the_same_ids(both: tuple[Tokenizer, Any, Tokenizer], text: str) -> None:
    ours, theirs, again = both
    assert ours.ids(text) == theirs.encode_ordinary(text) == again.ids(text)
    assert theirs.encode(text + "<|end|>", allowed_special="all")[-1] == ours.special_tokens["<|end|>"]


@given(merges=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=8), text=st.text("abc", max_size=16))
def test_ranks_that_would_merge_differently_are_refused(merges: list[tuple[int, int]], text: str) -> None:
    pieces: list[bytes] = [bytes([byte]) for byte in range(256)]
    kept = []
    for left, right in merges:
        pair = tuple(97 + part if part < 3 else 253 + part for part in (left, right))
        if max(pair) < len(pieces) and pieces[pair[0]] + pieces[pair[1]] not in pieces:
            pieces.append(pieces[pair[0]] + pieces[pair[1]])
            kept.append((pair[0], pair[1]))
    ours = Tokenizer(BPE(pieces, kept, byte_level=True), decoder=BYTE_BPE.decoder)
    try:
        files = tiktoken_encoding.write(ours)
    except FormatError:
        return
    assert tiktoken_encoding.read(*files).ids(text) == ours.ids(text)


def test_a_published_vocabulary_of_merges(shared: Path) -> None:
    gpt2 = recognize((shared / "vocabularies" / "tokenizers" / "gpt2.json").read_bytes()).tokenizer
    ranks, encoding = tiktoken_encoding.write(gpt2)
    again = recognize(encoding.encode(), ranks).tokenizer
    for text in (CORPUS, "<|endoftext|>"):
        assert again.ids(text, special=True) == gpt2.ids(text, special=True)


def test_what_the_files_cannot_hold_is_refused() -> None:
    model = trained(None, 300).model
    for tokenizer, message in (
        (Tokenizer(model, normalizer=NFC(), decoder=BYTE_BPE.decoder), "cannot be written|implies"),
        (Tokenizer(model, pretokenizer=WhitespaceSplit(), decoder=BYTE_BPE.decoder), "one split pattern cannot"),
        (Tokenizer(model), "decodes in another way"),
        (recognize(b"[UNK]\nlow\n").tokenizer, "decodes in another way"),
    ):
        with pytest.raises(FormatError, match=message):
            tiktoken_encoding.write(tokenizer)


def test_an_encoding_alone_is_refused() -> None:
    with pytest.raises(FormatError, match=r"encoding of a \.tiktoken file"):
        recognize(b'{"name": "own", "pat_str": ".", "special_tokens": {}}')


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
