"""Directions and joined letters at the edges of columns, which are drawn apart from each other."""

from __future__ import annotations

from unicodedata import combining

import regex

_RIGHT_TO_LEFT = regex.compile(r"[\p{BC=R}\p{BC=AL}]")
_LEFT_TO_RIGHT = regex.compile(r"\p{BC=L}")
_STRONG = regex.compile(r"[\p{BC=L}\p{BC=R}\p{BC=AL}]")
_JOINS_NEXT = regex.compile(r"[\p{JT=D}\p{JT=L}\p{JT=C}]\p{JT=T}*+$")
_JOINS_PREVIOUS = regex.compile(r"[\p{JT=D}\p{JT=R}\p{JT=C}]")
_VIRAMA = 9  # the canonical combining class
_LOOK_BACK = 8  # characters: a letter and its marks


def direction_of(text: str) -> int | None:
    """1 if a text has letters that run from right to left, 0 if it has other letters, None if it has none.

    >>> direction_of("سلام 1"), direction_of("low"), direction_of(" “")
    (1, 0, None)
    """
    if _RIGHT_TO_LEFT.search(text):
        return 1
    return 0 if _LEFT_TO_RIGHT.search(text) else None


def begins_right_to_left(text: str, start: int, end: int) -> bool:
    """Whether the first letter of a span is from a right-to-left script."""
    first = _STRONG.search(text, start, end)
    return first is not None and _LEFT_TO_RIGHT.match(first[0]) is None


def is_joined(text: str, offset: int) -> bool:
    """Whether the letters before and after an offset are joined, or form a conjunct, in their script.

    >>> is_joined("سلام", 1), is_joined("سلام", 3), is_joined("low", 1)
    (True, False, False)
    """
    if not 0 < offset < len(text) or text[offset] < "\u0600":
        return False
    if combining(text[offset - 1]) == _VIRAMA:
        return text[offset].isalpha()
    before = text[max(0, offset - _LOOK_BACK) : offset]
    return bool(_JOINS_PREVIOUS.match(text[offset]) and _JOINS_NEXT.search(before))
