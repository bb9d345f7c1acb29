"""Split patterns of published files, in Oniguruma's syntax, give the same pre-tokens as in `tokenizers`."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from tests.core.texts import ASSIGNED, HARD, any_text
from tests.properties import EXPENSIVE
from webapp.core.formats.huggingface_parts import read_pretokenizer
from webapp.core.text.pretokenizers import PreTokenizer, PreTokenizerSequence
from webapp.core.text.split_patterns import CL100K, GPT2, O200K, QWEN, TEKKEN

PATTERNS: dict[str, str] = {
    "GPT-2": GPT2, "Llama 3": CL100K, "Qwen 2": QWEN, "GPT-4o": O200K, "Mistral": TEKKEN,
    **tomllib.loads(Path(__file__).with_name("oniguruma_patterns.toml").read_text(encoding="utf-8")),
}  # fmt: skip
texts = st.one_of(
    any_text,
    st.lists(st.sampled_from([*HARD, "1234567", "2024-01", "한국어", "かな", "カナ", "[", "]", "(", "-", "a", "E"]),
             max_size=16).map("".join),
)  # fmt: skip


@cache
def both(*patterns: str, behavior: str = "Isolated") -> tuple[PreTokenizer, Any]:
    parts = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False} for pattern in patterns
    ]
    ours = read_pretokenizer({"type": "Sequence", "pretokenizers": parts})
    name = {"Isolated": "isolated", "Removed": "removed"}[behavior]
    theirs = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), name) for pattern in patterns])
    return PreTokenizerSequence(tuple(ours)), theirs


@pytest.fixture(scope="module", params=PATTERNS)
def pair(request: pytest.FixtureRequest) -> tuple[PreTokenizer, Any]:
    return both(PATTERNS[request.param])


def assert_same(pair: tuple[PreTokenizer, Any], text: str) -> None:
    ours, theirs = pair
    assert [(pretoken, (start, end)) for pretoken, start, end in ours.spans(text)] == theirs.pre_tokenize_str(text)


@EXPENSIVE
@given(text=texts)
def test_published_patterns_split_as_in_tokenizers(pair: tuple[PreTokenizer, Any], text: str) -> None:
    assert_same(pair, text)


@pytest.mark.exhaustive
def test_every_code_point(pair: tuple[PreTokenizer, Any]) -> None:
    for first in range(0, len(ASSIGNED), 20_000):
        assert_same(pair, " ".join(f"a{chr(code)}" for code in ASSIGNED[first : first + 20_000 : 7]))


SEQUENCES = {
    "DeepSeek": [PATTERNS[f"DeepSeek {name}"] for name in ("numbers", "ideographs", "words")],
    "DeepSeek LLM": [
        PATTERNS[f"DeepSeek {name}"] for name in ("line ends", "letters", "punctuation", "white space", "ideographs")
    ],
}


@pytest.mark.parametrize("name", SEQUENCES)
@given(text=texts)
def test_published_sequences_split_as_in_tokenizers(name: str, text: str) -> None:
    assert_same(both(*SEQUENCES[name]), text)


@EXPENSIVE
@given(text=texts, name=st.sampled_from(sorted(PATTERNS)))
def test_matches_can_be_removed(text: str, name: str) -> None:
    assert_same(both(PATTERNS[name], behavior="Removed"), text)
