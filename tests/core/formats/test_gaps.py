"""Ids with gaps: OpenAI's encodings as tokenizer.json, which `tokenizers` reads with the ids of `tiktoken`."""

import json
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import HARD, any_text
from tests.properties import EXPENSIVE
from webapp.core.formats import huggingface
from webapp.core.formats.reading import FormatError
from webapp.core.formats.tiktoken import ENCODINGS, rank_tokenizer, read_ranks
from webapp.core.models.wordpiece import WordLevel
from webapp.core.tokenizer import Tokenizer

NAMES = ("p50k_base", "cl100k_base", pytest.param("o200k_base", marks=pytest.mark.exhaustive))
ENDS = ["a \n ", "  \n\n", "x1234567  \r\n\t ", "'S'\n", "<|endoftext|>", "<|endofprompt|> <|fim_prefix|>", *HARD]


@pytest.fixture(scope="module", params=NAMES)
def written(request: pytest.FixtureRequest, shared: Path) -> tuple[Pair, Tokenizer, tiktoken.Encoding]:
    """Return the written file in both libraries, the tokenizer before, and tiktoken's encoding."""
    content = (shared / "vocabularies" / "tiktoken" / f"{request.param}.tiktoken").read_bytes()
    ranks, parts = read_ranks(content), ENCODINGS[request.param]
    ours = rank_tokenizer(ranks, parts.pattern, parts.special_tokens)
    huggingface.check(ours)
    file = huggingface.write(ours)
    encoding = tiktoken.Encoding(
        "e", pat_str=parts.pattern, mergeable_ranks=ranks, special_tokens=dict(parts.special_tokens)
    )
    return Pair(huggingface.read(file), tokenizers.Tokenizer.from_str(file)), ours, encoding


@pytest.mark.exhaustive
@EXPENSIVE
@given(texts=st.lists(any_text | st.sampled_from(ENDS), max_size=6))
def test_a_written_encoding_equals_tiktoken(
    written: tuple[Pair, Tokenizer, tiktoken.Encoding], texts: list[str]
) -> None:
    pair, ours, encoding = written
    text = "".join(texts)
    pair.theirs.encode_special_tokens = False
    assert pair.theirs.encode(text).ids == encoding.encode(text, allowed_special="all")
    pair.assert_same(text, special=True, template=False)
    assert list(ours.encode(text, special=True).starts) == list(pair.ours.encode(text, special=True).starts)


def test_a_published_text_equals_tiktoken(written: tuple[Pair, Tokenizer, tiktoken.Encoding], shared: Path) -> None:
    pair, ours, encoding = written
    pair.theirs.encode_special_tokens = True  # their names are text
    for path in sorted((shared / "texts").iterdir()):
        text = path.read_text(encoding="utf-8")[:20_000]
        assert pair.theirs.encode(text).ids == pair.ours.ids(text) == encoding.encode_ordinary(text)
    assert pair.ours.special_tokens == ours.special_tokens
    assert pair.ours.model.pieces == ours.model.pieces


def document(vocabulary: dict[str, int], added: dict[str, int], kind: str = "WordLevel") -> str:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    tokens = [{"content": content, "id": id, "special": True, **flags} for content, id in added.items()]
    model: dict[str, Any] = {"type": kind, "unk_token": "<unk>", "vocab": vocabulary}
    model |= {"merges": []} if kind == "BPE" else {}
    if kind == "WordPiece":
        model |= {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    return json.dumps({"version": "1.0", "added_tokens": tokens, "model": model})


@pytest.mark.parametrize("kind", ["WordLevel", "BPE", "WordPiece"])
@pytest.mark.parametrize(
    "added", [{"<s>": 7}, {"<s>": 7, "</s>": 9}, {"<pad>": 3, "<s>": 7, "</s>": 9}, {"</s>": 9, "<x>": 1, "<s>": 7}]
)
def test_added_tokens_after_a_gap_have_the_ids_of_tokenizers(added: dict[str, int], kind: str) -> None:
    beyond = {name: id for name, id in added.items() if id > 3}
    file = document({"<unk>": 0, "a": 1, "b": 2} | beyond, added, kind)
    ours, theirs = huggingface.read(file), tokenizers.Tokenizer.from_str(file)
    assert ours.model.pieces == ("<unk>", "a", "b")
    assert {token.content: token.id for token in ours.added_tokens} == {
        token.content: id for id, token in theirs.get_added_tokens_decoder().items()
    }
    for text in ("a<s>b", "<s></s><pad>", "</s>a"):
        assert ours.ids(text, special=True) == theirs.encode(text).ids


def test_a_piece_after_a_gap_is_refused() -> None:
    with pytest.raises(FormatError, match="without gaps; missing: 3"):
        huggingface.read(document({"<unk>": 0, "a": 1, "b": 2, "c": 7, "<s>": 4}, {"<s>": 4}))


@pytest.mark.parametrize("special", [{"<s>": 4}, {"<s>": 3, "<pad>": 5}, {"<s>": 90, "<pad>": 3}])
def test_special_tokens_keep_their_ids(special: dict[str, int]) -> None:
    file = huggingface.write(Tokenizer(WordLevel(["<unk>", "a", "b"]), special_tokens=special))
    ours, theirs = huggingface.read(file), tokenizers.Tokenizer.from_str(file)
    assert dict(ours.special_tokens) == special
    assert theirs.encode("a<s><pad>").ids == ours.ids("a<s><pad>", special=True)
