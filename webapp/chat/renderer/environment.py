"""The environment of chat templates, as `apply_chat_template` of transformers 5.23 builds it.

Source: `_cached_compile_jinja_template` in transformers/utils/chat_template_utils.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import jinja2.exceptions
import jinja2.ext
import jinja2.nodes
import jinja2.parser
import jinja2.sandbox
import jinja2.utils


class RaisedError(jinja2.exceptions.TemplateError):
    """What a template raises itself, with `raise_exception`."""


class Generation(jinja2.ext.Extension):
    """The tag `generation`, which marks what an assistant wrote, and changes nothing here."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: jinja2.parser.Parser) -> jinja2.nodes.Node:
        """The body of the tag, called once."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Callable[[], str]) -> str:
        return caller()


class Namespace(jinja2.utils.Namespace):
    """A namespace without attributes that begin with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        self, args = args[0], args[1:]
        attributes = dict(*args, **kwargs)
        for name in attributes:
            _check_name(name)
        jinja2.utils.Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        jinja2.utils.Namespace.__setitem__(self, name, value)


class Dictionary:
    """The function `dict`, without the type's other attributes."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """A new dictionary."""
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        """A new dictionary with the keys."""
        return dict.fromkeys(*args, **kwargs)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise jinja2.exceptions.SecurityError(f"namespace attributes cannot begin with an underscore: {name[:40]!r}")


def raise_exception(message: object) -> None:
    """The function of that name in templates."""
    raise RaisedError(str(message))


def tojson(
    x: Any, ensure_ascii: bool = False, indent: Any = None, separators: Any = None, sort_keys: bool = False
) -> str:
    """The filter of that name in templates, which does not escape HTML."""
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


class Clock:
    """The function `strftime_now` of templates: it tells the time of the request, and `asked` whether it was used."""

    def __init__(self) -> None:
        """Begin at a time that each request replaces."""
        self.now = datetime(2026, 1, 1)
        self.asked = False

    def __call__(self, format: str) -> str:
        """The time of the request in a format of `strftime`."""
        self.asked = True
        return self.now.strftime(format)


def environment(clock: Clock) -> jinja2.sandbox.ImmutableSandboxedEnvironment:
    """The environment of chat templates."""
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = clock
    made.globals["dict"] = Dictionary()
    made.globals["namespace"] = Namespace
    for name in ("cycler", "joiner", "lipsum"):  # no published template uses them, and printed they show an address
        del made.globals[name]
    return made
