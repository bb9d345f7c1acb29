"""Reading a comparison from an address, from a plain form, or from htmx, all alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

from flask import Request
from flask_babel import gettext as _

from webapp.tokenization import forms
from webapp.tokenization.comparison.state import (
    LEAST,
    MOST,
    SAME_CORPUS,
    Comparison,
    Layout,
    TokenizerChoice,
    alternatives_to,
)
from webapp.tokenization.forms import InputProblem

Change = Callable[[list[TokenizerChoice]], tuple[Sequence[TokenizerChoice], list[InputProblem]]]


def read(request: Request, change: Change = lambda choices: (choices, [])) -> tuple[Comparison, list[InputProblem]]:
    """What a request asks for, and what is wrong with it as a whole; what is wrong with a row is told in its place.

    `change` is what a button does to the rows.
    """
    common, problems = forms.read(request)
    values = request.form if request.method == "POST" else request.args
    written = values.getlist("with")
    choices: Sequence[TokenizerChoice] = SAME_CORPUS
    if written:
        choices = list(map(TokenizerChoice.parse, written))
    elif "algorithm" in values:  # from the playground
        choices = alternatives_to(TokenizerChoice(common.algorithm, common.vocabulary))
    choices, more = change(list(choices))
    if len(choices) > MOST:
        more = [*more, InputProblem(_("At most six tokenizers are compared; these are the first six."), 422)]
    elif len(choices) < LEAST:
        more = [*more, InputProblem(_("Choose two tokenizers at least."), 422)]
    asked = (values.getlist("layout") or ["lines"])[-1]
    layout: Layout = next((name for name in get_args(Layout) if name == asked), "lines")
    problems = [one for one in problems if one.field not in ("token", "algorithm", "vocabulary")]
    return Comparison(tuple(choices[:MOST]), replace(common, token=None, template=False), layout), [*problems, *more]
