"""Translate patterns from Oniguruma's Ruby syntax, which Hugging Face's `tokenizers` uses, to that of `regex`."""

from __future__ import annotations

import regex

# Oniguruma's word characters, which differ slightly from Unicode's; outside a class they include `²³¹¼½¾`.
_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
_WORDS = rf"{_WORD}²³¹¼½¾"

# Constructs that differ, outside and inside a class. In Ruby, `^` and `$` match at every line.
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
    r"""Return the pattern in the syntax of `regex`.

    >>> translated(r"(?m:.)+$|[\h$]\z")
    '(?s:.)+(?m:$)|[0-9a-fA-F$]\\Z'
    >>> translated(r"\s+(?!\S)|'(?i:s|t)"), translated(r"\x{3042}|[a-z&&[^b]]")
    ("\\s+(?!\\S)|'(?i:s|t)", '(?V1)\\u3042|[a-z&&[^b]]')

    Two differences remain: in `regex`, `(?i:ss)` does not match `ß`, and `(?i:[a-z])` matches `İ`.
    """
    parts = []
    depth = 0  # of nested classes
    version_1 = False  # of `regex`'s syntax, which allows nested classes
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
            part = part.replace("m", "s")  # in Ruby, `m` lets a dot match line ends
        else:
            part = _OUTSIDE.get(part, part)
        parts.append(part)
    pattern = "".join(parts)
    return "(?V1)" + pattern if version_1 or "&&" in pattern else pattern
