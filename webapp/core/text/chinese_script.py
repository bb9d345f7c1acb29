"""Which of both Chinese scripts a text is written in."""

from collections import Counter
from functools import cache

CHARACTERS = 20_000
"""The characters of a text that decide; of a book, a quarter belongs to one script alone."""


def is_traditional(text: str) -> bool:
    """Whether more characters belong to Big5 alone than to GB 2312 alone, the standards of both scripts.

    >>> is_traditional("香港特別行政區"), is_traditional("研究生命的起源，与国家"), is_traditional("人生")
    (True, False, False)
    """
    found = Counter(text[:CHARACTERS])
    return (
        sum(_script(character) * count for character, count in found.items() if "\u4e00" <= character <= "\u9fff") > 0
    )


@cache
def _script(character: str) -> int:
    """1 for a character of the traditional script alone, -1 of the simplified one alone, else 0."""
    return _has("big5", character) - _has("gb2312", character)


def _has(encoding: str, character: str) -> bool:
    return bool(character.encode(encoding, "ignore"))
