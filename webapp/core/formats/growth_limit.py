"""A limit on how much a `tokenizer.json` can lengthen a text: a hostile file doubles it thirty times."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from webapp.core.formats.fields import FormatError
from webapp.core.text.composition import normalized
from webapp.core.vocabulary_error import Phrase

MOST_PARTS = 500
MOST_TIMES = 1_000
LONGEST_INSERTED = 1_000  # characters that a part inserts into a text


def check_growth(document: dict[str, Any]) -> None:
    """Raise FormatError if there are too many parts, or if together they could make a text a thousand times as long.

    >>> double = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    >>> check_growth({"normalizer": {"type": "Sequence", "normalizers": [double] * 9}})
    >>> check_growth({"normalizer": {"type": "Sequence", "normalizers": [double] * 10}})
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: normalizer and pre-tokenizer could make a text 1,024 times as long
    """
    normalizer, pretokenizer, decoder = (_parts(document, name) for name in ("normalizer", "pre_tokenizer", "decoder"))
    for growth, what in (
        (prod(map(_growth, normalizer + pretokenizer)), Phrase("normalizer and pre-tokenizer")),
        (prod(map(_growth, decoder)), Phrase("the decoder")),
    ):
        if growth > MOST_TIMES:
            times = f"{growth:,}" if growth < 10**12 else Phrase("very many")
            raise FormatError("%(what)s could make a text %(times)s times as long", what=what, times=times)


def _parts(document: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the objects in a part at any depth, including the part itself."""
    found: list[dict[str, Any]] = []
    waiting: list[Iterator[Any]] = [iter((document.get(name),))]
    while waiting:
        value = next(waiting[-1], _END)
        if value is _END:
            waiting.pop()
        elif isinstance(value, dict):
            found.append(value)
            if len(found) > MOST_PARTS:
                raise FormatError('"%(name)s" has more than %(most)s parts', name=name, most=MOST_PARTS)
            waiting.append(iter(value.values()))
        elif isinstance(value, list):
            waiting.append(iter(value))
    return found


_END = object()


def _growth(part: dict[str, Any]) -> int:
    """Return an upper bound for how many times as long a part makes a text, later normalization included."""
    match part:
        case {"type": "Replace", "pattern": {"String": str(plain)}, "content": str(content)}:
            return -(-_length(content) // len(plain)) if plain else 1 + _length(content)
        case {"type": "Replace", "pattern": {"Regex": str(source)}, "content": str(content)}:
            # Such a pattern may match an empty span before every character.
            return _length(content) + bool(content and set(source) & set("^$*?|"))
        case {"type": "Prepend", "prepend": str(content)}:
            _length(content)
            return 1
        case {"type": "Precompiled"}:
            return 20  # the longest of NFKC is 18
        case {"type": "ByteLevel"}:
            return 4
        case {"type": "Metaspace" | "BPEDecoder" | "CTC"}:
            return 2
    return 1


def _length(content: str) -> int:
    """Return the length of inserted text after decomposition by later normalizers, at least 1."""
    if len(content) > LONGEST_INSERTED:
        raise FormatError(
            "a part inserts %(count)s characters into a text; at most %(most)s are allowed",
            count=f"{len(content):,}",
            most=f"{LONGEST_INSERTED:,}",
        )
    return max(1, len(normalized("NFKD", content).lower()))
