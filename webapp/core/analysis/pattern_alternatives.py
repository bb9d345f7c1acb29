"""The alternatives of a split pattern: its parts between `|` outside groups and character classes.

The engines try alternatives in order and take the first that matches, so each match belongs to exactly one.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from time import thread_time

import regex

from webapp.core.text.pattern_matching import CLASS, CLASS_1, TimeBudget, compiled
from webapp.core.text.split_patterns import PatternTimeoutError, SplitPattern
from webapp.core.text.unicode_tables import as_unicode_16

MOST = 100  # alternatives of one pattern


@dataclass(frozen=True)
class PatternAlternatives:
    """A split pattern and its alternatives, in the syntax of `regex`.

    >>> pattern = PatternAlternatives(r"'s|\\p{L}+|[|\\]]|(?:a|b)")
    >>> pattern.alternatives
    ("'s", '\\\\p{L}+', '[|\\\\]]', '(?:a|b)')
    >>> pattern.matches("it's |")
    [(0, 2, 1), (2, 4, 0), (5, 6, 2)]

    A pattern whose alternatives depend on each other (back references, conditions, verbs) counts as one.
    """

    source: str
    budget: TimeBudget = field(default_factory=lambda: TimeBudget(2), repr=False, compare=False)
    """The time for finding the matches and for finding their alternatives."""

    @cached_property
    def flags(self) -> str:
        """The flags at the beginning of the pattern, which apply to all alternatives: `(?i)`, or nothing."""
        found = _FLAGS.match(self.source)
        return found[0] if found else ""

    @cached_property
    def alternatives(self) -> tuple[str, ...]:
        """The sources of the alternatives, without the flags."""
        return _alternatives(self.source, self.flags)

    def matches(self, text: str) -> list[tuple[int, int, int]]:
        """`(start, end, alternative)` of each match in a text; alternatives are counted from 0.

        Raises PatternTimeoutError for a pattern that times out.
        """
        spans = self._pattern.spans(text)
        if len(self.alternatives) == 1:
            return [(start, end, 0) for start, end in spans]
        known = as_unicode_16(text)
        began = thread_time()
        # The pattern has just run in time, so this one may run for a moment even if nothing is left.
        deadline = began + self.budget.seconds(len(text))
        found = []
        try:
            for start, end in spans:
                match = self._numbered.match(known, start, timeout=max(deadline - thread_time(), 0.001))
                found.append((start, end, _number(match)))
        except (TimeoutError, MemoryError):
            raise PatternTimeoutError(self.source, len(text)) from None
        finally:
            self.budget.spend(thread_time() - began, len(text))
        return found

    @cached_property
    def _pattern(self) -> SplitPattern:
        return SplitPattern(self.source, self.budget)

    @cached_property
    def _numbered(self) -> regex.Pattern[str]:
        parts = tuple(compiled(self.flags + part).pattern.removeprefix(self.flags) for part in self.alternatives)
        return regex.compile(_numbered(self.flags, parts))


def _number(match: regex.Match[str] | None) -> int:
    """The alternative of a match: that of the only outer group that took part."""
    assert match is not None
    found = (name for name, text in match.groupdict().items() if text is not None and name.startswith(_GROUP))
    return int(next(found)[len(_GROUP) :])


def _numbered(flags: str, alternatives: tuple[str, ...]) -> str:
    return flags + "|".join(f"(?P<{_GROUP}{at}>{source})" for at, source in enumerate(alternatives))


@lru_cache(maxsize=256)
def _alternatives(source: str, flags: str) -> tuple[str, ...]:
    body = source[len(flags) :]
    if _DEPENDENT.search(body) or _GROUP in body or "x" in flags:
        return (body,)
    parts = _parts(_unwrapped(body), nested="V1" in flags)
    return parts if 1 < len(parts) <= MOST and _compiles(_numbered(flags, parts)) else (body,)


def _parts(source: str, nested: bool) -> tuple[str, ...]:
    """The parts of a pattern between `|` at its top level.

    >>> _parts(r"a\\||[|]|[^]|]|(b|(?#)|c)|", nested=False)
    ('a\\\\|', '[|]', '[^]|]', '(b|(?#)|c)', '')
    """
    parts = []
    depth = start = 0
    for found in (_TOKEN_1 if nested else _TOKEN).finditer(source):
        depth += (found[0] == "(") - (found[0] == ")")
        if found[0] == "|" and not depth:
            parts.append(source[start : found.start()])
            start = found.end()
    return (*parts, source[start:])


def _unwrapped(source: str) -> str:
    """The pattern without a group around all of it."""
    inner = source.removeprefix("(?:")
    if inner == source or not inner.endswith(")"):
        return source
    inner = inner[:-1]
    # Were the group not around all, a part would have unequal brackets and fail to compile.
    return inner if _compiles(inner) else source


def _compiles(source: str) -> bool:
    try:
        regex.compile(source)
    except (regex.error, RecursionError, OverflowError, ValueError):
        return False
    return True


_GROUP = "tokenscope_"
_FLAGS = re.compile(r"(?:\(\?[a-zA-Z0-9]+\))*")
# Classes, escaped characters, comments, and other characters.
_TOKEN, _TOKEN_1 = (regex.compile(rf"{each}|\\.|\(\?#[^)]*\)|.", regex.DOTALL) for each in (CLASS, CLASS_1))
# Back references, conditions, branch resets, verbs, flags in the middle, and places of the search.
_DEPENDENT = re.compile(r"\\[1-9gKG]|\(\?P[=>]|\(\?[(|&R0-9+]|\(\*|\(\?[a-zA-Z0-9-]+\)")
