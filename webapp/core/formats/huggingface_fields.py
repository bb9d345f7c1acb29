"""Fields that several parts of a `tokenizer.json` share: types, patterns, single characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import regex

from webapp.core.formats.checked_patterns import check_length, check_source, checked_pattern
from webapp.core.formats.fields import FormatError, field
from webapp.core.formats.oniguruma import translated
from webapp.core.vocabulary_error import Phrase, shown

Json = dict[str, Any]

NORMALIZER = Phrase("normalizer")
PRETOKENIZER = Phrase("pre-tokenizer")
DECODER = Phrase("decoder")
POSTPROCESSOR = Phrase("post-processor")


def read_part(part: object, table: dict[str, Callable[[Json], Any]], what: Phrase) -> Any:
    """Read a part with the reader for its `type`; raises FormatError for an unsupported type."""
    part = as_object(part, what)
    kind = field(part, "type", str)
    if kind not in table:
        raise FormatError("the %(what)s %(kind)s is not supported", what=what, kind=shown(kind))
    return table[kind](part)


def as_object(part: object, what: Phrase) -> Json:
    """Return the part; raises FormatError if it is not an object."""
    if not isinstance(part, dict):
        raise FormatError("each %(what)s should be an object", what=what)
    return part


def pattern(part: Json) -> str:
    """Return a part's pattern for `regex`; raises FormatError for one that cannot be compiled or may take too long."""
    source = field(part, "pattern", dict)
    if "String" in source:
        plain = field(source, "String", str)
        check_length(plain)
        return regex.escape(plain, special_only=True)
    regular = field(source, "Regex", str)
    check_source(regular)
    return checked_pattern(translated(regular))


def whole_number(part: Json, name: str, default: int, *, least: int = 0) -> int:
    """Return an integer field, which must be at least `least` and below 2³²."""
    number = field(part, name, int, default)
    if not least <= number < 1 << 32:
        raise FormatError(
            '"%(name)s" should be an integer of at least %(least)s, not %(number)s',
            name=name,
            least=least,
            number=shown(number),
        )
    return number


def one_character(part: Json, name: str, default: str | None = None) -> str:
    """Return a field that holds one character."""
    value = field(part, name, str) if default is None else field(part, name, str, default)
    if len(value) != 1:
        raise FormatError('"%(name)s" should be one character, not %(found)s', name=name, found=shown(value))
    return value


def replacement(part: Json) -> str:
    """Return the character that replaces a space."""
    return one_character(part, "replacement", "▁")


def scheme(part: Json) -> tuple[bool, bool]:
    """Return whether a space is prepended to the text, and whether to its first segment only.

    Files from before 2024 have `add_prefix_space` instead of a scheme.
    """
    default = "always" if field(part, "add_prefix_space", bool, True) else "never"
    name = field(part, "prepend_scheme", str, default)
    if name not in ("always", "first", "never"):
        raise FormatError('"prepend_scheme": %(name)s is not supported', name=shown(name))
    return name != "never", name == "first"


def scheme_name(prepend: bool, only_first: bool) -> str:
    """Return the `prepend_scheme` for the two values that `scheme` returns.

    >>> scheme_name(True, False), scheme_name(True, True), scheme_name(False, False)
    ('always', 'first', 'never')
    """
    return ("first" if only_first else "always") if prepend else "never"
