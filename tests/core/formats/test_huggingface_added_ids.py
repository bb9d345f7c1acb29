"""The ids of added tokens equal those in `tokenizers`, whatever ids a file declares."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.formats import huggingface
from webapp.core.formats.huggingface import FormatError
from webapp.core.models.wordpiece import WordLevel
from webapp.core.tokenizer import Tokenizer

VOCABULARY = {"<unk>": 0, "a": 1, "b": 2, "ab": 3}


def document(added: list[dict[str, Any]], model: str = "BPE") -> str:
    parts: dict[str, Any] = {"type": model, "unk_token": "<unk>", "vocab": VOCABULARY}
    if model == "BPE":
        parts["merges"] = [["a", "b"]]
    return json.dumps({"version": "1.0", "added_tokens": added, "model": parts})


def added(content: str, id: int, **flags: bool) -> dict[str, Any]:
    names = ("single_word", "lstrip", "rstrip", "normalized", "special")
    return {"content": content, "id": id, **{name: flags.get(name, False) for name in names}}


tokens = st.builds(
    added,
    content=st.sampled_from(["<pad>", "<s>", "</s>", "<unk>", "ab", "<mask>"]),
    id=st.integers(0, 9),
    special=st.booleans(),
    lstrip=st.booleans(),
)


@given(
    parts=st.lists(tokens, max_size=6, unique_by=lambda part: part["content"]),
    text=st.lists(st.sampled_from(["a", "b", "ab", " ", "<pad>", "<s>", "</s>", "<mask>", "<unk>"]), max_size=8),
    model=st.sampled_from(["BPE", "WordLevel"]),
)
def test_ids_of_added_tokens_equal_tokenizers_whatever_is_declared(
    parts: list[dict[str, Any]], text: list[str], model: str
) -> None:
    file = document(parts, model)
    ours, theirs = huggingface.read(file), tokenizers.Tokenizer.from_str(file)
    assert ours.ids("".join(text), special=True) == theirs.encode("".join(text)).ids
    assert {token.content: token.id for token in ours.added_tokens} == {
        token.content: id for id, token in theirs.get_added_tokens_decoder().items()
    }
    for part in parts:
        token = next(token for token in ours.added_tokens if token.content == part["content"])
        assert token.declared_id == (None if part["id"] == token.id else part["id"])


def test_a_token_listed_twice_has_one_id() -> None:
    file = document([added("<s>", 4), added("<s>", 5), added("<pad>", 6)])
    ours, theirs = huggingface.read(file), tokenizers.Tokenizer.from_str(file)
    assert ours.ids("a<s><pad>", special=True) == theirs.encode("a<s><pad>").ids == [1, 4, 5]


@pytest.mark.parametrize("ids", [{"<s>": 5}, {"<s>": 4, "<pad>": 6}, {"a": 2}])
def test_ids_that_could_not_be_read_back_are_not_written(ids: dict[str, int]) -> None:
    tokenizer = Tokenizer(WordLevel(list(VOCABULARY), unknown="<unk>"), special_tokens=ids)
    with pytest.raises(FormatError, match="cannot give"):
        huggingface.write(tokenizer)
