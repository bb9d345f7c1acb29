"""Contexts of the templates of `/steps`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from webapp.pages.steps.forms import DictionaryWords, StepsRequest
from webapp.pages.steps.overview import OverviewLine
from webapp.pages.walkthrough.engine import WalkthroughContext
from webapp.rendering.source_listing import SourceListing
from webapp.tokenization.messages import ChoiceField
from webapp.tokenization.state import State
from webapp.vocabularies import CatalogueEntry
from webapp.web.templates import Page


@dataclass(frozen=True, kw_only=True)
class OverviewPage(Page):
    """The algorithms, with example texts."""

    template = "steps/index.html"

    lines: Sequence[OverviewLine]
    most: int  # characters of a text


@dataclass(frozen=True, kw_only=True)
class StepContext(WalkthroughContext):
    """One step of an algorithm, for htmx."""

    chosen_templates = (
        "steps/_inference.html",
        "steps/_lattice.html",
        "steps/_matching.html",
        "steps/_merging.html",
        "steps/_ngram.html",
        "steps/_word_graph.html",
        "steps/_wordpiece.html",
    )

    asked: StepsRequest
    state: State
    default_for: Callable[[str], str]  # an algorithm's default vocabulary


@dataclass(frozen=True, kw_only=True)
class StepsPage(Page):
    """The form and a step."""

    template = "steps/page.html"

    step_shown: StepContext
    shortened: StepsRequest  # for links to other pages: a text that is too long is shortened
    algorithm_names: Mapping[str, str]
    algorithms: Sequence[str]
    family_of: Callable[[str], str | None]
    choices: Sequence[tuple[str, Sequence[CatalogueEntry]]]  # the vocabularies to choose from: heading, entries
    checkboxes: Sequence[tuple[str, bool, str]]  # field, whether it is ticked, label
    choice_fields: Sequence[ChoiceField]  # options with several values
    hidden_fields: Sequence[tuple[str, str]]
    max_characters: int  # of a text
    listing: SourceListing | None  # the reference algorithm
    vocabulary_title: str
    default_title: str  # of the algorithm's default vocabulary
    dictionary: DictionaryWords | None  # of FMM and BMM
    sentences: str | None  # those whose words an n-gram model counts; None for other vocabularies
    counting: str  # the address of their counting, empty if there are none
    lesson: str  # the name of the lesson about the algorithm, empty if there is none


@dataclass(frozen=True, kw_only=True)
class AllStepsPage(Page):
    """All steps as a table."""

    template = "steps/table.html"

    asked: StepsRequest
    algorithm_name: str
    vocabulary_title: str
    sentences: Sequence[tuple[int, Markup]]  # the number and the sentence of each step
