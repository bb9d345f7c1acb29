"""Parses forms as Werkzeug does, with bounded extra memory for long texts.

Python's `unquote` makes two objects for every escaped byte: 200 MB for a megabyte of Chinese.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any
from urllib.parse import unquote, unquote_to_bytes

from werkzeug.formparser import FormDataParser

WINDOW = 1 << 16  # characters that are decoded at once
ERRORS = "werkzeug.url_quote"  # keeps bytes that are not valid UTF-8 escaped


class FormParser(FormDataParser):
    """Werkzeug's parser, with its own decoder of escaped bytes."""

    def _parse_urlencoded(
        self, stream: IO[bytes], mimetype: str, content_length: int | None, options: dict[str, str]
    ) -> Any:
        fields = [field.partition("=") for field in stream.read().decode().split("&") if field]
        return stream, self.cls([(unescaped(name), unescaped(value)) for name, _, value in fields]), self.cls()


def unescaped(escaped: str) -> str:
    """A name or value of a form without its escapes, as `urllib.parse.parse_qsl` decodes it.

    >>> unescaped("a+b%20%e7%a0%94%FF")
    'a b 研%FF'
    """
    spaced = escaped.replace("+", " ")
    if len(spaced) <= WINDOW or not spaced.isascii():
        return unquote(spaced, errors=ERRORS)
    return b"".join(map(unquote_to_bytes, _windows(spaced))).decode(errors=ERRORS)


def _windows(text: str) -> Iterator[str]:
    """The text in parts of about `WINDOW` characters, none of which ends inside an escape."""
    start = 0
    while start < len(text):
        end = start + WINDOW
        inside = text.rfind("%", end - 2, end)
        end = end if inside < 0 else inside
        yield text[start:end]
        start = end
