"""Matches with empty ones among them, as a search that starts again after each empty match finds them."""

import sys
from random import Random
from time import thread_time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.text.pattern_matching import matched_spans
from webapp.core.text.split_patterns import PatternTimeoutError, SplitPattern

EMPTY = [
    "(?:)|x", "x|(?:)", "x*", "x*?", "(?=x)", "(?<=x)", r"\b", "^", "$", "(?m:^)", "(?m:$)", r"\Gx?", r"\G",
    r"(?<=x)y*", "(?!x)", "x*(?=y)", "(x)?y?", r"(x*)\1", "x{0,2}", "|x|y", "x|$", r"\s*", "(?=y)|x+", "(?>x*)", "x*+",
    "(?<!x)(?=y)", "[^x]*", r"(?|x|y*)", r"y*?(?=x|\Z)", "(?i)X*", "é?|(?=研)",
]  # fmt: skip
PARTS = [
    "",
    "x",
    "y",
    "x*",
    "y*?",
    "(?:)",
    "(?=x)",
    "(?<=y)",
    "$",
    r"\b",
    "[^x]",
    "x{0,2}",
    r"\G",
    "(?!y)",
    "(x|)",
    ".",
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
@given(text=st.text("xxyy a\né研"))
def test_the_spans_are_those_of_a_search_that_starts_again(source: str, text: str) -> None:
    pattern = regex.compile(source)
    assert matched_spans(pattern, text, 0, lambda: None) == restarted(pattern, text)


@given(random=st.integers(0, 1 << 32).map(Random), text=st.text("xxyy a"))
def test_random_patterns(random: Random, text: str) -> None:
    branches = ["".join(random.choices(PARTS, k=random.randint(1, 3))) for _ in range(random.randint(1, 3))]
    try:
        pattern = regex.compile("|".join(branches))
    except regex.error:  # several repeats
        return
    assert matched_spans(pattern, text, 3, lambda: None) == [
        (start + 3, end + 3) for start, end in restarted(pattern, text)
    ]


@pytest.mark.parametrize("source", ["x*", r"(?=\w)"])
def test_half_a_megabyte_of_empty_matches_is_split_within_its_time(source: str) -> None:
    began = thread_time()
    assert len(SplitPattern(source).spans("a" * (1 << 19))) >= 1 << 19
    assert thread_time() - began < 2.5


def test_the_time_limit_holds_between_empty_matches() -> None:
    with pytest.raises(TimeoutError):
        matched_spans(regex.compile(r"(?=a)|(?:\w|\w)+?!"), "b" * 1000 + " !", 0, lambda: 0.01)
    with pytest.raises(PatternTimeoutError):
        SplitPattern(r"(?:\w|\w\w)+?!").findall("b" * 1000 + " !")
