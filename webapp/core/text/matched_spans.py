"""The matches of a pattern as the engines of `tiktoken` and `tokenizers` find them, found by `regex`.

The engines differ after an empty match: `regex` searches for another one at the same position; the others continue
after the next character, and do not accept an empty match right after another match.

- Exploits: with `overlapped`, `regex` continues one character after the beginning of a match, which is what the others
  do after an empty one. So a run of empty matches needs one search, not one for each.
- Invariant: the spans are those of a search that is started again after every empty match.
- Proved by: that search, in `tests/core/text/test_matched_spans.py`, for patterns with empty matches on random texts.
- Bought: 8 times for `(?:)|x` on a megabyte of `a`.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

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
