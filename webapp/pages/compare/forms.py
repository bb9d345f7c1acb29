"""Reads a comparison from an address or a form, with the effect of the button that was pressed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from flask import Request
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.algorithms import choices_of, options_of
from webapp.tokenization.comparison import forms as reading
from webapp.tokenization.comparison.state import LEAST, MOST, Comparison, TokenizerChoice
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.state import State
from webapp.vocabularies import default_for, find, offered_algorithms
from webapp.vocabularies.library import is_here
from webapp.vocabularies.shipped_vocabularies import NAMES
from webapp.vocabularies.titles import SAME_CORPUS


@dataclass(frozen=True)
class Preset:
    """A named comparison: every algorithm of each of its vocabularies, or only the `leading` one."""

    name: str
    title: LazyString
    vocabularies: Callable[[], Iterable[str]]
    leading: bool = False

    @property
    def choices(self) -> tuple[TokenizerChoice, ...]:
        """The rows, at most `MOST`."""
        entries = [entry for name in self.vocabularies() if (entry := find(name)) is not None]
        last = 1 if self.leading else None
        rows = [TokenizerChoice(algorithm, entry.name) for entry in entries for algorithm in entry.algorithms[:last]]
        return tuple(rows[:MOST])

    @property
    def is_ready(self) -> bool:
        """Whether no vocabulary has to be fetched."""
        return all((entry := find(name)) is not None and is_here(entry) for name in self.vocabularies())


def _preset(name: str, title: LazyString, *vocabularies: str) -> Preset:
    return Preset(name, title, lambda: vocabularies)


def _default_vocabularies() -> Iterable[str]:
    """The default vocabulary of each algorithm."""
    return dict.fromkeys(map(default_for, offered_algorithms()))


PRESETS = (
    _preset("same", SAME_CORPUS, *NAMES),
    _preset("directions", _l("Ways to use a dictionary"), "jieba"),
    Preset("methods", _l("One of each kind"), _default_vocabularies, leading=True),
    _preset("learned", _l("Trained on this text"), "learned-bytes", "learned-wordpiece", "learned-unigram"),
    _preset("gpt", _l("GPT-2, GPT-4, GPT-4o"), "gpt2", "cl100k_base", "o200k_base"),
    _preset("open", _l("GPT-4 and Llama"), "cl100k_base", "llama-2", "llama-3"),
    _preset("bert", _l("BERT and T5"), "bert-base-uncased", "t5"),
)


def offered() -> list[Preset]:
    """The presets whose vocabularies are all here; the others could fail."""
    return [preset for preset in PRESETS if preset.is_ready]


# The initial text: a long word, a rare one, a name and digits; and a sentence with two possible segmentations.
WELCOME = (
    "Unbelievably, no two tokenizers agree on antidisestablishmentarianism, Dostoyevsky or 31415926.\n"
    "研究生命科学的人研究生命的起源。"
)


def read(request: Request) -> tuple[Comparison, list[InputProblem]]:
    """The comparison of a request, after the button that was pressed, and its problems."""
    comparison, problems = reading.read(request, lambda choices: _changed(choices, request))
    if request.method == "GET" and "text" not in request.args:
        comparison = replace(comparison, common=replace(comparison.common, text=WELCOME))
    return comparison, problems


def _changed(choices: list[TokenizerChoice], request: Request) -> tuple[Sequence[TokenizerChoice], list[InputProblem]]:
    """The rows after the button that was pressed: `add`, `remove`, `up`, `down` or `preset`."""
    if request.method != "POST":
        return choices, []
    pressed = {name: request.form[name] for name in ("add", "remove", "up", "down", "preset") if name in request.form}
    for name, value in pressed.items():
        if name == "preset":
            return next((preset.choices for preset in PRESETS if preset.name == value), choices), []
        if name == "add":
            if len(choices) >= MOST:
                return choices, [InputProblem(_("A comparison has at most six tokenizers. Remove one first."), 422)]
            choices.append(TokenizerChoice.parse(value))
            continue
        at = int(value) - 1 if value.isascii() and value.isdecimal() and len(value) < 3 else -1
        if not 0 <= at < len(choices):
            continue
        if name == "remove":
            if len(choices) <= LEAST:
                return choices, [
                    InputProblem(_("A comparison has at least two tokenizers. Add another one first."), 422)
                ]
            del choices[at]
        else:
            to = min(max(at + (1 if name == "down" else -1), 0), len(choices) - 1)
            choices.insert(to, choices.pop(at))
    return choices, []


def uses(comparison: Comparison) -> set[str]:
    """The options that at least one row uses."""
    states: list[State] = comparison.states
    offered = {"show"}
    for state in states:
        if state.trained:
            offered |= {"size", "corpus"}
        offered |= {option.name for option in options_of(state.algorithm)} - (
            {"lowercase"} if state.external else set()
        )
        offered |= {choice.name for choice in choices_of(state.algorithm)}
        if state.vocabulary == "own-dictionary":
            offered.add("dictionary")
        if state.external:
            offered.add("special")
        offered |= set(state.inference_options) - {"inference"}
    return offered
