"""Patterns as Hugging Face's `tokenizers` reads them, in the syntax of Oniguruma for Ruby, put into that of `regex`."""

from __future__ import annotations

import regex

# Oniguruma's word characters, which are not quite Unicode's; outside of a class it takes `²³¹¼½¾` for such, too.
_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
_WORDS = rf"{_WORD}²³¹¼½¾"

# What is spelt otherwise, outside of a class and inside one. `^` and `$` are of every line in Ruby.
_OUTSIDE = {
    "^": "(?m:^)",
    "$": "(?m:$)",
    r"\z": r"\Z",
    r"\Z": r"(?=\n?\Z)",
    r"\h": "[0-9a-fA-F]",
    r"\H": "[^0-9a-fA-F]",
    r"\w": f"[{_WORDS}]",
    r"\W": f"[^{_WORDS}]",
    r"\b": rf"(?:(?<=[{_WORDS}])(?![{_WORDS}])|(?<![{_WORDS}])(?=[{_WORDS}]))",
    r"\B": rf"(?:(?<=[{_WORDS}])(?=[{_WORDS}])|(?<![{_WORDS}])(?![{_WORDS}]))",
    r"\e": r"\x1b",
    r"\N": r"[^\n]",
    r"\O": "(?s:.)",
}
_INSIDE = {
    r"\h": "0-9a-fA-F",
    r"\H": "[^0-9a-fA-F]",
    r"\w": _WORD,
    r"\W": f"[^{_WORD}]",
    r"\e": r"\x1b",
    "[:word:]": _WORD,
    "[:^word:]": f"[^{_WORD}]",
    "[:punct:]": r"\p{P}\p{S}",
    "[:^punct:]": r"[^\p{P}\p{S}]",
}

_PARTS = regex.compile(
    r"\\x\{\s*(?P<code>[0-9a-fA-F]{1,6})\s*\}|\\[pP]\{[^{}]*\}|\\.|(?P<posix>\[:\^?\w+:\])|\(\?[a-z-]*[:)]|\[\^?\]?|\]|.",
    regex.DOTALL,
)


def translated(source: str) -> str:
    r"""The pattern for `regex`.

    >>> translated(r"(?m:.)+$|[\h$]\z")
    '(?s:.)+(?m:$)|[0-9a-fA-F$]\\Z'
    >>> translated(r"\s+(?!\S)|'(?i:s|t)"), translated(r"\x{3042}|[a-z&&[^b]]")
    ("\\s+(?!\\S)|'(?i:s|t)", '(?V1)\\u3042|[a-z&&[^b]]')

    Two things are not alike: `(?i:ss)` finds no `ß` here, and `(?i:[a-z])` finds `İ`.
    """
    parts = []
    depth = 0  # of classes, one inside the other
    version_1 = False  # in which classes stand in classes
    for found in _PARTS.finditer(source):
        part = found[0]
        if found["code"]:
            code = int(found["code"], 16)
            part = rf"\u{code:04x}" if code < 0x10000 else rf"\U{code:08x}"
        elif found["posix"] and depth:
            part = _INSIDE.get(part, part)
            version_1 |= part.startswith("[^")
        elif found["posix"] or part.startswith("["):
            version_1 |= depth > 0
            depth += 0 if found["posix"] else 1
        elif part == "]":
            depth = max(depth - 1, 0)
        elif depth:
            part = _INSIDE.get(part, part)
            version_1 |= part.startswith("[")
        elif part.startswith("(?"):
            part = part.replace("m", "s")  # a dot that matches line ends too
        else:
            part = _OUTSIDE.get(part, part)
        parts.append(part)
    known = "".join(parts)
    return "(?V1)" + known if version_1 or "&&" in known else known
