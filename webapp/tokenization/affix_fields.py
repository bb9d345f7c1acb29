"""The fields for a language model, for tokens around the text and for added tokens: what they accept."""

from __future__ import annotations

from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict
from wtforms import Field, Form
from wtforms.validators import ValidationError

from webapp.core.affixes import MOST_AROUND
from webapp.tokenization.meter import model_problem
from webapp.vocabularies import find
from webapp.vocabularies.language_models import model_of

MOST_ADDED, LONGEST_ADDED = 100, 64
LONGEST_NAME = 100
LONGEST_FIELD = 20_000  # characters


def usable_model(_form: Form, field: Field) -> None:
    """Require a model of the list whose tokenizer is public."""
    problem = model_problem(field.data) if field.data else ""
    if problem:
        raise ValidationError(problem)


def few_names(_form: Form, field: Field) -> None:
    """Limit the names of tokens around the text."""
    text = field.data or ""
    names = text.split() if len(text) <= LONGEST_FIELD else [text]
    if len(names) > MOST_AROUND or any(len(name) > LONGEST_NAME for name in names):
        raise ValidationError(
            _(
                "Name at most %(most)s tokens of at most %(longest)s characters, separated by spaces.",
                most=MOST_AROUND,
                longest=LONGEST_NAME,
            )
        )


def few_added(_form: Form, field: Field) -> None:
    """Limit the tokens that a visitor adds."""
    text = field.data or ""
    lines = [line for line in text.split("\n") if line.strip()] if len(text) <= LONGEST_FIELD else [text]
    if len(lines) > MOST_ADDED:
        count = f"{len(lines):,}"
        raise ValidationError(_("%(count)s tokens; at most %(most)s can be added.", count=count, most=MOST_ADDED))
    for number, line in enumerate(text.split("\n") if len(lines) > 1 else [text], 1):
        if len(line) > LONGEST_ADDED:
            raise ValidationError(
                _(
                    "Line %(number)s has %(length)s characters; a token may have %(most)s.",
                    number=number,
                    length=f"{len(line):,}",
                    most=LONGEST_ADDED,
                )
            )


def pick_by_model(values: MultiDict[str, str]) -> None:
    """Join the names that several switches send; without a vocabulary, choose that of the model."""
    for name in ("prefix", "suffix"):
        if len(values.getlist(name)) > 1:
            values[name] = " ".join(values.getlist(name)[: 2 * MOST_AROUND])
    if any(values.getlist("vocabulary")) or values.get("pick"):
        return
    model = model_of(values.get("model", "")[:LONGEST_NAME])
    entry = find(model.vocabulary) if model and model.vocabulary else None
    if entry is not None:
        values["vocabulary"] = entry.name
        if values["algorithm"] not in entry.algorithms:
            values["algorithm"] = entry.algorithms[0]
