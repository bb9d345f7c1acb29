"""The fast forms of the split patterns split every text as the originals do."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import ASSIGNED, HARD, REST, any_text
from webapp.core.text.split_patterns import CL100K, GPT2, KNOWN, O200K, PatternTimeoutError, SplitPattern
from webapp.core.text.unicode_tables import as_unicode_16

CONTEXTS = ["a{0}b {0}{0}1 {0}\r\n'{0}s", "{0}Ab{0}AB{0}/\n{0}"]
texts_to_cut = st.lists(
    st.one_of(
        st.sampled_from(
            [" ", "  ", "\n", "a", "B", "É", "é", "ǅ", "1", "𝐀", "𝐚", "𝟘", "𠀀", "🎉", "'s", "'S", "!", "/"]
        ),
        st.sampled_from(
            ["\x1c", "\x85", "\u0301", "\U0001e000", "\u02b0", "研", "ʕ", "\u1c8a", "\u0558", "\U00033000"]
        ),
        st.sampled_from(HARD),
    ),
    max_size=30,
).map("".join)


words_of_marks = st.text(st.sampled_from("aAéÉǅʰ研\u0301\u0323 '\nsS1/!𝐀𝐚𠀀ſ"), max_size=24)


def original(pattern: str, text: str) -> list[str]:
    return [text[slice(*match.span())] for match in regex.finditer(pattern, as_unicode_16(text))]


# Every pattern in one context; in the other one pattern per family, as the rest are spelled alike.
IN_CONTEXT = [(pattern, CONTEXTS[1]) for pattern in KNOWN] + [
    (pattern, CONTEXTS[0]) for pattern in (GPT2, CL100K, O200K)
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("pattern", "context"), IN_CONTEXT)
def test_every_code_point_in_context(pattern: str, context: str) -> None:
    """Test many code points in one text, each on a line of its own."""
    fast = SplitPattern(pattern)
    assert fast._fast is not None
    codes = ASSIGNED + REST if pattern == O200K and context == CONTEXTS[1] else ASSIGNED
    for first in range(0, len(codes), 2000):
        text = "z\n".join(context.format(chr(code)) for code in codes[first : first + 2000])
        assert fast.findall(text) == original(pattern, text), hex(codes[first])


@pytest.mark.parametrize("pattern", KNOWN)
@given(
    text=st.one_of(any_text, texts_to_cut, st.text(st.sampled_from("aAéÉǅʰ研\u0301\u0323 '\nsS1/!𝐀𝐚𠀀ſ"), max_size=24))
)
def test_difficult_texts(pattern: str, text: str) -> None:
    fast = SplitPattern(pattern)
    found = fast.findall(text)
    assert found == original(pattern, text)
    assert "".join(found) == text
    assert [text[start:end] for start, end in fast.spans(text)] == found


def test_an_unknown_pattern_is_run_unchanged() -> None:
    assert SplitPattern(r"\p{L}+").findall("ab1cd") == ["ab", "cd"]
    assert SplitPattern(r"\p{L}+").findall("ab\u088fcd") == ["ab", "cd"], "a letter since Unicode 17"


def test_a_pattern_that_backtracks_without_end_times_out() -> None:
    with pytest.raises(PatternTimeoutError, match=r"\(a\+\)\+\$"):
        SplitPattern(r"(a+)+$").findall("a" * 3000 + "!")


def test_a_pattern_slow_on_every_word_has_one_time_limit_for_the_text() -> None:
    slow = SplitPattern(r"(研究|研|究)+!")
    words = [f"{'研究' * 11}{number}!" for number in range(2_000)]
    with pytest.raises(PatternTimeoutError):
        list(map(slow.findall, words))
    with pytest.raises(PatternTimeoutError):
        slow.findall("研究" * 11 + "?!")
    assert SplitPattern(r"(研究|研|究)+!").findall("研究!") == ["研究!"]
