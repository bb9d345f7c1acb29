"""Split patterns that come from outside: checked before a text is cut by one."""

from __future__ import annotations

import time
from itertools import product

import regex

from webapp.core.formats.fields import FormatError
from webapp.core.formats.limits import shown
from webapp.core.split_patterns import KNOWN

LONGEST = 5_000
"""Characters; published patterns have some 300."""

# What makes a pattern of nested repeats try without end: long runs with a character at the end that does not fit.
_RUNS = ("a", "A", "1", " ", "\n", "!", "é", "ab1 ", "研", "\u0301")
_SECONDS = 0.7  # for all of them together


def checked_pattern(source: str) -> str:
    """The pattern itself, if `regex` can compile it and it comes to an end on long runs of the same.

    >>> checked_pattern(r"(a+)+$")
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: the split pattern '(a+)+$' comes to no end on a run of 'a'
    >>> checked_pattern(r"\\p{L}+|(")
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: the split pattern '\\\\p{L}+|(' cannot be compiled: missing ) at position 8

    No test can prove a pattern harmless; one that passes is run with a time limit all the same.
    """
    if source in KNOWN:
        return source
    if len(source) > LONGEST:
        raise FormatError(f"the split pattern has {len(source):,} characters; {LONGEST:,} are allowed")
    try:
        pattern = regex.compile(source)
    except (regex.error, RecursionError, OverflowError, ValueError, MemoryError) as error:
        raise FormatError(f"the split pattern {shown(source)} cannot be compiled: {error}") from None
    deadline = time.monotonic() + _SECONDS
    for run, end in product(_RUNS, ("", "~", "\x00")):
        try:
            for _ in pattern.finditer(run * 3_000 + end, timeout=max(deadline - time.monotonic(), 0.001)):
                pass
        except TimeoutError:
            raise FormatError(f"the split pattern {shown(source)} comes to no end on a run of {run!r}") from None
    return source
