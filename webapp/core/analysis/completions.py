"""Texts that have given bytes in them: the missing bytes of the first and last character are filled in.

E4 B8   → 一, 丁, …      81 82   → characters whose last two bytes are 81 82      20 F0 9F   → a space and 😀, …
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from itertools import product

from webapp.core.text.utf8 import begins_character, missing_bytes

_NEVER = frozenset((0xC0, 0xC1, *range(0xF5, 0x100)))
# Second and later bytes that are tried where several are missing: spread, so that they meet characters of many kinds.
_FEW = (0x98, 0x80, 0xA0, 0xB0, 0x8F, 0xBF, 0x90, 0xA8)
_CONTINUING = bytes(range(0x80, 0xC0))
# How many endings are tried with each beginning, where both are missing.
_BOTH = 6
# First bytes by the number of bytes of their character, those of common scripts first.
_LEADS = {
    2: (0xC3, 0xD0, 0xC2, 0xD8, 0xCE, 0xD7, *range(0xC4, 0xE0)),
    3: (0xE4, 0xE2, 0xE3, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xEB, 0xEC, 0xEF, 0xE0, 0xE1, 0xED, 0xEE),
    4: (0xF0, 0xF3, 0xF1, 0xF2, 0xF4),
}


def never_in_utf8(data: bytes) -> bool:
    """Whether bytes occur in no text in UTF-8 at all.

    >>> never_in_utf8(b"\\xc0"), never_in_utf8(b"\\xe4\\xb8"), never_in_utf8(b"\\xe4a")
    (True, False, True)
    """
    return next(iter(completions(data)), None) is None


def completions(data: bytes) -> Iterator[str]:
    """Yield texts whose UTF-8 has `data` in it, assigned characters first; none if no text can have it.

    Many texts are possible; those with the least added come, at most some thousands.

    >>> next(completions(b" \\xf0\\x9f")), next(completions(b"\\xb8\\xad"))
    (' 😘', '中')
    """
    if not _NEVER.isdisjoint(data):
        return
    head = len(data) - len(data.lstrip(_CONTINUING))
    if head > 3:
        return
    tail = next((size for size in (1, 2, 3) if begins_character(data[max(head, len(data) - size) :])), 0)
    try:
        data[head : len(data) - tail].decode()
    except UnicodeDecodeError:
        return
    later: list[str] = []
    seen: set[str] = set()
    for text in _filled(data, head, tail):
        if text in seen:
            continue
        seen.add(text)
        if {"Cn", "Co"}.isdisjoint(map(unicodedata.category, text)):
            yield text
        else:
            later.append(text)
    yield from later


def _filled(data: bytes, head: int, tail: int) -> Iterator[str]:
    """The text of the bytes with every choice of what stands before the first and after the last of them."""
    missing = missing_bytes(data[len(data) - tail :]) if tail else ()
    tails = [
        bytes(after)
        for after in _tails(len(missing))
        if all(low <= byte <= high for byte, (low, high) in zip(after, missing, strict=True))
    ]
    if head and tail:
        tails = tails[:: max(1, len(tails) // _BOTH)]
    for before in _heads(data[:head]) if head else (b"",):
        for after in tails:
            with suppress(UnicodeDecodeError):
                yield (before + data + after).decode()


def _heads(continuing: bytes) -> Iterator[bytes]:
    """What can stand before the bytes that end a character."""
    for length in range(len(continuing) + 1, 5):
        for lead in _LEADS[length]:
            for between in _between(length - 1 - len(continuing)):
                yield bytes((lead, *between))


def _between(count: int) -> Iterator[tuple[int, ...]]:
    if count < 2:
        yield from ((byte,) for byte in (*_FEW, *range(0x80, 0xC0))) if count else ((),)
    else:
        yield from product((0x9F, *_FEW), _FEW)


def _tails(missing: int) -> Iterator[tuple[int, ...]]:
    """What can stand after the bytes that begin a character."""
    if missing == 2:
        yield from ((first, last) for last in (*_FEW, 0x85) for first in (*_FEW, *range(0x80, 0xC0)))
    elif missing == 3:
        yield from product((0x9F, *_FEW), _FEW, _FEW)
    else:
        yield from _between(missing)
