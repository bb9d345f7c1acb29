"""Reading fields of somebody else's JSON: a wrong one is a `FormatError` that says where and what, never a KeyError."""

from __future__ import annotations

from typing import Any, TypeVar, overload

Kind = TypeVar("Kind")
Default = TypeVar("Default")

_NAMES = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a whole number"}
_REQUIRED: Any = object()


class FormatError(ValueError):
    """A file that is not what its format asks for, or asks for something this site does not know."""


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
            raise FormatError(f'"{name}" is missing')
        raise FormatError(f'"{name}" should be {_NAMES[kind]}, not {_shortened(value)}')
    return value


def unsupported(part: dict[str, Any], name: str, *allowed: object) -> None:
    """Raises FormatError unless the field is missing or has one of the values that this site can honour.

    >>> unsupported({"dropout": 0.1}, "dropout", None)
    Traceback (most recent call last):
    webapp.core.formats.fields.FormatError: "dropout": 0.1 is not supported
    """
    value = part.get(name, allowed[0])
    if value not in allowed:
        raise FormatError(f'"{name}": {_shortened(value)} is not supported')


def _shortened(value: object) -> str:
    if isinstance(value, str | list):
        value = value[:60]  # all of a large one would take seconds to write out
    elif isinstance(value, dict):
        return f"an object of {len(value)} names"
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
