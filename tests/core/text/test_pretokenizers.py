"""Pre-tokenizers against `tokenizers`: pre-tokens and their offsets."""

from typing import Any

import pytest
from hypothesis import given
from tokenizers import Regex
from tokenizers import pre_tokenizers as theirs

from tests.core.texts import ASSIGNED, any_text
from webapp.core.text import pretokenizers as ours

BEHAVIORS = ["isolated", "removed", "merged_with_previous", "merged_with_next", "contiguous"]
PAIRS: list[tuple[ours.PreTokenizer, Any]] = [
    (ours.Whitespace(), theirs.Whitespace()),
    (ours.WhitespaceSplit(), theirs.WhitespaceSplit()),
    (ours.BertPreTokenizer(), theirs.BertPreTokenizer()),
    (ours.Metaspace(), theirs.Metaspace()),
    (ours.Metaspace(prepend=False), theirs.Metaspace(prepend_scheme="never")),
    *((ours.Punctuation(name), theirs.Punctuation(name)) for name in BEHAVIORS),  # type: ignore[arg-type]
    *((ours.Split("e|[0-9]+|é", name), theirs.Split(Regex("e|[0-9]+|é"), name)) for name in BEHAVIORS),  # type: ignore[arg-type]
    *((ours.Split("e|[0-9]+", name, True), theirs.Split(Regex("e|[0-9]+"), name, True)) for name in BEHAVIORS),  # type: ignore[arg-type]
    (
        ours.PreTokenizerSequence((ours.WhitespaceSplit(), ours.Punctuation())),
        theirs.Sequence([theirs.WhitespaceSplit(), theirs.Punctuation()]),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("our", "their"), PAIRS, ids=lambda one: repr(one)[:60])
@given(text=any_text)
def test_pretokens_equal_tokenizers(our: ours.PreTokenizer, their: Any, text: str) -> None:
    spans = our.spans(text)
    assert [pretoken for pretoken, _, _ in spans] == our.split(text)
    found = [(pretoken, (start, end)) for pretoken, start, end in spans]
    assert found == their.pre_tokenize_str(text)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["Whitespace", "WhitespaceSplit", "BertPreTokenizer"])
def test_every_code_point(name: str) -> None:
    our, their = getattr(ours, name)(), getattr(theirs, name)()
    for first in range(0, len(ASSIGNED), 5000):
        text = " ".join(f"a{chr(code)}b." for code in ASSIGNED[first : first + 5000])
        found = our.spans(text)
        assert [(pretoken, (start, end)) for pretoken, start, end in found] == their.pre_tokenize_str(text), hex(first)


@given(text=any_text)
def test_byte_level_splits_as_tokenizers(text: str) -> None:
    spans = ours.ByteLevel().spans(text)
    assert "".join(pretoken for pretoken, _, _ in spans) == text
    rival = theirs.ByteLevel(add_prefix_space=False)
    assert [(start, end) for _, start, end in spans] == [place for _, place in rival.pre_tokenize_str(text)]


def test_an_unknown_behavior_is_refused() -> None:
    with pytest.raises(ValueError, match="scattered"):
        ours.Split("a", "scattered")  # type: ignore[arg-type]
