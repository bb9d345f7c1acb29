"""Patterns without captures match what the originals match, and take little memory."""

import subprocess
import sys

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.text.pattern_matching import compiled
from webapp.core.text.split_patterns import PatternTimeoutError, SplitPattern

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
