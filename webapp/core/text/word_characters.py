r"""Runs of word characters as in Rust's `\w+`."""

from __future__ import annotations

import re
from functools import cache

import regex

from webapp.core.text.split_patterns import WHITE_SPACE, basic_ranges, is_basic
from webapp.core.text.unicode_tables import as_unicode_16

WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d"
"""Unicode's definition of a word character (Technical Standard 18, annex C), wider than that of Python's `re`."""


def runs(text: str) -> list[tuple[int, int]]:
    r"""The ranges of runs of word characters, and of runs of all other characters except white space: `\w+|[^\w\s]+`.

    >>> runs("Let's go")
    [(0, 3), (3, 4), (4, 5), (6, 8)]
    """
    if is_basic(text):
        return [run.span() for run in _fast_runs().finditer(text)]
    # Above the Basic Multilingual Plane the standard `re` would need ranges that make it slow.
    return [run.span() for run in _EXACT_RUNS.finditer(as_unicode_16(text))]


def texts_of_runs(text: str) -> list[str]:
    """The texts of `runs`."""
    return _fast_runs().findall(text) if is_basic(text) else [text[start:end] for start, end in runs(text)]


def is_word(character: str) -> bool:
    """Whether a character is a word character; False for the empty string.

    >>> is_word("é"), is_word("-"), is_word("")
    (True, False, False)
    """
    return _CHARACTER.match(as_unicode_16(character)) is not None


_EXACT_RUNS = regex.compile(rf"[{WORD}]++|[^{WORD}{WHITE_SPACE}]++")
_CHARACTER = regex.compile(f"[{WORD}]")


@cache
def _fast_runs() -> re.Pattern[str]:
    word = basic_ranges(WORD)
    return re.compile(f"[{word}]++|[^{word}{WHITE_SPACE}]++")
