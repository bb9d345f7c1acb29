"""Run split patterns of vocabulary files as the engines of `tiktoken` and `tokenizers` would, within a time limit.

Split patterns without captures: `regex` keeps every capture of a repeated group, 70 to 110 bytes for each.

Nobody reads the captures of a split pattern. Ninety groups in a loop took 870 MB on 85,000 characters; groups that
capture nothing take none.

The matches of a pattern as the engines of `tiktoken` and `tokenizers` find them, found by `regex`.

The engines differ after an empty match: `regex` searches for another one at the same position; the others continue
after the next character, and do not accept an empty match right after another match.

- Exploits: with `overlapped`, `regex` continues one character after the beginning of a match, which is what the others
  do after an empty one. So a run of empty matches needs one search, not one for each.
- Invariant: the spans are those of a search that is started again after every empty match.
- Proved by: that search, in `tests/core/text/test_pattern_matching.py`, on patterns with empty matches.
- Bought: 8 times for `(?:)|x` on a megabyte of `a`.
"""

from collections.abc import Callable
from time import monotonic

import regex

# The time limit of an unknown pattern. Known ones, run by `regex`, take 0.1 µs for each character. A call takes 2 µs,
# which is much for a short word.
SECONDS, SECONDS_A_CHARACTER, SECONDS_A_CALL = 1.0, 2e-6, 4e-6
# A budget that was not used for so long, in seconds of the clock, is full again.
REST = 3.0


class TimeBudget:
    """The time that patterns may still take, for all texts: thousands of slow words use it up like one slow text.

    One pattern has a budget, or all patterns of a pipeline have one together: however many steps read a text, its
    characters count once.

    >>> budget = TimeBudget()
    >>> budget.spend(0.9, 40)
    >>> round(budget.seconds(40), 2)
    0.1
    >>> budget.spend(0.0, 10_000_000)  # a text that it splits fast restores the budget
    >>> budget.seconds(0)
    1.0
    """

    def __init__(self, patterns: int = 0) -> None:
        self.patterns = patterns
        """The number of patterns that share the budget; 0 counts as one."""
        self._overdrawn = 0.0  # seconds taken beyond the limit for the characters so far
        self._used = 0.0  # when, on the clock

    def seconds(self, characters: int) -> float:
        """The seconds that a pattern may take on so many characters; 0 once the budget is used up."""
        left = SECONDS + SECONDS_A_CHARACTER * characters - self._overdrawn
        if left > 0:
            return left
        if monotonic() - self._used > REST:
            self._overdrawn = 0.0
            return SECONDS + SECONDS_A_CHARACTER * characters
        return 0.0

    def spend(self, seconds: float, characters: int) -> None:
        """Subtract the time that a pattern took."""
        earned = (SECONDS_A_CALL + SECONDS_A_CHARACTER * characters) / max(1, self.patterns)
        self._overdrawn = max(0.0, self._overdrawn + seconds - earned)
        if self._overdrawn:
            self._used = monotonic()


MOST = 1_000_000
"""The most captures, groups times characters, of a pattern that needs its groups: about 100 MB."""


def compiled(source: str) -> regex.Pattern[str]:
    r"""Compile a pattern, without captures unless it refers to its groups. Raises what `regex.compile` raises.

    >>> compiled(r"(?P<a>[(]\()|(?i:b)").pattern, compiled(r"(a)\1").pattern
    ('(?:[(]\\()|(?i:b)', '(a)\\1')
    """
    pattern = regex.compile(source)
    if not pattern.groups or _REFERS.search(source):
        return pattern
    parts = _PARTS_1 if pattern.flags & regex.VERSION1 else _PARTS
    return regex.compile(parts.sub(lambda found: "(?:" if found["group"] else found[0], source))


def exceeds(pattern: regex.Pattern[str], length: int) -> bool:
    """Whether the captures of a pattern may take too much memory on a text of so many characters."""
    # Not `pattern.groups`: groups may share a name.
    return bool(pattern.groups) and pattern.pattern.count("(") * length > MOST


# References to groups, calls of them, conditions, branch resets and verbs; and free spacing, whose comments may contain
# brackets.
_REFERS = regex.compile(r"\\[1-9gkG]|\(\?P[=>]|\(\?[(|&R0-9+]|\(\?-[0-9]|\(\*|\(\?[a-zA-Z0-9]*x")
_REST = r"|\\.|\(\?\#[^)]*\)|(?P<group>\((?!\?)|\(\?P?<(?![=!])[^>]*>)"
CLASS = r"\[\^?\]?(?:\\.|\[:[^\]\[]*:\]|[^\]\\])*+\]"
CLASS_1 = r"(?P<class>\[\^?\]?(?:\\.|\[:[^\]\[]*:\]|(?&class)|[^\]\\])*+\])"
"""A class; in version 1 of the syntax, it may contain classes."""
_PARTS, _PARTS_1 = regex.compile(CLASS + _REST, regex.DOTALL), regex.compile(CLASS_1 + _REST, regex.DOTALL)


Span = tuple[int, int]


def matched_spans(
    pattern: regex.Pattern[str], text: str, shift: int, seconds_left: Callable[[], float | None]
) -> list[Span]:
    """Return `(start, end)` of each match, moved by `shift`.

    `seconds_left` returns the time limit for a search that begins now, or None. Raises TimeoutError after it.

    >>> matched_spans(regex.compile("x*"), "axxb", 10, lambda: None)
    [(10, 10), (11, 13), (14, 14)]
    """
    spans: list[Span] = []
    position, last = 0, -1
    empty = False
    while True:
        for match in pattern.finditer(text, position, overlapped=empty, timeout=seconds_left()):
            start, end = match.span()
            if start < end or start != last:
                spans.append((start + shift, end + shift))
            last = end
            if (start == end) != empty:
                # After an empty match, go on one character later; after another one, at its end.
                position = end + (not empty)
                empty = not empty
                break
        else:
            return spans
        if position > len(text):
            return spans
