"""Load a vocabulary file of any supported format as a tokenizer."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from webapp.core.formats.recognize import recognize
from webapp.core.tokenizer import Tokenizer


def load(source: str | PathLike[str] | bytes, companion: str | PathLike[str] | bytes | None = None) -> Tokenizer:
    """Return the tokenizer of a vocabulary file: a path to it, or its content as bytes.

    The content decides which format it is (see `recognize`). GPT-2's `vocab.json` needs its `merges.txt` as
    `companion`.

    >>> load("研究\\n研究生\\n生命\\n起源\\n".encode()).ids("研究生命起源")
    [0, 2, 3]

    Raises OSError for a file that cannot be opened, FormatError for one that is not a vocabulary.
    """
    return recognize(_content(source), None if companion is None else _content(companion)).tokenizer


def _content(source: str | PathLike[str] | bytes) -> bytes:
    return source if isinstance(source, bytes) else Path(source).read_bytes()
