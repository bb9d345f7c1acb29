"""Contexts of the templates of `/models`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.vocabularies.language_models import LanguageModel
from webapp.web.templates import Context, Page


@dataclass(frozen=True)
class ModelRow:
    """One model as the table shows it; empty texts for what the list does not have."""

    model: LanguageModel
    vocabulary: str  # the title of its vocabulary
    address: str  # the page about the vocabulary
    playground: str  # the address of the playground with the model
    status: str  # whether the vocabulary is ready; or that it is not public, and what the list notes about it
    context: str
    price_in: str
    price_out: str
    up_to: str  # how long a prompt these prices hold for
    as_of: str
    is_old: bool
    ends: str  # until when the publisher serves it
    host: str  # of the source


@dataclass(frozen=True, kw_only=True)
class ModelRows(Context):
    """The models that a search finds, for htmx."""

    template = "models/_rows.html"

    groups: Sequence[tuple[str, Sequence[ModelRow]]]  # publisher, models
    found: int
    total: int
    query: str
    problem: str  # what is wrong with the query


@dataclass(frozen=True, kw_only=True)
class ModelsPage(Page):
    """The search and the table."""

    template = "models/page.html"

    shown: ModelRows
    longest_query: int
    form_id: str = "models"
