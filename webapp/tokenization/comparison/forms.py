"""Read a comparison from an address, from a plain form, or from htmx, with the same result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from flask import Request
from flask_babel import gettext as _

from webapp.core.inference.records import OWN
from webapp.tokenization import forms
from webapp.tokenization.comparison.state import (
    LEAST,
    MOST,
    SAME_CORPUS,
    Comparison,
    TokenizerChoice,
    alternatives_to,
    layout_of,
)
from webapp.tokenization.forms import InputProblem

Change = Callable[[list[TokenizerChoice]], tuple[Sequence[TokenizerChoice], list[InputProblem]]]


def read(request: Request, change: Change = lambda choices: (choices, [])) -> tuple[Comparison, list[InputProblem]]:
    """Return the requested comparison and the problems of the request as a whole; a row reports its own problem.

    `change` applies a button to the rows.
    """
    common, problems = forms.read(request)
    values = request.form if request.method == "POST" else request.args
    requested_choices = values.getlist("with")
    choices: Sequence[TokenizerChoice] = SAME_CORPUS
    if requested_choices:
        choices = list(map(TokenizerChoice.parse, requested_choices))
        by = values.getlist("by")  # the form has a list of inferences for each row
        if len(by) == len(choices):
            choices = [choice.by(inference) for choice, inference in zip(choices, by, strict=True)]
    elif "algorithm" in values:  # from the playground
        choices = alternatives_to(TokenizerChoice(common.algorithm, common.vocabulary).by(common.inference))
    choices, more = change(list(choices))
    if len(choices) > MOST:
        more = [*more, InputProblem(_("You can compare up to six tokenizers; only the first six are shown."), 422)]
    elif len(choices) < LEAST:
        more = [*more, InputProblem(_("Choose at least two tokenizers."), 422)]
    layout = layout_of((values.getlist("layout") or [""])[-1])
    problems = [one for one in problems if one.field not in ("token", "algorithm", "vocabulary")]
    common = replace(common, token=None, template=False, inference=OWN)
    return Comparison(tuple(choices[:MOST]), common, layout), [*problems, *more]
