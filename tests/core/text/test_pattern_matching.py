"""Split patterns: captures, empty matches, and fast forms of known patterns."""

import subprocess
import sys
from contextlib import suppress
from random import Random
from time import thread_time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.core.texts import ASSIGNED, DIFFERENT, HARD, REST, any_text
from webapp.core.text.pattern_matching import compiled, matched_spans
from webapp.core.text.split_patterns import CL100K, GPT2, KNOWN, O200K, PatternTimeoutError, SplitPattern
from webapp.core.text.unicode_tables import as_unicode_16

NESTED = "(?:" + "(" * 90 + "a" + ")" * 90 + ")*"
ATOMS = [
    *("a", "b", r"\(", r"\\", r"\[", ".", "[(]", "[](]", "[^(]", r"[\](a]", "[[:alpha:](]", "[[:script=greek:](]"),
    *("(?<=a)", "(?<!b)", "(?=a)", "(?!b)", r"\p{L}", "[a[(]", "[[a](]", "[a&&[(a]]", "(?i)", "(?V1)", "(?#(])"),
]
WRAPPED = ["({})", "(?P<n>{})", "(?<m>{})", "(?:{})*", "(?i:{})+", "(?>{})", "({})?", "({}|{})", "{}{}"]
patterns = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.builds(lambda form, one, two: form.format(one, two), st.sampled_from(WRAPPED), inner, inner),
    max_leaves=8,
)


@given(patterns, st.text("ab()[]\\:A1", max_size=12))
def test_without_captures_a_pattern_matches_the_same(source: str, text: str) -> None:
    try:
        original = regex.compile(source)
    except regex.error:
        return
    assert [match.span() for match in compiled(source).finditer(text)] == [
        match.span() for match in original.finditer(text)
    ]


@pytest.mark.parametrize("source", [r"(a)\1", "(?P<x>a)(?P=x)", "(a)?(?(1)b|c)", r"(?|(a)|(b))\1", "(?x)(a) # ("])
def test_groups_that_are_referred_to_stay(source: str) -> None:
    assert compiled(source) == regex.compile(source)


@pytest.mark.parametrize("source", [NESTED, "(?V1)" + NESTED, NESTED.replace("((", "(?P<n>(", 1)])
def test_groups_in_a_loop_take_no_memory(source: str) -> None:
    assert SplitPattern(source).findall("a" * 85_000) == ["a" * 85_000]
    assert not compiled(source).groups


def test_captures_that_are_needed_are_bounded() -> None:
    source = NESTED + r"(b\1)?"
    assert SplitPattern(source).findall("a" * 5_000)[0] == "a" * 5_000
    with pytest.raises(PatternTimeoutError):
        SplitPattern(source).findall("a" * 85_000)


def test_a_pattern_without_memory_is_one_that_times_out() -> None:
    """In a process of its own, which may take 20 MB more than it has."""
    script = (
        "import resource\n"
        "from webapp.core.text.split_patterns import PatternTimeoutError, SplitPattern\n"
        "pattern = SplitPattern('(?:(?:(?:a?)*?)*?)*?b|a')\n"
        "pattern.findall('a')\n"
        "used = int(next(line for line in open('/proc/self/status') if line.startswith('VmData')).split()[1]) << 10\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (used + (20 << 20),) * 2)\n"
        "try:\n"
        "    pattern.findall('a' * 1_000_000)\n"
        "except PatternTimeoutError:\n"
        "    print('refused')\n"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert told.stdout == "refused\n"


EMPTY = [
    "(?:)|x", "x|(?:)", "x*", "x*?", "(?=x)", "(?<=x)", r"\b", "^", "$", "(?m:^)", "(?m:$)", r"\Gx?", r"\G",
    r"(?<=x)y*", "(?!x)", "x*(?=y)", "(x)?y?", r"(x*)\1", "x{0,2}", "|x|y", "x|$", r"\s*", "(?=y)|x+", "(?>x*)", "x*+",
    "(?<!x)(?=y)", "[^x]*", r"(?|x|y*)", r"y*?(?=x|\Z)", "(?i)X*", "é?|(?=研)",
]  # fmt: skip
PARTS = [
    "",
    *[
        r"x",
        r"y",
        r"x*",
        r"y*?",
        r"(?:)",
        r"(?=x)",
        r"(?<=y)",
        r"$",
        r"\b",
        r"[^x]",
        r"x{0,2}",
        r"\G",
        r"(?!y)",
        r"(x|)",
        r".",
    ],
]


def restarted(pattern: regex.Pattern[str], text: str) -> list[tuple[int, int]]:
    """The definition: after an empty match, search again from the next character; no empty match after another one."""
    spans: list[tuple[int, int]] = []
    position, last = 0, -1
    while position <= len(text):
        following = sys.maxsize
        for match in pattern.finditer(text, position):
            start, end = match.span()
            if start < end or start != last:
                spans.append((start, end))
            last = end
            if start == end:
                following = start + 1
                break
        position = following
    return spans


@pytest.mark.parametrize("source", EMPTY)
@given(text=st.text("xxyy a\né研"), random=st.integers(0, 1 << 32).map(Random))
def test_the_spans_are_those_of_a_search_that_starts_again(source: str, text: str, random: Random) -> None:
    branches = ["".join(random.choices(PARTS, k=random.randint(1, 3))) for _ in range(random.randint(1, 3))]
    for each in (source, "|".join(branches)):
        with suppress(regex.error):  # several repeats
            pattern = regex.compile(each)
            found = [(start + 3, end + 3) for start, end in restarted(pattern, text)]
            assert matched_spans(pattern, text, 3, lambda: None) == found


@pytest.mark.parametrize("source", ["x*", r"(?=\w)"])
def test_half_a_megabyte_of_empty_matches_is_split_within_its_time(source: str) -> None:
    began = thread_time()
    assert len(SplitPattern(source).spans("a" * (1 << 19))) >= 1 << 19
    assert thread_time() - began < 2.5


def test_the_time_limit_holds_between_empty_matches() -> None:
    with pytest.raises(TimeoutError):
        matched_spans(regex.compile(r"(?=a)|(?:\w|\w)+?!"), "b" * 1000 + " !", 0, lambda: 0.01)
    with pytest.raises(PatternTimeoutError, match=r"\(\?:.*\+\?!"):
        SplitPattern(r"(?:\w|\w\w)+?!").findall("b" * 1000 + " !")


CONTEXTS = ["a{0}b {0}{0}1 {0}\r\n'{0}s", "{0}Ab{0}AB{0}/\n{0}"]
CUT = [*" \naBÉéǅ1𝐀𝐚𝟘𠀀🎉!/\x1c\x85\u0301\U0001e000\u02b0研ʕ\u1c8a\u0558\U00033000", "  ", "'s", "'S"]
texts_to_cut = st.lists(st.sampled_from(CUT) | st.sampled_from(HARD), max_size=30).map("".join)
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
    codes = ASSIGNED + REST if pattern == O200K and context == CONTEXTS[1] else DIFFERENT
    for first in range(0, len(codes), 2000):
        text = "z\n".join(context.format(chr(code)) for code in codes[first : first + 2000])
        assert fast.findall(text) == original(pattern, text), hex(codes[first])


@pytest.mark.parametrize("pattern", KNOWN)
@given(text=any_text | texts_to_cut | words_of_marks)
def test_difficult_texts(pattern: str, text: str) -> None:
    fast = SplitPattern(pattern)
    found = fast.findall(text)
    assert found == original(pattern, text)
    assert "".join(found) == text
    assert [text[start:end] for start, end in fast.spans(text)] == found


def test_an_unknown_pattern_is_run_unchanged() -> None:
    assert SplitPattern(r"\p{L}+").findall("ab1cd") == ["ab", "cd"]
    assert SplitPattern(r"\p{L}+").findall("ab\u088fcd") == ["ab", "cd"], "a letter since Unicode 17"


def test_a_pattern_slow_on_every_word_has_one_time_limit_for_the_text() -> None:
    slow = SplitPattern(r"(研究|研|究)+!")
    words = [f"{'研究' * 11}{number}!" for number in range(2_000)]
    with pytest.raises(PatternTimeoutError):
        list(map(slow.findall, words))
    with pytest.raises(PatternTimeoutError):
        slow.findall("研究" * 11 + "?!")
    assert SplitPattern(r"(研究|研|究)+!").findall("研究!") == ["研究!"]
