"""Requests of `/steps`: the playground's state, a step or a token, options of the algorithm; what the form shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from flask import Request, url_for
from flask_babel import gettext as _

from webapp.core.algorithms import ALGORITHMS
from webapp.core.analysis.chunking import boundaries_of
from webapp.core.inference.records import OWN
from webapp.pages.steps.walkthroughs import options_of
from webapp.tokenization import forms
from webapp.tokenization.algorithms import TEXTS, ChoiceField, algorithm_names, choice_fields
from webapp.tokenization.algorithms import options as checkbox_options
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import LONGEST_ADDRESS, MOST, Groups, vocabulary_choices
from webapp.tokenization.state import State
from webapp.vocabularies import CatalogueEntry, find, title_of
from webapp.vocabularies.trained import EXAMPLE_SENTENCES
from webapp.web.localization import join_list, number

_MAX_OPTION_LENGTH = 40


@dataclass(frozen=True)
class StepsRequest:
    """A state and one of its steps: given by number, or by the token that it made; by default the first."""

    state: State
    step: int | None = None
    token: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def address(self, step: int | None = None, **options: str | None) -> str:
        """The address of a step, by default of the first; an option that is None is left out."""
        query = self.state.query_of_algorithm()
        chosen = {name: value for name, value in {**self.options, **options}.items() if value}
        pairs = [*chosen.items(), *([("step", str(step))] if step is not None else [])]
        tail = f"&{urlencode(pairs)}" if pairs else ""
        return f"{url_for('steps.page', algorithm=self.state.algorithm)}?{query}{tail}"

    def with_text(self, text: str) -> StepsRequest:
        """The same request for another text, from its first step."""
        return StepsRequest(replace(self.state, text=text), options=self.options)

    def by_own_rule(self) -> StepsRequest:
        """The same text with the vocabulary's own rule, from its first step."""
        return StepsRequest(replace(self.state, inference=OWN))

    def with_algorithm(self, algorithm: str, vocabulary: str) -> StepsRequest:
        """The same text with another algorithm, from its first step."""
        return StepsRequest(replace(self.state, algorithm=algorithm, vocabulary=vocabulary))


def read(request: Request, algorithm: str) -> tuple[StepsRequest, list[InputProblem]]:
    """The request, and its problems."""
    state, problems = forms.read(request, algorithm)
    values = request.form if request.method == "POST" else request.args
    if not state.inference_options:  # then the seed is that of the samples that the lattice shows
        problems = [problem for problem in problems if problem.field != "seed"]
    if request.method == "GET" and "text" not in values:
        state = replace(state, text=TEXTS[algorithm].examples[0])
    wanted = {name: values.get(name, "")[:_MAX_OPTION_LENGTH] for name in options_of(algorithm)}
    options = {name: value for name, value in wanted.items() if value and name not in state.inference_options}
    step, step_problems = _step(values.get("step", ""))
    asked = StepsRequest(replace(state, token=None), step, state.token if step is None else None, options)
    if not problems and (other := other_algorithm(request, algorithm)) is not None:
        names = algorithm_names()
        own = join_list(names[name] for name in other.algorithms)
        message = _(
            "“%(title)s” is a vocabulary for %(own)s and cannot be used with %(algorithm)s.",
            title=title_of(other),
            own=own,
            algorithm=names[algorithm],
        )
        problems = [InputProblem(message, 422, "vocabulary")]
    if not problems and len(state.text) > MOST:
        values_of_text = {"count": number(len(state.text)), "most": number(MOST)}
        message = _("The text has %(count)s characters; steps are shown for up to %(most)s.", **values_of_text)
        problems = [InputProblem(message, 413, "text")]
    elif not problems and request.method == "POST" and len(asked.address()) > LONGEST_ADDRESS:
        message = _("This is too long for a URL. Shorten the training text or the dictionary.")
        problems = [InputProblem(message, 413)]
    return asked, [*problems, *step_problems]


def other_algorithm(request: Request, algorithm: str) -> CatalogueEntry | None:
    """The vocabulary in the address, if it does not fit the algorithm: no merges, no scores, or no words."""
    entries = [entry for name in request.args.getlist("vocabulary") if (entry := find(name)) is not None]
    return None if any(algorithm in entry.algorithms for entry in entries) else next(iter(entries), None)


def first_sentence(text: str) -> str:
    """The first sentence that is not empty; if it is too long for steps, its beginning, up to the end of a word.

    >>> first_sentence(" It rains. Take an umbrella.")
    'It rains.'
    """
    ends = [*boundaries_of(text, "sentence"), len(text)]
    begin = len(text) - len(text.lstrip())
    sentence = text[begin : next(end for end in ends if end > begin or end == len(text))].rstrip()
    if len(sentence) <= MOST:
        return sentence
    space = max(sentence.rfind(" ", MOST // 2, MOST + 1), sentence.rfind("\n", MOST // 2, MOST + 1))
    return sentence[: space if space > 0 else MOST]


def _step(value: str) -> tuple[int | None, list[InputProblem]]:
    if not value:
        return None, []
    if value.isascii() and value.isdecimal() and len(value) <= 9:
        return int(value), []
    message = _("“%(value)s” is not a step number. Steps are counted from 1.", value=value[:40])
    return None, [InputProblem(message, 422, "step")]


def choices(request: Request, state: State) -> Groups:
    """The vocabularies of the algorithm."""

    def keep(entry: CatalogueEntry) -> bool:
        return state.algorithm in entry.algorithms and (entry.origin != "pasted" or bool(state.dictionary))

    return vocabulary_choices(request, state.vocabulary, keep=keep)


def checkboxes(state: State) -> list[tuple[str, bool, str]]:
    """The checkboxes that apply to an algorithm: field, whether it is ticked, label."""
    algorithm = ALGORITHMS[state.algorithm]
    wanted = {option.name for option in (algorithm.external_options if state.external else algorithm.options)}
    return [(name, checked, title) for name, checked, title, _groups in checkbox_options(state) if name in wanted]


def fields_with_values(state: State) -> list[ChoiceField]:
    """The options with several values that apply to an algorithm."""
    wanted = {choice.name for choice in ALGORITHMS[state.algorithm].choices}
    return [field for field in choice_fields(state) if field.name in wanted]


def hidden_fields(state: State) -> list[tuple[str, str]]:
    """The hidden fields of the form."""
    size = [("size", str(state.size))] if state.trained and state.size is not None else []
    return [*size, *((name, str(value)) for name, value in state.inference_options.items())]


def own_sentences(state: State) -> str | None:
    """The sentences whose words an n-gram model counts; None for other vocabularies."""
    if not state.trained or state.family != "word model":
        return None
    return state.corpus if state.corpus.strip() else EXAMPLE_SENTENCES
