"""Reads the content of files: limits of size, JSON and its fields, and the error of a file that is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, overload

from webapp.core.vocabulary_error import Phrase, VocabularyError, shown

Kind = TypeVar("Kind")
Default = TypeVar("Default")

_NAMES = {
    dict: Phrase("an object"),
    list: Phrase("a list"),
    str: Phrase("a string"),
    bool: Phrase("true or false"),
    int: Phrase("an integer"),
    bytes: Phrase("a list of bytes"),
}
_REQUIRED: Any = object()


class FormatError(VocabularyError):
    """A file that violates its format or uses a feature that this site does not support."""

    @classmethod
    def of(cls, error: ValueError) -> FormatError:
        """Return another error as a FormatError, with its sentence and values if it is a VocabularyError."""
        if isinstance(error, VocabularyError):
            return cls(error.sentence, **error.values)
        return cls(str(error))


@contextmanager
def parts_of_file() -> Iterator[None]:
    """Make FormatErrors of the ValueErrors that the parts of a tokenizer raise."""
    try:
        yield
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError.of(error) from error


@overload
def field(part: dict[str, Any], name: str, kind: type[Kind]) -> Kind: ...


@overload
def field(part: dict[str, Any], name: str, kind: type[Kind], default: Default) -> Kind | Default: ...


def field(part: dict[str, Any], name: str, kind: type[Any], default: Any = _REQUIRED) -> Any:
    """Return a field of a JSON object, which must have a given type; if it is missing or null, the default.

    >>> field({"type": "BPE"}, "type", str), field({"fuse": None}, "fuse", bool, False)
    ('BPE', False)
    >>> field({"type": 5}, "type", str)
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: "type" should be a string, not 5
    """
    value = part.get(name)
    if value is None and default is not _REQUIRED:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        if name not in part:
            raise FormatError('"%(name)s" is missing', name=name)
        raise FormatError(
            '"%(name)s" should be %(kind)s, not %(value)s', name=name, kind=_NAMES[kind], value=_shortened(value)
        )
    return value


def repeated(values: Iterable[str]) -> str | None:
    """Return the first text that occurs a second time, or None.

    >>> repeated("abcba")
    'b'
    """
    seen: set[str] = set()
    return next((value for value in values if value in seen or seen.add(value)), None)  # type: ignore[func-returns-value]


def item(part: object, at: int, name: str) -> dict[str, Any]:
    """Return the item `at` of the list in a field, which must be an object."""
    if not isinstance(part, dict):
        raise FormatError(
            'entry %(at)s of "%(name)s" should be an object, not %(entry)s', at=at, name=name, entry=shown(part)
        )
    return part


def _shortened(value: object) -> str | Phrase:
    if isinstance(value, str | list):
        value = value[:60]  # the repr of a large value takes seconds
    elif isinstance(value, dict):
        return Phrase("an object with %(count)s keys", count=len(value))
    elif value is None or isinstance(value, bool):
        return shown(value)
    written = repr(value)
    return written if len(written) <= 60 else written[:57] + "..."


LARGEST_FILE = 64 << 20
"""In bytes; the largest vocabulary in common use, Gemma's `tokenizer.json`, has 33 million."""

LARGEST_VOCABULARY = 1_000_000
"""In pieces; the largest vocabulary in common use has a quarter of that."""

LARGEST_DICTIONARY = 2_000_000
"""In lines; a word takes 275 bytes in memory with its tables. A list of 25 MB like jieba's has 1.8 million."""

# In memory, an object takes 250 bytes, a list 100 and a string 50, so a file of many small ones grows thirtyfold.
# Gemma's `tokenizer.json`, with a list of two for each merge, has a weight of two million.
_LARGEST_WEIGHT = 3_000_000
_MOST_KEYS = 1_500_000


def read_json(text: str, parse_float: Callable[[str], float] = float) -> Any:
    """Parse a JSON text; `parse_float` converts numbers with a fraction or an exponent.

    >>> read_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> read_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: the key 'a' occurs twice in a JSON object

    Raises FormatError if the text is not JSON, is nested too deeply, has too many items to be a vocabulary, or contains
    a duplicate key, half of a surrogate pair, NaN or an infinity.
    """
    weight = text.count(",") + 2 * text.count("[") + 5 * text.count("{")
    if weight > _LARGEST_WEIGHT or text.count('":') > _MOST_KEYS:
        raise FormatError("the JSON has too many lists, objects and values to be a vocabulary")
    if (half := _half_pair(text)) is not None:
        raise FormatError("%(escape)s in the JSON is half of a surrogate pair, not a character", escape=half)
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_number, parse_float=parse_float)
    except RecursionError:
        raise FormatError("the JSON is nested too deeply") from None
    except FormatError:
        raise
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated") or error.pos >= len(text.rstrip()):
            raise FormatError(
                "the JSON ends at line %(line)s before it is complete; a part of it is missing",
                line=text.count("\n") + 1,
            ) from None
        raise FormatError(
            "not JSON: %(what)s at line %(line)s, column %(column)s",
            what=_WRONG.get(error.msg, error.msg),
            line=error.lineno,
            column=error.colno,
        ) from None
    except ValueError:  # Python refuses to convert a number of thousands of digits
        raise FormatError("not a vocabulary: a number in the JSON has too many digits") from None


def lines_of(text: str) -> Iterator[str]:
    r"""Yield `text.splitlines()`, never all lines at once: in memory a short line takes fifty times its length.

    >>> list(lines_of("a\r\nb\u2028\nc"))
    ['a', 'b', '', 'c']
    """
    start = 0
    while start < len(text):
        found = _LINE_END.search(text, start + _AT_A_TIME)
        end = found.end() if found else len(text)
        yield from text[start:end].splitlines()
        start = end


_AT_A_TIME = 1 << 16  # characters
_LINE_END = re.compile("\r\n|[\n-\r\x1c-\x1e\x85\u2028\u2029]")


def decoded(content: bytes) -> str:
    """Decode UTF-8 and drop a leading byte order mark; raises FormatError, which names the first invalid byte.

    >>> decoded(b"low\\xff")
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: not UTF-8: byte 0xff at position 3; save it as UTF-8
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            "not UTF-8: byte 0x%(byte)s at position %(position)s; save it as UTF-8",
            byte=f"{content[error.start]:02x}",
            position=error.start,
        ) from None


# Translatable phrases for the messages of the module `json`.
_WRONG = {
    "Expecting value": Phrase("a value is missing"),
    "Expecting property name enclosed in double quotes": Phrase("a name in double quotes is missing"),
    "Expecting ':' delimiter": Phrase("a colon is missing"),
    "Expecting ',' delimiter": Phrase("a comma is missing"),
    "Illegal trailing comma before end of object": Phrase("a trailing comma before the end of an object"),
    "Illegal trailing comma before end of array": Phrase("a trailing comma before the end of a list"),
    "Extra data": Phrase("extra data after the end"),
    "Invalid control character at": Phrase("a control character in a string"),
    "Invalid \\escape": Phrase("an invalid escape sequence"),
    "Invalid \\uXXXX escape": Phrase("a \\u escape without four hexadecimal digits"),
}


def _half_pair(text: str) -> str | None:
    r"""Return the first escape in a JSON text that is half of a surrogate pair.

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


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = repeated(key for key, _ in pairs)
        raise FormatError("the key %(key)s occurs twice in a JSON object", key=shown(twice))
    return found


def _no_number(name: str) -> Any:
    raise FormatError("%(name)s in the JSON is not a number", name=name)


_MOST = 2**64 - 1
_FARTHEST = 308
_MOST_DIGITS = 4_300


def read_float(number: str) -> float:
    """Return a number with a fraction or an exponent as `serde_json`, the JSON reader of `tokenizers`, parses it.

    `serde_json` reads the digits as an integer and divides it by a power of ten. This rounds twice and may miss the
    nearest double, which breaks ties between equally likely Unigram segmentations.

    >>> read_float("-3.0125"), read_float("1.5e3"), read_float("-9.8989838560")
    (-3.0125, 1500.0, -9.898983856)
    >>> read_float("-2.0122928619384766") == -2.0122928619384766
    False

    Raises ValueError for a number of more than 4,300 digits, as Python does for an integer.
    """
    if len(number) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(number):,} characters")
    mantissa, _, exponent = number.lower().partition("e")
    whole, _, decimals = mantissa.lstrip("-").partition(".")
    digits = (whole + decimals).lstrip("0")
    # Digits that do not fit in 64 bits are dropped.
    significant = digits if len(digits) < 20 else digits[:20] if int(digits[:20]) <= _MOST else digits[:19]
    power = int(exponent or 0) - len(decimals) + len(digits) - len(significant)
    value = float(int(significant or 0))
    while power < -_FARTHEST and value:
        value /= 1e308
        power += _FARTHEST
    if value and power <= _FARTHEST:
        value = value * float(f"1e{power}") if power >= 0 else value / float(f"1e{-power}")
    elif value:
        value = float("inf")
    return -value if number.startswith("-") else value
