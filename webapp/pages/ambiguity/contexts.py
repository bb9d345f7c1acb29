"""Contexts of the templates of `/ambiguity`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.pages.ambiguity.forms import AmbiguityRequest
from webapp.tokenization.ambiguities import AmbiguityResult
from webapp.tokenization.forms import InputProblem
from webapp.vocabularies import CatalogueEntry
from webapp.web.templates import Context, Page


@dataclass(frozen=True)
class ShownWord:
    """A word that a method chose; `outside` if a part of it lies outside the place."""

    text: str
    outside: bool


@dataclass(frozen=True)
class ShownChoice:
    """Methods that choose the same words, and the words."""

    methods: str
    words: Sequence[ShownWord]


@dataclass(frozen=True)
class ShownPlace:
    """An ambiguity in its context."""

    kind: str
    start: int
    before: str
    text: str
    after: str
    explanation: str  # which words cross, or which words the word consists of
    choices: Sequence[ShownChoice]


@dataclass(frozen=True, kw_only=True)
class PlacesContext(Context):
    """The counts and a page of the list, for htmx."""

    template = "ambiguity/_places.html"

    asked: AmbiguityRequest
    result: AmbiguityResult | None
    problems: Sequence[InputProblem]
    places: Sequence[ShownPlace]
    summary: str
    kinds: Sequence[tuple[str, str, int]]  # the filters: value, title, number of places
    number_of_pages: int
    export_limit: int  # places
    vocabulary_title: str
    link: str | None  # the address of this page, None if it would be too long
    visible: Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class AmbiguityPage(Page):
    """The form and the list."""

    template = "ambiguity/page.html"

    shown: PlacesContext
    dictionaries: Sequence[CatalogueEntry]
    title_of: Callable[[CatalogueEntry], str]
    invalid: Mapping[str, str]  # field → what is wrong with it
    examples: Sequence[tuple[str, str]]  # text, address
    form_id: str = "ambiguity"
