"""The alternatives of split patterns."""

from __future__ import annotations

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.texts import CORPUS, HARD, any_text
from webapp.core.analysis.pattern_alternatives import PatternAlternatives
from webapp.core.text.split_patterns import KNOWN, SUPERWORDS, SplitPattern
from webapp.core.text.unicode_tables import as_unicode_16

PATTERNS = [
    *KNOWN,
    SUPERWORDS,
    r"(?i)the|a(?=b|c)|[^\]|]+",
    r"(?:\p{L}+|\d)",
    r"(?V1)[\p{L}--[a-z||A-Z]]|[a-z]+|.",
    "a|",
]


def check(source: str, text: str) -> None:
    """Each match is that of the named alternative, and no alternative before it matches there."""
    pattern = PatternAlternatives(source)
    known = as_unicode_16(text)
    alone = [regex.compile(pattern.flags + alternative) for alternative in pattern.alternatives]
    found = pattern.matches(text)
    assert [(start, end) for start, end, _ in found] == SplitPattern(source).spans(text)
    for start, end, number in found:
        ends = [each.match(known, start) for each in alone[: number + 1]]
        assert all(match is None for match in ends[:-1])
        assert ends[-1] is not None
        assert ends[-1].end() == end
    whole = regex.compile(pattern.flags + "|".join(f"(?:{each})" for each in pattern.alternatives))
    assert [match.span() for match in whole.finditer(known)] == [
        match.span() for match in regex.compile(source).finditer(known)
    ]


@pytest.mark.parametrize("source", PATTERNS)
@given(text=any_text)
@example(text=CORPUS[: len(CORPUS) // 3] + " ".join(HARD))
def test_the_alternatives_of_any_text_together_are_the_pattern(source: str, text: str) -> None:
    assert len(PatternAlternatives(source).alternatives) > 1
    check(source, text)


# fmt: off
atoms = st.sampled_from([
    "a", "b", r"\|", r"\\", "[|]", "[^]|]", "[a-z]", r"\p{L}", "(a|b)", "(?:a|(b|c))", "(?i:a|B)", "(?#x|)", "(?=a|b)",
    r"\(", r"\[", "[[:alpha:]|]", "a{1,2}", "a++", "[()]", "|", "|", " ", r"\s+(?!\S)", "$", r"\x7c", "(?<!a|b)",
])
DEPENDENT = [r"(a)\1|b", r"(x)?(?(1)a|b)|c", r"a(*PRUNE)b|ac", "a|(?i)b", "(?x)a|b # |c", r"a\Kb|c"]
# fmt: on


@given(source=st.lists(atoms, min_size=1, max_size=8).map("".join), text=st.text("abB|\\[]() z\n", max_size=30))
def test_patterns_of_any_form_are_equal_to_their_alternatives(source: str, text: str) -> None:
    check(source, text)


@pytest.mark.parametrize("source", DEPENDENT)
def test_a_pattern_whose_alternatives_depend_on_each_other_is_one(source: str) -> None:
    assert len(PatternAlternatives(source).alternatives) == 1
    assert all(number == 0 for *_, number in PatternAlternatives(source).matches("aab bc"))


@pytest.mark.parametrize("source", ["|" * 5_000, "a|" * 2_500, "(" * 100 + "|" + ")" * 100, "[" + "|" * 900 + "]|a"])
def test_long_patterns_are_read_once(source: str) -> None:
    assert len(PatternAlternatives(source).alternatives) in (1, 2)
