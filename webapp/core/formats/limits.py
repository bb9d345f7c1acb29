"""How large a file may be, and JSON that keeps to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from webapp.core.formats.fields import FormatError

LARGEST_FILE = 64 << 20
"""Bytes; the largest vocabulary in common use, Gemma's `tokenizer.json`, has 33 million."""

LARGEST_VOCABULARY = 1_000_000
"""Pieces; the largest in common use has a quarter of that."""

# A list or object takes a hundred bytes, a text 50: a file of nothing but small ones would grow twentyfold. Gemma's
# `tokenizer.json`, with lists of two for its merges, weighs two million.
_LARGEST_WEIGHT = 3_000_000


def read_json(text: str, parse_float: Callable[[str], float] = float) -> Any:
    """The document that a JSON text holds; `parse_float` reads numbers that have a fraction or an exponent.

    >>> read_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: 'a' stands twice in a JSON object

    Raises FormatError for a text that is no JSON, nested too deeply, with a key twice in an object, half a surrogate
    pair, NaN or an infinity, or too many items to be a vocabulary.
    """
    if text.count(",") + 2 * (text.count("[") + text.count("{")) > _LARGEST_WEIGHT:
        raise FormatError("the JSON has more lists, objects and values than any vocabulary")
    if (half := _half_pair(text)) is not None:
        raise FormatError(f"{half} in the JSON is half of a surrogate pair, and no character")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=parse_float)
    except RecursionError:
        raise FormatError("the JSON is nested too deeply") from None
    except FormatError:
        raise
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except ValueError:  # what Python says of a number of thousands of digits
        raise FormatError("not a vocabulary: a number in the JSON has too many digits") from None


def decoded(content: bytes) -> str:
    """UTF-8 as text, without a byte order mark in front; raises FormatError naming the byte that is none.

    >>> decoded(b"low\\xff")
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: not UTF-8: byte 0xff at position 3
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8: byte 0x{content[error.start]:02x} at position {error.start}") from None


def shown(value: object) -> str:
    """A value as it stands in a message: short.

    >>> shown("a" * 100)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..."
    """
    if isinstance(value, str | bytes | list):
        value = value[:100]
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _half_pair(text: str) -> str | None:
    r"""The first escape in a JSON that is no character.

    >>> _half_pair(r'["\ud83d\ude00", "\\ud83d"]'), _half_pair(r'["\ude00\ud83d"]')
    (None, '\\ude00')
    """
    if "\\ud" not in text and "\\uD" not in text:
        return None
    return next((found[1] for found in _ESCAPE.finditer(text) if found[1]), None)


_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(
    rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|(\\u[dD][89a-fA-F]{_HEX}{{2}})|\\.", re.DOTALL
)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise FormatError(f"{shown(key)} stands twice in a JSON object")
            seen.add(key)
    return made


def _no_number(name: str) -> Any:
    raise FormatError(f"{name} in the JSON is no number")
