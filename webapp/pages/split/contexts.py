"""Contexts of the templates of `/split`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.analysis.chunking import TextPart
from webapp.pages.split.forms import SplitRequest
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import CatalogueEntry
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class PartsContext(Context):
    """The parts of a text, for htmx."""

    template = "split/_parts.html"

    parts: Sequence[tuple[TextPart, str]]  # the first parts, each with its text
    max_shown: int  # parts
    count: int  # all parts, shown or not
    largest: int  # tokens of the largest part
    problems: Sequence[InputProblem]
    vocabulary: CatalogueEntry | None
    title_of: Callable[[CatalogueEntry], str]
    link: str | None  # the URL of this page, None if it would be too long


@dataclass(frozen=True, kw_only=True)
class SplitPage(Page):
    """The form and the parts."""

    template = "split/page.html"

    parts_shown: PartsContext
    asked: SplitRequest
    invalid: Mapping[str, InputProblem]  # the problem of each rejected field
    groups: Sequence[tuple[str, Sequence[CatalogueEntry]]]  # the vocabularies to choose from: heading, entries
    max_tokens: int  # per part
