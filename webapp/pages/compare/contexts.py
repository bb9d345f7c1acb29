"""The variables of the templates of `/compare`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from webapp.pages.compare.forms import Preset
from webapp.sharing.results import SharingPage
from webapp.tokenization.comparison.choices import ComparisonPicker
from webapp.tokenization.comparison.state import TokenizerChoice
from webapp.tokenization.comparison.views import ComparisonView
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import ChoiceField
from webapp.web.templates import Context


@dataclass(frozen=True, kw_only=True)
class ChoicesContext(Context):
    """The tokenizers that match a search."""

    template = "compare/_choices.html"

    choosing: ComparisonPicker


@dataclass(frozen=True, kw_only=True)
class ComparePage(SharingPage):
    """The form, the rows, and the form that shares them."""

    template = "compare/page.html"

    form_id: str = "compare"
    view: ComparisonView
    choices: ChoicesContext
    problems: Sequence[InputProblem]
    least: int  # rows
    most: int  # rows
    presets: Sequence[Preset]
    uses: Collection[str]  # the options that at least one row uses
    options: Sequence[tuple[str, bool, str, str]]  # checkboxes: field, whether it is ticked, label, CSS class
    choice_fields: Sequence[ChoiceField]  # options with several values
    link: str | None  # the address with the whole state, or None if it would be too long
    difference: str | None  # the address of the difference of the first two vocabularies
    corpus_limit: int  # bytes of a training text
    text_limit: int  # bytes of the text
    ways_of: Callable[[TokenizerChoice], Sequence[tuple[str, str]]]  # how a vocabulary may be applied: id and title
    parameters: Sequence[tuple[str, str, str, str, str]]  # of inferences: field, label, least, most, value


@dataclass(frozen=True, kw_only=True)
class CompareAnswer(ComparePage):
    """The parts of the page that change, for htmx."""

    template = "compare/_answer.html"
