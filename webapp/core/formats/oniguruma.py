"""Patterns as Hugging Face's `tokenizers` reads them, in the syntax of Oniguruma for Ruby, put into that of `regex`."""

from __future__ import annotations

import regex

# What is spelt otherwise, outside of a class and inside one. `^` and `$` are of every line in Ruby.
_OUTSIDE = {
    "^": "(?m:^)",
    "$": "(?m:$)",
    r"\z": r"\Z",
    r"\Z": r"(?=\n?\Z)",
    r"\h": "[0-9a-fA-F]",
    r"\H": "[^0-9a-fA-F]",
}
_INSIDE = {r"\h": "0-9a-fA-F"}

_PARTS = regex.compile(r"\\.|\(\?[a-z-]*[:)]|\[\^?\]?|\]|.", regex.DOTALL)


def translated(source: str) -> str:
    r"""The pattern for `regex`.

    >>> translated(r"(?m:.)+$|[\h$]\z")
    '(?s:.)+(?m:$)|[0-9a-fA-F$]\\Z'
    >>> translated(r"\s+(?!\S)|'(?i:s|t)")
    "\\s+(?!\\S)|'(?i:s|t)"
    """
    parts = []
    depth = 0  # of classes, one inside the other
    nested = False
    for found in _PARTS.finditer(source):
        part = found[0]
        if part.startswith("["):
            depth += 1
            nested |= depth > 1
        elif part == "]":
            depth = max(depth - 1, 0)
        elif depth:
            part = _INSIDE.get(part, part)
        elif part.startswith("(?"):
            part = part.replace("m", "s")  # a dot that matches line ends too
        else:
            part = _OUTSIDE.get(part, part)
        parts.append(part)
    known = "".join(parts)
    return "(?V1)" + known if (nested and not _is_posix(known)) or "&&" in known else known


def _is_posix(source: str) -> bool:
    """Whether what looks like a class in a class is only `[:alpha:]` and the like."""
    return "[" not in regex.sub(r"\[:\^?\w+:\]", "", regex.sub(r"(?<!\\)\[\^?(?=[^\[\]]*\[:)", "", source))
