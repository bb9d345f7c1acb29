"""Split patterns that come from outside: checked before a text is cut by one."""

from __future__ import annotations

import re
import time
from itertools import product
from math import prod

import regex

from webapp.core.formats.fields import FormatError
from webapp.core.text.split_patterns import KNOWN
from webapp.core.vocabulary_error import shown

LONGEST, LONGEST_OUTSIDE = 5_000, 1_000
"""Characters in all, and outside of classes; published patterns have some 300, a few of them long lists of letters."""

MOST_REPEATS = 1_000
"""How often a part may be asked for at the least (`{1000}`), repeats in repeats multiplied."""

# What makes a pattern of nested repeats try without end: long runs with a character at the end that does not fit.
_RUNS = ("a", "A", "1", " ", "\n", "!", "é", "ab1 ", "研", "\u0301")
_SECONDS = 0.7  # of processor time for all of them together: what `regex` measures, too


def checked_pattern(source: str) -> str:
    """The pattern itself, if `regex` can compile it and it comes to an end on long runs of the same.

    >>> checked_pattern(r"(a+)+$")
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: the split pattern '(a+)+$' comes to no end on a run of 'a'
    >>> checked_pattern(r"\\p{L}+|(")
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: the split pattern '\\\\p{L}+|(' cannot be compiled: missing ) at position 8

    No test can prove a pattern harmless; one that passes is run with a time limit all the same. Three kinds of harm no
    time limit prevents, and these are refused by their looks: `regex` writes `a{9999999}` out when it compiles,
    hundreds of bytes a time; it prepares the search for a literal text in time that grows with the third power of its
    length; and a pattern that calls itself fills a gigabyte a second.
    """
    if source in KNOWN:
        return source
    check_length(source)
    if _CALL.search(source):
        raise FormatError("the split pattern %(source)s calls itself or one of its groups", source=shown(source))
    if _repeats(source) > MOST_REPEATS:
        raise FormatError(
            "the split pattern %(source)s asks for a part more than %(most)s times",
            source=shown(source),
            most=f"{MOST_REPEATS:,}",
        )
    try:
        pattern = regex.compile(source)
    except (regex.error, RecursionError, OverflowError, ValueError, MemoryError) as error:
        raise FormatError(
            "the split pattern %(source)s cannot be compiled: %(error)s", source=shown(source), error=str(error)
        ) from None
    deadline = time.thread_time() + _SECONDS
    # What the pattern cannot do without is in the pattern: a text without it would not be tried at all.
    for run, end in product(_RUNS, ("", "~" + source, "\x00")):
        try:
            for _ in pattern.finditer(run * 3_000 + end, timeout=max(deadline - time.thread_time(), 0.001)):
                pass
        except (TimeoutError, MemoryError):
            raise FormatError(
                "the split pattern %(source)s comes to no end on a run of %(run)s", source=shown(source), run=shown(run)
            ) from None
    return source


def check_length(source: str) -> None:
    """Raises FormatError for a pattern, or a text to be looked for, that is too long."""
    if len(source) > LONGEST:
        raise FormatError(
            "the pattern has %(count)s characters; %(most)s are allowed", count=f"{len(source):,}", most=f"{LONGEST:,}"
        )
    outside = source if _COMMENTED.search(source) else _CLASS.sub("x", source)
    if len(outside) > LONGEST_OUTSIDE:
        raise FormatError(
            "the pattern has %(count)s characters outside of classes; %(most)s are allowed",
            count=f"{len(outside):,}",
            most=f"{LONGEST_OUTSIDE:,}",
        )


def _repeats(source: str) -> int:
    """How often a part of the pattern is repeated at the least, or more often than that.

    >>> _repeats("(?:a{20}|b{5,}){3}|c{1,9}"), _repeats("a{9999999999}")
    (300, 9999999999)
    """
    counts = [(int(found[1] or 0), int(found[2] or 0)) for found in _COUNT.finditer(source)]
    most = max((max(count) for count in counts), default=0)
    # Oniguruma takes no larger ones.
    return most if most > 100_000 else prod(max(least, 1) for least, _ in counts)


_CALL = re.compile(r"\(\?(?:R|&|P>|[+-]?[0-9])")
_CLASS = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]", re.DOTALL)
# Where a bracket may stand in a comment, nothing is taken for a class.
_COMMENTED = re.compile(r"\(\?(?:#|[a-zA-Z]*x)")
_COUNT = re.compile(r"(?<!\\x)\{(\d{0,20})\d*(?:,(\d{0,20})\d*)?\}")
