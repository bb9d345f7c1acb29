"""Detect files that are not vocabularies by their first bytes."""

from __future__ import annotations

import re

from webapp.core.formats.fields import FormatError
from webapp.core.vocabulary_error import Phrase


def check_foreign(content: bytes) -> None:
    """Raise FormatError for a file that is not a vocabulary, saying what it is and what to do.

    >>> check_foreign("low".encode("utf-16"))
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: this is text in UTF-16; save it as UTF-8
    """
    if b"\0" in content[:1] and not content.strip(b" \t\r\n\0"):
        raise FormatError("the file contains only NUL bytes")
    if (packed := _of(_PACKED, content)) is not None:
        raise FormatError("this is %(what)s, not a vocabulary; unpack it first", what=packed)
    if (text := _of(_TEXT, content)) is not None:
        raise FormatError("this is %(what)s; save it as UTF-8", what=text)
    if (other := _of(_OTHER, content)) is not None:
        raise FormatError("this is %(what)s, not a vocabulary", what=other)
    if content.startswith(b"version https://git-lfs.github.com/spec/"):
        raise FormatError("this is a Git LFS pointer, not the file itself; fetch the file with git lfs pull")
    if re.search(rb"^\\data\\[ \t]*\r?$", content[: 1 << 20], re.MULTILINE):
        raise FormatError("this is an ARPA file, which has probabilities; upload the counts of the n-grams instead")
    if _HTML.match(content):
        raise FormatError("this is a web page, not a vocabulary; download the file itself, not the page that shows it")


def _of(beginnings: dict[bytes, Phrase], content: bytes) -> Phrase | None:
    return next((what for beginning, what in beginnings.items() if content.startswith(beginning)), None)


_PACKED = {
    b"\x1f\x8b": Phrase("a gzip archive"),
    b"PK\x03\x04": Phrase("a zip archive"),
    b"PK\x05\x06": Phrase("a zip archive"),
    b"BZh": Phrase("a bzip2 archive"),
    b"\xfd7zXZ\x00": Phrase("an xz archive"),
    b"(\xb5/\xfd": Phrase("a zstd archive"),
    b"7z\xbc\xaf'\x1c": Phrase("a 7z archive"),
}
_TEXT = {
    b"\xff\xfe\x00\x00": Phrase("text in UTF-32"),
    b"\x00\x00\xfe\xff": Phrase("text in UTF-32"),
    b"\xff\xfe": Phrase("text in UTF-16"),
    b"\xfe\xff": Phrase("text in UTF-16"),
}
_OTHER = {
    b"GGUF": Phrase("a GGUF model"),
    b"%PDF": Phrase("a PDF"),
    b"\x89PNG": Phrase("an image"),
    b"\xff\xd8\xff": Phrase("an image"),
    b"GIF8": Phrase("an image"),
}
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,1000}(?:<!doctype html|<html)[\s>]", re.IGNORECASE)
