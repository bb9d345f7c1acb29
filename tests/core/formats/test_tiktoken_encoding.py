"""Byte-level BPE as other files: ranks with an encoding, and merges as nested lists."""

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
from webapp.core.recipes import BYTE_BPE, Recipe
from webapp.core.text.pretokenizers import ByteLevel, PreTokenizer, PreTokenizerSequence, Split
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
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Tokenizer, tiktoken.Encoding, list[Tokenizer]]:
    """A tokenizer of this site, its files as `tiktoken` loads them, and as this site reads them and minbpe's."""
    ours = trained(SPLITS[request.param])
    ranks, encoding = tiktoken_encoding.write(ours)
    file = tmp_path_factory.mktemp("tiktoken") / "own.tiktoken"
    file.write_bytes(ranks)
    theirs = tiktoken.Encoding(**json.loads(encoding), mergeable_ranks=load_tiktoken_bpe(str(file)))
    found = recognize(ranks, encoding.encode())
    assert found.format == "tiktoken"
    assert found.tokenizer.special_tokens == ours.special_tokens
    return ours, theirs, [found.tokenizer, minimal_bpe.read(json.loads(minimal_bpe.write(ours)))]


@given(text=any_text)
def test_tiktoken_gives_the_same_ids(both: tuple[Tokenizer, tiktoken.Encoding, list[Tokenizer]], text: str) -> None:
    ours, theirs, read = both
    assert ours.ids(text) == theirs.encode_ordinary(text)
    ids = theirs.encode(text + "<|end|>", allowed_special="all")
    assert ids[-1] == ours.special_tokens["<|end|>"]
    for again in read:
        assert again.ids(text) == ours.ids(text)
        assert again.ids(text + "<|end|>", special=True) == ids
        assert again.decode(ids) == theirs.decode(ids)


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
