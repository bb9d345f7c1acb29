"""Build character classes for the standard `re` from their members."""

from __future__ import annotations

import re
from collections.abc import Iterable


def members(characters: Iterable[str]) -> str:
    """Return the inside of a class of these characters, as ranges.

    >>> members("ecdbax")
    'a-ex-x'
    """
    ranges: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)
