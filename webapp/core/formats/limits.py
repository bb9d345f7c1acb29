"""How large a file may be, and JSON that keeps to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from webapp.core.formats.fields import FormatError
from webapp.core.vocabulary_error import Phrase, shown

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
        raise FormatError("%(escape)s in the JSON is half of a surrogate pair, and no character", escape=half)
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_number, parse_float=parse_float)
    except RecursionError:
        raise FormatError("the JSON is nested too deeply") from None
    except FormatError:
        raise
    except json.JSONDecodeError as error:
        raise FormatError(
            "not JSON: %(what)s at line %(line)s, column %(column)s",
            what=_WRONG.get(error.msg, error.msg),
            line=error.lineno,
            column=error.colno,
        ) from None
    except ValueError:  # what Python says of a number of thousands of digits
        raise FormatError("not a vocabulary: a number in the JSON has too many digits") from None


def decoded(content: bytes) -> str:
    """UTF-8 as text, without a byte order mark in front; raises FormatError naming the byte that is none.

    >>> decoded(b"low\\xff")
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: not UTF-8: byte 0xff at position 3; save it as UTF-8
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            "not UTF-8: byte 0x%(byte)s at position %(position)s; save it as UTF-8",
            byte=f"{content[error.start]:02x}",
            position=error.start,
        ) from None


# What `json` says, by its own words.
_WRONG = {
    "Expecting value": Phrase("a value is missing"),
    "Expecting property name enclosed in double quotes": Phrase("a name in double quotes is missing"),
    "Expecting ':' delimiter": Phrase("a colon is missing"),
    "Expecting ',' delimiter": Phrase("a comma is missing"),
    "Illegal trailing comma before end of object": Phrase("a comma stands before the end of an object"),
    "Illegal trailing comma before end of array": Phrase("a comma stands before the end of a list"),
    "Extra data": Phrase("something follows the end"),
    "Unterminated string starting at": Phrase("a text does not end that begins"),
    "Invalid control character at": Phrase("a control character stands in a text"),
    "Invalid \\escape": Phrase("a backslash with no meaning stands"),
    "Invalid \\uXXXX escape": Phrase("a \\u without four digits stands"),
}


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
                raise FormatError("%(key)s stands twice in a JSON object", key=shown(key))
            seen.add(key)
    return made


def _no_number(name: str) -> Any:
    raise FormatError("%(name)s in the JSON is no number", name=name)
