"""Parses a search for tokens: text, code points or bytes, in the notation of the list's columns."""

from __future__ import annotations

import re

_CODE_POINTS = re.compile(r"\s*(?:U\+[0-9A-F]{1,6}[\s,]*)+", re.IGNORECASE)
# A single pair may be a word or a number, `be` or `20`; two pairs, or one with 0x, are bytes.
_BYTES = re.compile(r"\s*(?:0x[0-9A-F]{2}|[0-9A-F]{2}(?=\s+[0-9A-F]{2}))(?:\s+(?:0x)?[0-9A-F]{2})*\s*", re.IGNORECASE)


def texts_of(query: str) -> list[str]:
    """The texts of a query: itself, and the characters whose code points it gives.

    >>> texts_of("U+7814 u+7A76"), texts_of("a·b"), texts_of("U+110000")
    (['U+7814 u+7A76', '研究'], ['a·b', 'a b'], ['U+110000'])
    """
    # The list shows a space as a dot; text copied from there is found too.
    texts = [query, query.replace("·", " ")]
    if _CODE_POINTS.fullmatch(query):
        codes = [int(code, 16) for code in re.findall(r"\+([0-9A-Fa-f]+)", query)]
        if all(code <= 0x10FFFF for code in codes):
            texts.append("".join(map(chr, codes)))
    return list(dict.fromkeys(texts))


def bytes_of(query: str) -> bytes:
    """The bytes that a query gives in hexadecimal, or empty if it gives none.

    >>> bytes_of("e4 b8").hex(), bytes_of("0x41"), bytes_of("be"), bytes_of("20"), bytes_of("add ed")
    ('e4b8', b'A', b'', b'', b'')
    """
    if not _BYTES.fullmatch(query):
        return b""
    return bytes.fromhex(re.sub("0x", "", query, flags=re.IGNORECASE))
