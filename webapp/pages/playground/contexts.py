"""Contexts of the templates of the playground."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from webapp.core.algorithms import Algorithm
from webapp.pages.playground.examples import ExampleText
from webapp.pages.playground.picker import VocabularyPicker
from webapp.sharing.contexts import SharingPage
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.inferences import InferenceField
from webapp.tokenization.messages import ChoiceField
from webapp.tokenization.state import State
from webapp.tokenization.views import ResultView
from webapp.vocabularies import CatalogueEntry
from webapp.web.templates import Context


@dataclass(frozen=True, kw_only=True)
class ChoicesContext(Context):
    """The vocabularies that a search finds."""

    template = "playground/_choices.html"

    picker: VocabularyPicker
    state: State
    origin_of: Callable[[CatalogueEntry], str]


@dataclass(frozen=True, kw_only=True)
class PlaygroundPage(SharingPage):
    """The form, the result, and the form that shares it."""

    template = "playground/page.html"
    chosen_templates = ("share/_share_button.html",)

    result_shown: ResultView
    choices: ChoicesContext
    algorithm_names: Mapping[str, str]
    takes: Callable[[str], str]  # CSS classes of the fields that apply to every vocabulary of an algorithm
    records: Mapping[str, Algorithm]
    options: Sequence[tuple[str, bool, str, str]]  # checkboxes: field, whether it is ticked, label, CSS class
    choice_fields: Sequence[ChoiceField]  # options with several values
    examples: Sequence[ExampleText]
    example_url: Callable[[ExampleText], str]
    upload_problem: InputProblem | None  # the problem of an uploaded file
    upload_limit: int  # bytes of an uploaded vocabulary
    corpus_limit: int  # bytes of a training text
    text_limit: int  # bytes of a text
    invalid: Mapping[str, str]  # field → what is wrong with it, "" if nothing is
    is_setting_invalid: bool  # whether something is wrong with a field of the menu of settings
    invalid_size: str | None  # what was entered as the number of merges or pieces, if it is wrong
    inference: InferenceField
    typed: Mapping[str, str]  # parameter of an inference → what was entered, if it is wrong
