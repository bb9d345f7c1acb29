"""The fast forms of the split patterns cut every text as the originals do."""

import sys

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.texts import HARD, any_text
from webapp.core.split_patterns import CL100K, GPT2, SplitPattern

PATTERNS = [GPT2, CL100K]
CONTEXTS = ["a{0}b {0}{0} 1", "1{0}2  {0}\r\n'{0}s", "'s{0}!{0}?\n{0}é \t{0}", "é{0}\u0301x  {0}'ll"]
# Letters, digits and marks end here, but for a few tags and variation selectors; behind come private planes.
ASSIGNED = [*range(0xD800), *range(0xE000, 0x32400), *range(0xE0000, 0xE0200)]
REST = [code for code in range(0x32400, sys.maxunicode + 1) if not 0xE0000 <= code < 0xE0200]


def original(pattern: str, text: str) -> list[str]:
    return [match[0] for match in regex.finditer(pattern, text)]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("context", CONTEXTS)
def test_every_code_point_in_context(pattern: str, context: str) -> None:
    """Many code points a text, each on a line of its own."""
    fast = SplitPattern(pattern)
    assert fast._fast is not None
    codes = ASSIGNED + REST if context == CONTEXTS[0] else ASSIGNED
    for first in range(0, len(codes), 2000):
        text = "z\n".join(context.format(chr(code)) for code in codes[first : first + 2000])
        assert fast.findall(text) == original(pattern, text), hex(codes[first])


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=500)
@given(text=any_text)
def test_hard_texts(pattern: str, text: str) -> None:
    fast = SplitPattern(pattern)
    found = fast.findall(text)
    assert found == original(pattern, text)
    assert "".join(found) == text
    assert [text[start:end] for start, end in fast.spans(text)] == found


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=500)
@given(
    text=st.lists(
        st.sampled_from(
            [" ", "  ", "\n", "a", "é", "1", "𝐀", "𝟘", "𠀀", "🎉", "'s", "!", "\x1c", "\x85", "\u0301", *HARD]
        ),
        max_size=30,
    ).map("".join)
)
def test_stretches_above_the_basic_plane(pattern: str, text: str) -> None:
    assert SplitPattern(pattern).findall(text) == original(pattern, text)


def test_any_other_pattern_is_run_as_it_is() -> None:
    assert SplitPattern(r"\p{L}+").findall("ab1cd") == ["ab", "cd"]
