"""Template contexts: a frozen dataclass for each template, with a field for each of its variables.

>>> class Greeting(Context):
...     template = "greeting.html"
...     name: str
>>> class Letter(Context):
...     template = "letter.html"
...     greeting: Greeting
...     pages: int
>>> Letter(greeting=Greeting(name="Ada"), pages=2).variables()
{'name': 'Ada', 'pages': 2}

Templates that share variables share a context, as a base class or as a field; the variables of a field are merged
into those of the whole. Undefined variables are errors (`webapp.web.application`).
"""

from collections.abc import Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar, dataclass_transform

from flask import render_template

from webapp.observing import report


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Context:
    """The variables of a template; every subclass is a frozen dataclass, whose fields are given by name.

    A class without a `template` is a part of other contexts.
    """

    template: ClassVar[str] = ""
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)

    def variables(self) -> dict[str, object]:
        """The template's variables by name; those of a field that is a context are merged in."""
        given: dict[str, object] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            given |= value.variables() if isinstance(value, Context) else {field.name: value}
        return given


class Page(Context):
    """The context of `base.html`."""

    form_id: str = "playground"  # the form whose text the language switch keeps
    status: int | None = None  # of an error page, which has no language switch for submitted text


class ErrorMessage(Context):
    """A message without a page, for htmx."""

    template = "_error.html"

    message: str
    retry: int | None = None  # seconds after which the page sends the request again by itself


class ErrorPage(Page):
    """An error page with a message, and the request to send again if it can be repeated."""

    template = "error.html"

    message: str
    heading: str
    retry: int | None = None  # as in `ErrorMessage`
    is_form: bool = False  # whether the previous page still has the visitor's input
    again: str | None = None  # the address to try again
    fields: Sequence[tuple[str, str]] | None = None  # of the form to send again
    method: str = "POST"  # how to send it


class FrameMessage(Context):
    """A message in a frame on another site, in place of a snapshot."""

    template = "share/embed_gone.html"

    title: str
    sentence: str


def render(context: Context) -> str:
    """Render the template of `context` with its variables."""
    with report.current().phase("render"):
        return render_template(context.template, **context.variables())
