"""The classes of BERT, and the characters that `tokenizers` and `tiktoken` treat differently than `regex` and Python.

Their tables are of different versions of Unicode.

`unicode_tables.txt` holds them; `python -m tests.core.text.unicode_tables` writes it, by asking the libraries. Each
class is the inside of a character class for the standard `re`.
"""

from __future__ import annotations

import re
from pathlib import Path

PATH = Path(__file__).with_name("unicode_tables.txt")
TABLES = dict(line.split(": ", 1) for line in PATH.read_text(encoding="utf-8").splitlines())


def pairs(name: str) -> list[tuple[int, int]]:
    """The first and the last code point of each range of a table."""
    ends = (part.partition("-") for part in TABLES[name].split())
    return [(int(first, 16), int(last or first, 16)) for first, _, last in ends]


def members(name: str) -> str:
    """The characters of a table.

    >>> members("not decomposed").startswith(r"\\U")
    True
    """
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in pairs(name))


CONTROL = members("control")
"""Characters that BERT removes: control, format and private-use characters except tab and line ends; U+FFFD."""

PUNCTUATION = members("punctuation")
"""Unicode's category P and the symbols of ASCII."""

ACCENT = members("accent")
"""Nonspacing marks (category Mn)."""

COMBINING = members("combining")
"""Combining marks of all kinds (category M)."""

CHINESE = (
    "\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f"
)
"""Chinese characters, each a token of its own. (`tokenizers` begins one block at U+2B920, BERT's code at U+2B820.)"""

SCRIPTS = tuple(TABLES["scripts"].split())
"""The scripts that `tokenizers` knows, as `regex` names them; the most common first."""

CAPITALS = dict(pairs("lower case"))
"""The small letters of capitals that Python's tables may lack."""

_UNASSIGNED = "\u0378"
# A small letter in Unicode 16, a letter without case since.
_FORMER = {"\u0295": "\u0250"}
_CHANGED = re.compile(f"[{''.join(_FORMER)}{members('after Unicode 16')}]")


def as_unicode_16(text: str) -> str:
    """Return the text with a substitute for every character that had other properties in Unicode 16.

    `tiktoken` and `tokenizers` have that version: to them, a later letter is an unassigned code point and splits a text
    differently. The length of the text stays the same, so offsets remain valid.

    >>> as_unicode_16("naïve"), as_unicode_16("a\\U000323b0b") == "a\\u0378b"
    ('naïve', True)
    """
    if text.isascii():
        return text
    return _CHANGED.sub(lambda found: _FORMER.get(found[0], _UNASSIGNED), text)
