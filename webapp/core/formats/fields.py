"""Reading fields of somebody else's JSON: a wrong one is a `FormatError` that says where and what, never a KeyError."""

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
    str: Phrase("a text"),
    bool: Phrase("true or false"),
    int: Phrase("a whole number"),
}
_REQUIRED: Any = object()


class FormatError(VocabularyError):
    """A file that is not what its format asks for, or asks for something this site does not know."""

    @classmethod
    def of(cls, error: ValueError) -> FormatError:
        """The objection of a part that was read, carried over: its sentence and values, where it has them."""
        if isinstance(error, VocabularyError):
            return cls(error.sentence, **error.values)
        return cls(str(error))


@overload
def field(part: dict[str, Any], name: str, kind: type[Kind]) -> Kind: ...


@overload
def field(part: dict[str, Any], name: str, kind: type[Kind], default: Default) -> Kind | Default: ...


def field(part: dict[str, Any], name: str, kind: type[Any], default: Any = _REQUIRED) -> Any:
    """The field of a JSON object, which must be of a kind; where it is missing or null, the default.

    >>> field({"type": "BPE"}, "type", str), field({"fuse": None}, "fuse", bool, False)
    ('BPE', False)
    >>> field({"type": 5}, "type", str)
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: "type" should be a text, not 5
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


def missing_ids(found: Iterable[int], size: int) -> str:
    """The numbers below a size that are not among those found, of which there are fewer: the first three.

    >>> missing_ids({0, 2, 9}, 3), missing_ids({7}, 9)
    ('1', '0, 1, 2, …')
    """
    known = set(found)
    first = list(islice((id for id in range(size) if id not in known), 4))
    return ", ".join(map(str, first[:3])) + (", …" if len(first) > 3 else "")


def _shortened(value: object) -> str | Phrase:
    if isinstance(value, str | list):
        value = value[:60]  # all of a large one would take seconds to write out
    elif isinstance(value, dict):
        return Phrase("an object of %(count)s names", count=len(value))
    elif value is None or isinstance(value, bool):
        return shown(value)
    written = repr(value)
    return written if len(written) <= 60 else written[:57] + "..."
