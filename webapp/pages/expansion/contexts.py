"""Contexts of the templates of `/vocabularies/expand`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.expansion import Reason
from webapp.pages.expansion.forms import ExpansionRequest
from webapp.pages.expansion.preview import ExpansionPreview
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.vocabulary_choices import Groups
from webapp.web.templates import Context, Page


@dataclass(frozen=True, kw_only=True)
class ExpansionContext(Context):
    """The preview of an expansion, for htmx."""

    template = "expansion/_preview.html"

    asked: ExpansionRequest
    preview: ExpansionPreview | None
    problems: Sequence[InputProblem]
    title: str  # of the base
    rule: str
    reasons: Mapping[Reason, str]
    passage_names: Mapping[str, str]
    files: Sequence[tuple[str, str]]  # name and note of each file
    loading: str  # Python code
    embeddings: str  # Python code
    link: str | None  # the URL of this page, None if it would be too long
    query: str  # of that URL
    hidden: Sequence[tuple[str, str]]  # the fields of the request, for the buttons
    visible: Callable[..., str]


@dataclass(frozen=True, kw_only=True)
class ExpansionPage(Page):
    """The form and the preview."""

    template = "expansion/page.html"

    preview_shown: ExpansionContext
    invalid: Mapping[str, InputProblem]  # the problem of each rejected field
    bases: Groups
    additions: Groups
    most_added: int
