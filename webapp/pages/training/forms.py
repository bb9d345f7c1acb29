"""Reads the request for a training from an address or a form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from flask import Request
from flask_babel import gettext as _
from flask_babel import ngettext
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, Field, Form, IntegerField, StringField, TextAreaField
from wtforms.validators import NumberRange, Optional, ValidationError

from webapp.pages.training import packed_links
from webapp.pages.training.counted_words import MOST_COUNT, CountProblem
from webapp.pages.training.request import MOST, MOST_TEXT, TrainingRequest
from webapp.pages.training.trainings import (
    LABELLED,
    LONGER,
    MINIMUM,
    ORDER,
    SMOOTHING,
    TRAININGS,
    Training,
    TrainingOption,
)
from webapp.pages.walkthrough.cells import quotable
from webapp.tokenization.forms import InputProblem, TranslatedForm, as_typed
from webapp.web.localization import number


def _one_of(option: TrainingOption) -> Callable[[Form, Field], None]:
    """A validator that rejects a value which is not one of the option's choices."""

    def validate(_form: Form, field: Field) -> None:
        if str(field.data) not in dict(option.choices):
            raise ValidationError(_("There is no such choice. Choose one from the list."))

    return validate


class TrainingForm(TranslatedForm):
    """The fields of the page and their validation."""

    symbols = StringField()
    corpus = TextAreaField(filters=[as_typed])
    size = IntegerField(validators=[Optional()])
    text = StringField()
    example = IntegerField(validators=[Optional()])  # the preset whose text the form shows
    as_text = BooleanField(false_values=("0", ""))
    apart = BooleanField(false_values=("0", ""))
    minimum = IntegerField(validators=[Optional(), NumberRange(MINIMUM.least, MINIMUM.most)])
    longer = IntegerField(validators=[Optional(), NumberRange(LONGER.least, LONGER.most)])
    plain = BooleanField(false_values=("0", ""))
    every = BooleanField(false_values=("0", ""))
    order = IntegerField(validators=[Optional(), _one_of(ORDER)])
    smoothing = StringField(validators=[Optional(), _one_of(SMOOTHING)])
    step = IntegerField(validators=[Optional()])

    def validate_corpus(self, field: TextAreaField) -> None:
        """Reject a corpus that is longer than `MOST` or than an address can hold."""
        count = len(field.data or "")
        if count > MOST:
            raise ValidationError(
                _(
                    "The corpus has %(count)s characters; training is shown on up to %(most)s.",
                    count=number(count),
                    most=number(MOST),
                )
            )
        if len(packed_links.parameters(field.data or "")[1]) > packed_links.LONGEST:
            raise ValidationError(_("The corpus does not fit into an address. Shorten it and try again."))

    def validate_text(self, field: StringField) -> None:
        """Reject a text that is longer than `MOST_TEXT`."""
        count = len(field.data or "")
        if count > MOST_TEXT:
            raise ValidationError(
                _(
                    "The text to tokenize has %(count)s characters; the limit is %(most)s.",
                    count=number(count),
                    most=number(MOST_TEXT),
                )
            )

    def validate_step(self, field: IntegerField) -> None:
        """Reject a negative step."""
        if field.data is not None and field.data < 0:
            raise ValidationError(_("Steps are counted from 0."))


def read(request: Request, algorithm: str) -> tuple[TrainingRequest, list[InputProblem]]:
    """The request and its problems; a field with a problem has its default."""
    values = MultiDict(request.form if request.method == "POST" else request.args)
    problems = []
    if "packed" in values and "corpus" not in values:
        text = packed_links.unpacked(values["packed"])
        if text is None:
            problems.append(InputProblem(_("The corpus in this address cannot be read: a part of it is missing."), 422))
        values["corpus"] = text or ""
    form = TrainingForm(values)
    if not form.validate():
        problems += [_problem(form, name) for name in form.errors]
    wrong = set(form.errors)

    def of(name: str, usual: Any) -> Any:
        return usual if name in wrong or form[name].data in (None, "") else form[name].data

    kind = TrainingRequest(algorithm, symbols=form.symbols.data or "")
    asked = kind if kind.kind in TRAININGS else TrainingRequest(algorithm)
    training = TRAININGS[asked.kind]
    asked = replace(
        asked,
        corpus=form.corpus.data or "",
        size=of("size", None) if training.size else None,
        text=form.text.data or "",
        as_text=form.as_text.data,
        step=of("step", None),
        **{option.name: of(option.name, getattr(asked, option.name)) for option in training.options},
    )
    if request.method == "POST":
        asked = _without_text_of_another_corpus(asked, training, of("example", None))
    if not problems and asked.counted:
        problems += _count_problems(asked.counted.problems)
    if not problems and (wrong_size := _size_problem(training, asked.size)):
        problems.append(InputProblem(wrong_size, 422, "size"))
    return asked, problems


def _without_text_of_another_corpus(asked: TrainingRequest, training: Training, example: int | None) -> TrainingRequest:
    """The request without the text of an example if the visitor has changed the example's corpus but not its text."""
    if example is None or not 0 <= example < len(training.presets):
        return asked
    preset = training.presets[example][1]
    changed = asked.corpus.split() != preset.corpus.split()
    return replace(asked, text="") if changed and asked.text == preset.text else asked


MOST_LINES = 5  # problems with lines of the corpus that are shown


def _count_problems(problems: Sequence[CountProblem]) -> list[InputProblem]:
    """A sentence for each of the first lines that have no count, or an invalid one."""
    sentences = [_count_problem(one) for one in problems[:MOST_LINES]]
    if (more := len(problems) - MOST_LINES) > 0:
        sentences.append(ngettext("One more entry has a problem.", "%(num)s more entries have problems.", more))
    return [InputProblem(sentence, 422, "counts") for sentence in sentences]


def _count_problem(one: CountProblem) -> str:
    word = quotable(one.word)
    if one.count is None:
        return _(
            "Line %(line)s: “%(word)s” has no count. Write, for example, “%(word)s 3”.",
            line=number(one.line),
            word=word,
        )
    return _(
        "Line %(line)s: “%(count)s” is not a count for “%(word)s”. Write a whole number from 1 to %(most)s.",
        line=number(one.line),
        count=one.count[:40],
        word=word,
        most=number(MOST_COUNT),
    )


def _size_problem(training: Training, size: int | None) -> str:
    range = training.size
    if range is None or size is None or range.least <= size <= range.most:
        return ""
    return str(range.problem) % {"least": number(range.least), "most": number(range.most)}


def _problem(form: TrainingForm, name: str) -> InputProblem:
    field = form[name]
    message = str(field.errors[0])
    if field.process_errors:  # WTForms' message does not quote the value
        message = _("“%(value)s” is not a whole number.", value=str((field.raw_data or [""])[0])[:40])
    elif label := next((option.label for option in LABELLED if option.name == name), None):
        message = f"{label}: {message}"
    return InputProblem(message, 413 if name in ("corpus", "text") else 422, name)


def opening_of(corpus: str) -> str:
    """The beginning of a corpus that is too long, cut to the limits at the end of a word."""
    if len(corpus) <= MOST and len(packed_links.parameters(corpus)[1]) <= packed_links.LONGEST:
        return corpus
    kept = corpus[: MOST if len(corpus) > MOST else len(corpus) // 2]
    space = max(kept.rfind(" "), kept.rfind("\n"))
    return kept[:space] if space > len(kept) // 2 else kept
