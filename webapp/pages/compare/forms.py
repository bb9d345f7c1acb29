"""Reads a comparison from an address or a form, with the effect of the button that was pressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flask import Request
from flask_babel import gettext as _

from webapp.core.algorithms import choices_of, options_of
from webapp.pages.compare.presets import PRESETS
from webapp.tokenization.comparison import forms as reading
from webapp.tokenization.comparison.state import LEAST, MOST, Comparison, TokenizerChoice
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.state import State

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
