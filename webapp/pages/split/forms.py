"""The form of `/split`, read from a URL or a POST, and the query string that repeats it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Request, current_app
from flask_babel import gettext as _
from wtforms import Field, IntegerField, StringField, TextAreaField
from wtforms.validators import InputRequired, NumberRange, ValidationError

from webapp.core.algorithms import DEFAULT
from webapp.core.analysis.chunking import BOUNDARIES, Boundary
from webapp.tokenization.forms import InputProblem, TranslatedForm, as_typed, text_of, within
from webapp.tokenization.state import State
from webapp.tokenization.vocabulary_choices import is_choice
from webapp.vocabularies import default_for, find

MAX_TOKENS = 1_000_000  # per part
DEFAULTS = {"vocabulary": default_for(DEFAULT), "tokens": "512", "overlap": "0", "boundary": "sentence"}


@dataclass(frozen=True)
class SplitRequest:
    """A text, a vocabulary and how to split; every value is valid and can be shown in the form again."""

    text: str
    vocabulary: str
    tokens: int
    overlap: int
    boundary: Boundary

    def query(self) -> str:
        """The query string of the same request; defaults are left out."""
        chosen = {"vocabulary": self.vocabulary, "tokens": str(self.tokens), "overlap": str(self.overlap)}
        pairs = [*(chosen | {"boundary": self.boundary}).items()]
        return urlencode([*(pair for pair in pairs if DEFAULTS[pair[0]] != pair[1]), ("text", self.text)])

    def state(self) -> State:
        """The playground's state with the same text and vocabulary."""
        entry = find(self.vocabulary)
        assert entry is not None
        return State(algorithm=entry.algorithms[0], vocabulary=entry.name, text=self.text)


class SplitForm(TranslatedForm):
    """The fields of the page and their validation."""

    vocabulary = StringField()
    tokens = IntegerField(validators=[InputRequired(), NumberRange(1, MAX_TOKENS)])
    overlap = IntegerField(validators=[InputRequired(), NumberRange(0, MAX_TOKENS)])
    boundary = StringField()
    text = TextAreaField(filters=[as_typed])

    def validate_vocabulary(self, field: StringField) -> None:
        """The vocabulary must exist, and must not depend on the text or on pasted words."""
        if not is_choice(field.data or ""):
            name = (field.data or "")[:40]
            raise ValidationError(_("There is no vocabulary “%(name)s”. Choose one from the list.", name=name))

    def validate_boundary(self, field: StringField) -> None:
        """The boundary must be one of `BOUNDARIES`."""
        if field.data not in BOUNDARIES:
            raise ValidationError(_("A part must end with a sentence, a line or a token."))

    def validate_overlap(self, field: IntegerField) -> None:
        """Reject an overlap of more than half a part: text would be repeated in many parts."""
        if field.data is not None and self.tokens.data and field.data > self.tokens.data // 2:
            raise ValidationError(_("It can be at most half of a part: %(most)s tokens.", most=self.tokens.data // 2))

    def validate_text(self, field: TextAreaField) -> None:
        """The text must not exceed the limit in bytes."""
        within(field.data or "", current_app.config["MAX_TEXT_BYTES"], _("The text"))


def read(request: Request) -> tuple[SplitRequest, list[InputProblem]]:
    """The request, with defaults in place of invalid values, and its problems."""
    values = (request.form if request.method == "POST" else request.args).copy()
    upload = request.files.get("file")
    file_problem = None
    if upload and upload.filename:
        text, file_problem = text_of(upload)
        if file_problem is None:
            values["text"] = text
    for name, default in DEFAULTS.items():
        values.setdefault(name, default)
    form = SplitForm(values)
    form.validate()
    problems = [_problem(field, values.get(field.name, "")[:40]) for field in form if field.errors]
    if file_problem:
        problems.append(file_problem)
    invalid = {problem.field for problem in problems}
    valid = {name: default if name in invalid else values[name] for name, default in DEFAULTS.items()}
    tokens = int(valid["tokens"])
    asked = SplitRequest(
        text=form.text.data or "",
        vocabulary=valid["vocabulary"],
        tokens=tokens,
        overlap=min(int(valid["overlap"]), tokens // 2),
        boundary=next(name for name in BOUNDARIES if name == valid["boundary"]),
    )
    return asked, problems


def _problem(field: Field, value: str) -> InputProblem:
    """The first problem of a field; WTForms' own message about a number does not show the value."""
    message = _("“%(value)s” is not a whole number.", value=value) if field.process_errors else str(field.errors[0])
    status = {"vocabulary": 404, "text": 413}.get(field.name, 422)
    return InputProblem(message, status, field.name, value if field.name in ("tokens", "overlap") else "")
