"""Safety checks for split patterns that come from uploaded files.

`translated` turns them from Oniguruma's Ruby syntax, which Hugging Face's `tokenizers` uses, to that of `regex`.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import product
from math import prod

import regex

from webapp.core.formats.reading import FormatError
from webapp.core.text.pattern_matching import TimeBudget, compiled
from webapp.core.text.split_patterns import CL100K, CL100K_BASE, GPT2, KNOWN, R50K_BASE
from webapp.core.vocabulary_error import shown

LONGEST, LONGEST_OUTSIDE = 5_000, 1_000
"""Limits in characters: for the whole pattern, and for what lies outside character classes.

Published patterns have about 300; a few contain long lists of letters.
"""

LONGEST_SOURCE = 4 * LONGEST
"""Limit in characters for a pattern in another syntax, which is checked before its translation."""

LONGEST_TOGETHER = 25_000
"""Limit in characters for all patterns of a file."""

MOST_REPEATS = 1_000
"""Limit for a minimum repeat count (`{1000}`); nested repeats multiply."""

# Long runs with a character at the end that does not match make nested repeats backtrack catastrophically.
_RUNS = ("a", "A", "1", " ", "\n", "!", "é", "ab1 ", "研", "\u0301")
# Of processor time, for the runs of one pattern and for those of all patterns of a file; `regex` measures it as well.
_SECONDS, _SECONDS_TOGETHER = 0.7, 1.4


@dataclass
class _Together:
    """What the patterns of a file have in common: their length, the time of their checks, the budget they run with."""

    characters: int = 0
    seconds: float = 0.0
    checked: set[str] = field(default_factory=set)
    budget: TimeBudget = field(default_factory=TimeBudget)


_together: ContextVar[_Together | None] = ContextVar("_together", default=None)


@contextmanager
def patterns_of_one_file() -> Iterator[None]:
    """Check the patterns inside under limits for all together, and give those that run one budget (`common_budget`)."""
    token = _together.set(_Together())
    try:
        yield
    finally:
        _together.reset(token)


def common_budget(source: str) -> TimeBudget | None:
    """The time budget of the patterns of the file that is being read, with one more of them.

    None outside of a file, and for a pattern that runs without a limit: a known one, or a single character.
    """
    together = _together.get()
    if together is None or source in KNOWN or len(source) == 1:
        return None
    together.budget.patterns += 1
    return together.budget


def checked_pattern(source: str) -> str:
    """Return the pattern if `regex` can compile it and it finishes on long runs of one character.

    >>> checked_pattern(r"(a+)+$")
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: the split pattern '(a+)+$' times out on a run of 'a'
    >>> checked_pattern(r"\\p{L}+|(")
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: the split pattern '\\\\p{L}+|(' cannot be compiled: missing ) at position 8

    No test can prove a pattern harmless, so a pattern that passes still runs with a time limit. A time limit does not
    prevent three kinds of harm, which are rejected by inspecting the source: `regex` expands `a{9999999}` when it
    compiles, hundreds of bytes for each repetition; preparing the search for a literal takes time cubic in its length;
    and a recursive pattern allocates a gigabyte a second.

    Raises FormatError for a pattern that fails a check, or if the patterns of a file fail one together.
    """
    together = _together.get() or _Together()
    if source in KNOWN or source in together.checked:
        return source
    check_length(source)
    started = time.thread_time()
    try:
        _check(source, started + min(_SECONDS, _SECONDS_TOGETHER - together.seconds))
    finally:
        together.seconds += time.thread_time() - started
    together.checked.add(source)
    return source


def check_source(source: str) -> None:
    """Raise FormatError for a pattern that is too long to be translated from another syntax.

    >>> check_source("a|" * 4_000_000)
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: the pattern has 8,000,000 characters; at most 5,000 are allowed
    """
    if len(source) > LONGEST_SOURCE:
        raise _too_long(len(source))


def _check(source: str, deadline: float) -> None:
    if _CALL.search(source):
        raise FormatError("the split pattern %(source)s calls itself or one of its groups", source=shown(source))
    if _repeats(source) > MOST_REPEATS:
        raise FormatError(
            "the split pattern %(source)s repeats a part more than %(most)s times",
            source=shown(source),
            most=f"{MOST_REPEATS:,}",
        )
    try:
        pattern = compiled(source)
    except (regex.error, RecursionError, OverflowError, ValueError, MemoryError) as error:
        raise FormatError(
            "the split pattern %(source)s cannot be compiled: %(error)s", source=shown(source), error=str(error)
        ) from None
    # `regex` skips a text that lacks a literal which the pattern requires; appending the source supplies every literal.
    for run, end in product(_RUNS, ("", "~" + source, "\x00")):
        try:
            for _ in pattern.finditer(run * 3_000 + end, timeout=max(deadline - time.thread_time(), 0.001)):
                pass
        except (TimeoutError, MemoryError):
            raise FormatError(
                "the split pattern %(source)s times out on a run of %(run)s", source=shown(source), run=shown(run)
            ) from None


def check_length(source: str) -> None:
    """Raise FormatError for a pattern or literal that is too long, alone or with the others of its file."""
    if len(source) > LONGEST:
        raise _too_long(len(source))
    outside = source if _COMMENTED.search(source) else _CLASS.sub("x", source)
    if len(outside) > LONGEST_OUTSIDE:
        raise FormatError(
            "the pattern has %(count)s characters outside character classes; at most %(most)s are allowed",
            count=f"{len(outside):,}",
            most=f"{LONGEST_OUTSIDE:,}",
        )
    if (together := _together.get()) is not None:
        together.characters += len(source)
        if together.characters > LONGEST_TOGETHER:
            raise FormatError("the patterns have more than %(most)s characters together", most=f"{LONGEST_TOGETHER:,}")


def _too_long(length: int) -> FormatError:
    return FormatError(
        "the pattern has %(count)s characters; at most %(most)s are allowed", count=f"{length:,}", most=f"{LONGEST:,}"
    )


def _repeats(source: str) -> int:
    """Return an upper bound for the minimum number of times that a part of the pattern repeats.

    >>> _repeats("(?:a{20}|b{5,}){3}|c{1,9}"), _repeats("a{9999999999}")
    (300, 9999999999)
    """
    counts = [(int(found[1] or 0), int(found[2] or 0)) for found in _COUNT.finditer(source)]
    most = max((max(count) for count in counts), default=0)
    # Oniguruma accepts no larger counts.
    return most if most > 100_000 else prod(max(least, 1) for least, _ in counts)


_CALL = re.compile(r"\(\?(?:R|&|P>|[+-]?[0-9])")
_CLASS = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]", re.DOTALL)
# If the pattern may contain comments, a bracket can be part of one, so nothing counts as a class.
_COMMENTED = re.compile(r"\(\?(?:#|[a-zA-Z]*x)")
_COUNT = re.compile(r"(?<!\\x)\{(\d{0,20})\d*(?:,(\d{0,20})\d*)?\}")


# Oniguruma's word characters, which differ slightly from Unicode's; outside a class they include `²³¹¼½¾`.
_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
_WORDS = rf"{_WORD}²³¹¼½¾"

# Constructs that differ, outside and inside a class. In Ruby, `^` and `$` match at every line.
_OUTSIDE = {
    "^": "(?m:^)",
    "$": "(?m:$)",
    r"\z": r"\Z",
    r"\Z": r"(?=\n?\Z)",
    r"\h": "[0-9a-fA-F]",
    r"\H": "[^0-9a-fA-F]",
    r"\w": f"[{_WORDS}]",
    r"\W": f"[^{_WORDS}]",
    r"\b": rf"(?:(?<=[{_WORDS}])(?![{_WORDS}])|(?<![{_WORDS}])(?=[{_WORDS}]))",
    r"\B": rf"(?:(?<=[{_WORDS}])(?=[{_WORDS}])|(?<![{_WORDS}])(?![{_WORDS}]))",
    r"\e": r"\x1b",
    r"\N": r"[^\n]",
    r"\O": "(?s:.)",
}
_INSIDE = {
    r"\h": "0-9a-fA-F",
    r"\H": "[^0-9a-fA-F]",
    r"\w": _WORD,
    r"\W": f"[^{_WORD}]",
    r"\e": r"\x1b",
    "[:word:]": _WORD,
    "[:^word:]": f"[^{_WORD}]",
    "[:punct:]": r"\p{P}\p{S}",
    "[:^punct:]": r"[^\p{P}\p{S}]",
}

_PARTS = regex.compile(
    r"\\x\{\s*(?P<code>[0-9a-fA-F]{1,6})\s*\}|\\[pP]\{[^{}]*\}|\\.|(?P<posix>\[:\^?\w+:\])|\(\?[a-z-]*[:)]|\[\^?\]?|\]|.",
    regex.DOTALL,
)


_SPELLED = {
    R50K_BASE: GPT2,
    CL100K_BASE: CL100K.replace(r"|\s*[\r\n]+|\s+(?!\S)|\s+", r"|\s+\z|\s*[\r\n]|\s+(?!\S)|\s"),
}
"""`tiktoken`'s patterns without what Oniguruma reads differently: `{1,3}+` repeats, and `$` is the end of a line."""


def as_oniguruma(source: str) -> str:
    r"""Return a pattern of `regex` in the syntax that `tokenizers` uses, the reverse of `translated`.

    >>> as_oniguruma(r"(?V1)\p{L}+|[a-z&&[^b]]\Z"), as_oniguruma(CL100K_BASE)[-29:]
    ('\\p{L}+|[a-z&&[^b]]\\z', '|\\s+\\z|\\s*[\\r\\n]|\\s+(?!\\S)|\\s')
    """
    source = _SPELLED.get(source, source.removeprefix("(?V1)"))
    return _PARTS.sub(lambda found: r"\z" if found[0] == r"\Z" else found[0], source)


def check_as_oniguruma(source: str) -> None:
    """Raise FormatError for a pattern of `tiktoken` that may split differently in `tokenizers`.

    >>> check_as_oniguruma(r"\\d{1,3}+|\\D")
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: a tokenizer.json may read the split pattern '\\\\d{1,3}+|\\\\D' differently
    """
    plain = source.removeprefix("(?V1)")
    if source not in _SPELLED and ("}+" in plain or translated(plain).removeprefix("(?V1)") != plain):
        raise FormatError("a tokenizer.json may read the split pattern %(source)s differently", source=shown(source))


def translated(source: str) -> str:
    r"""Return the pattern in the syntax of `regex`.

    >>> translated(r"(?m:.)+$|[\h$]\z")
    '(?s:.)+(?m:$)|[0-9a-fA-F$]\\Z'
    >>> translated(r"\s+(?!\S)|'(?i:s|t)"), translated(r"\x{3042}|[a-z&&[^b]]")
    ("\\s+(?!\\S)|'(?i:s|t)", '(?V1)\\u3042|[a-z&&[^b]]')

    Two differences remain: in `regex`, `(?i:ss)` does not match `ß`, and `(?i:[a-z])` matches `İ`.
    """
    if source == _SPELLED[CL100K_BASE]:
        return CL100K_BASE  # which runs faster
    parts = []
    depth = 0  # of nested classes
    version_1 = False  # of `regex`'s syntax, which allows nested classes
    for found in _PARTS.finditer(source):
        part = found[0]
        if found["code"]:
            code = int(found["code"], 16)
            part = rf"\u{code:04x}" if code < 0x10000 else rf"\U{code:08x}"
        elif found["posix"] and depth:
            part = _INSIDE.get(part, part)
            version_1 |= part.startswith("[^")
        elif found["posix"] or part.startswith("["):
            version_1 |= depth > 0
            depth += 0 if found["posix"] else 1
        elif part == "]":
            depth = max(depth - 1, 0)
        elif depth:
            part = _INSIDE.get(part, part)
            version_1 |= part.startswith("[")
        elif part.startswith("(?"):
            part = part.replace("m", "s")  # in Ruby, `m` lets a dot match line ends
        else:
            part = _OUTSIDE.get(part, part)
        parts.append(part)
    pattern = "".join(parts)
    return "(?V1)" + pattern if version_1 or "&&" in pattern else pattern
