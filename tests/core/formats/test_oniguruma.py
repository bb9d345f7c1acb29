"""Split patterns of published files, in Oniguruma's syntax, give the same pre-tokens as in `tokenizers`."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, pre_tokenizers

from tests.core.texts import ASSIGNED, HARD, any_text
from tests.properties import EXPENSIVE
from webapp.core.formats.checked_patterns import checked_pattern
from webapp.core.formats.huggingface_parts import read_pretokenizer
from webapp.core.formats.oniguruma import translated
from webapp.core.text.pretokenizers import PreTokenizer, PreTokenizerSequence
from webapp.core.text.split_patterns import CL100K, GPT2, O200K, QWEN, TEKKEN

UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
KIMI = "|".join(
    [
        r"[\p{Han}]+",
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)

PATTERNS = {
    "GPT-2": GPT2,
    "Llama 3": CL100K,
    "Qwen 2": QWEN,
    "GPT-4o": O200K,
    "Mistral": TEKKEN,
    "Kimi": KIMI,
    "DeepSeek numbers": r"\p{N}{1,3}",
    "DeepSeek ideographs": "[一-龥\u3040-ゟ゠-ヿ]+",
    "DeepSeek words": (
        r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"""
        r"""| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
    ),
    "DeepSeek coder": r"\s?\p{L}+|\s?\p{P}+|[一-龥ࠀ-一가-퟿]+|\p{N}",
    "DeepSeek line ends": "[\r\n]",
    "DeepSeek letters": r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-Ֆ𐐀-𐑏]+",
    "DeepSeek punctuation": r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
    "DeepSeek white space": r"\s+$",
    "GLM": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
        r"|\s+(?!\S)|\s+"
    ),
    "BLOOM": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "Falcon": "[0-9][0-9][0-9]",
    "CLIP": r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "digits from the right": r"\d{1,3}(?=(?:\d{3})*\b)",
    "MPT": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "Command R": r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "T5's runs": " {2,}",
    "dates": r"\d\d\d\d-\d\d|\d+[.,]\d+",
    "hexadecimal": r"\h+|\H",
    "line by line": r"^.|.$|\A\s|\s\z|\s\Z",
    "any character": r"(?m:e.)|(?m)a.|(?i)THE",
    "classes": r"[[:alpha:]]+|[[:^alpha:]&&[:space:]]|[a-z&&[^aeiou]]+",
    "nested": r"[a-f[0-9]]+|[^[:punct:]\s[x-z]]+",
    "properties": r"\p{Han}+|\p{Hiragana}|\p{Katakana}+|\p{Hangul}+|\p{Alpha}+|\p{^Alpha}",
    "scripts": r"\p{Latin}+|\p{Cyrillic}+|\p{Greek}+|\P{Latin}",
    "possessive": r"\p{L}++|\p{N}?+|\s*+\S",
    "atomic": r"(?>\p{L}+)\p{N}|(?<!e)e(?=l)",
    "words": r"\w+|[^\w\s]+",
    "no words": r"\W+|[\W\d]+",
    "word classes": r"[[:word:]]+|[^[:word:][:space:]]|\p{Word}",
    "matches of nothing": r"\p{N}?|e*|\s*\S",
    "places": r"(?=e)|(?<=\s)|$",
    "boundaries": r"\b",
    "no boundaries": r"\B",
    "word boundaries": r"\b\w|\B.",
    "white space": r"\s+|\S",
    "digits": r"\d+|\D",
    "white space in a class": r"[\s]+|[^\s\d]+",
    "escapes": r"\t|\x20|\u3000|[\x{3042}\n]|\-|\e",
    "brackets": r"[\[\]]|[()]+|[]a]|[^]a]",
}
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


@pytest.mark.parametrize("name", PATTERNS)
def test_published_patterns_are_accepted_as_harmless(name: str) -> None:
    assert checked_pattern(translated(PATTERNS[name]))
