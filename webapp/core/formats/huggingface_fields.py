"""What the parts of a `tokenizer.json` have in common: kinds, patterns, single characters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import regex

from webapp.core.formats.checked_patterns import check_length, checked_pattern
from webapp.core.formats.fields import FormatError, field
from webapp.core.formats.oniguruma import translated
from webapp.core.vocabulary_error import Phrase, shown

Json = dict[str, Any]

NORMALIZER = Phrase("normalizer")
PRETOKENIZER = Phrase("pre-tokenizer")
DECODER = Phrase("decoder")
POSTPROCESSOR = Phrase("post-processor")


def read_part(part: object, table: dict[str, Callable[[Json], Any]], what: Phrase) -> Any:
    """What the reader in the table makes of a part, by its type; raises FormatError for one that is not known."""
    part = as_object(part, what)
    kind = field(part, "type", str)
    if kind not in table:
        raise FormatError("the %(what)s %(kind)s is not supported", what=what, kind=shown(kind))
    return table[kind](part)


def as_object(part: object, what: Phrase) -> Json:
    """The part itself; raises FormatError when it is no object."""
    if not isinstance(part, dict):
        raise FormatError("each %(what)s should be an object", what=what)
    return part


def pattern(part: Json) -> str:
    """A part's pattern, for `regex`; raises FormatError for one that cannot be compiled, or would take too long."""
    found = field(part, "pattern", dict)
    if "String" in found:
        plain = field(found, "String", str)
        check_length(plain)
        return regex.escape(plain, special_only=True)
    return checked_pattern(translated(field(found, "Regex", str)))


def whole_number(part: Json, name: str, default: int, *, least: int = 0) -> int:
    """A number that is not below the least that makes sense, nor gigantic."""
    number = field(part, name, int, default)
    if not least <= number < 1 << 32:
        raise FormatError(
            '"%(name)s" should be a number from %(least)s on, not %(number)s',
            name=name,
            least=least,
            number=shown(number),
        )
    return number


def one_character(part: Json, name: str, default: str | None = None) -> str:
    """A text of one character."""
    found = field(part, name, str) if default is None else field(part, name, str, default)
    if len(found) != 1:
        raise FormatError('"%(name)s" should be one character, not %(found)s', name=name, found=shown(found))
    return found


def replacement(part: Json) -> str:
    """What stands for a space."""
    return one_character(part, "replacement", "▁")


def scheme(part: Json) -> tuple[bool, bool]:
    """Whether a space is put in front of a text, and whether of its first stretch only.

    Files from before 2024 have `add_prefix_space` instead of a scheme.
    """
    default = "always" if field(part, "add_prefix_space", bool, True) else "never"
    name = field(part, "prepend_scheme", str, default)
    if name not in ("always", "first", "never"):
        raise FormatError('"prepend_scheme": %(name)s is not known', name=shown(name))
    return name != "never", name == "first"


def scheme_name(prepend: bool, only_first: bool) -> str:
    """
    >>> scheme_name(True, False), scheme_name(True, True), scheme_name(False, False)
    ('always', 'first', 'never')
    """
    return ("first" if only_first else "always") if prepend else "never"
