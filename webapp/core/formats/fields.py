"""Typed access to the fields of untrusted JSON; a wrong field raises a `FormatError` that names it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
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
    webapp.core.formats.fields.FormatError: "type" should be a string, not 5
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


def missing_ids(found: Iterable[int], size: int) -> str:
    """Return the first three numbers below `size` that are not in `found`, as a list for a message.

    >>> missing_ids({0, 2, 9}, 3), missing_ids({7}, 9)
    ('1', '0, 1, 2, …')
    """
    known = set(found)
    first = list(islice((id for id in range(size) if id not in known), 4))
    return ", ".join(map(str, first[:3])) + (", …" if len(first) > 3 else "")


def _shortened(value: object) -> str | Phrase:
    if isinstance(value, str | list):
        value = value[:60]  # the repr of a large value takes seconds
    elif isinstance(value, dict):
        return Phrase("an object with %(count)s keys", count=len(value))
    elif value is None or isinstance(value, bool):
        return shown(value)
    written = repr(value)
    return written if len(written) <= 60 else written[:57] + "..."
