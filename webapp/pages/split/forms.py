"""What a visitor asks the splitter for: from an address or a form, and back to the address."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from flask import Request, current_app
from flask_babel import gettext as _
from wtforms import IntegerField, StringField, TextAreaField
from wtforms.validators import InputRequired, NumberRange, ValidationError

from webapp.core.algorithms import DEFAULT
from webapp.core.analysis.chunking import BOUNDARIES, Boundary
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.forms import InputProblem, TranslatedForm, as_typed, text_of, within
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, CatalogueEntry, default_for, find, well_known
from webapp.vocabularies.titles import by_family
from webapp.vocabularies.upload_cookie import uploads_of, with_chosen

MOST = 1_000_000  # tokens of a part
USUAL = {"vocabulary": default_for(DEFAULT), "tokens": "512", "overlap": "0", "boundary": "sentence"}


@dataclass(frozen=True)
class SplitRequest:
    """A text, a vocabulary, and how to split; every value is one that can be shown again."""

    text: str
    vocabulary: str
    tokens: int
    overlap: int
    boundary: Boundary

    def query(self) -> str:
        """The query string that asks for the same."""
        chosen = {"vocabulary": self.vocabulary, "tokens": str(self.tokens), "overlap": str(self.overlap)}
        pairs = [*(chosen | {"boundary": self.boundary}).items()]
        return urlencode([*(pair for pair in pairs if USUAL[pair[0]] != pair[1]), ("text", self.text)])

    def state(self) -> State:
        """The state of the playground with the same text and vocabulary."""
        entry = find(self.vocabulary)
        assert entry is not None
        return State(algorithm=entry.algorithms[0], vocabulary=entry.name, text=self.text)


class SplitForm(TranslatedForm):
    """The fields of the page, and what may stand in them."""

    vocabulary = StringField()
    tokens = IntegerField(validators=[InputRequired(), NumberRange(1, MOST)])
    overlap = IntegerField(validators=[InputRequired(), NumberRange(0, MOST)])
    boundary = StringField()
    text = TextAreaField(filters=[as_typed])

    def validate_vocabulary(self, field: StringField) -> None:
        """There must be a vocabulary of that name, with tokens of its own."""
        entry = find(field.data or "")
        if entry is None or entry.origin in ("learned", "pasted"):
            name = (field.data or "")[:40]
            raise ValidationError(_("There is no vocabulary “%(name)s”. Choose one from the list.", name=name))

    def validate_boundary(self, field: StringField) -> None:
        """One of three."""
        if field.data not in BOUNDARIES:
            raise ValidationError(_("A part must end with a sentence, a line or a token."))

    def validate_overlap(self, field: IntegerField) -> None:
        """Parts that are mostly overlap would multiply the text."""
        if field.data is not None and self.tokens.data and field.data > self.tokens.data // 2:
            raise ValidationError(_("It can be at most half of a part: %(most)s tokens.", most=self.tokens.data // 2))

    def validate_text(self, field: TextAreaField) -> None:
        """A text has a limit in bytes."""
        within(field.data or "", current_app.config["MAX_TEXT_BYTES"], _("The text"))


def read(request: Request) -> tuple[SplitRequest, list[InputProblem]]:
    """What a request asks for, and what is wrong with it; what is wrong has given way to the usual."""
    values = (request.form if request.method == "POST" else request.args).copy()
    upload = request.files.get("file")
    wrong_file = None
    if upload and upload.filename:
        text, wrong_file = text_of(upload)
        if wrong_file is None:
            values["text"] = text
    for name, usual in USUAL.items():
        values.setdefault(name, usual)
    form = SplitForm(values)
    form.validate()
    problems = [_problem(field.name, str(field.errors[0])) for field in form if field.errors]
    if wrong_file:
        problems.append(wrong_file)
    wrong = {problem.field for problem in problems}
    kept = {name: usual if name in wrong else values[name] for name, usual in USUAL.items()}
    tokens = int(kept["tokens"])
    asked = SplitRequest(
        text=form.text.data or "",
        vocabulary=kept["vocabulary"],
        tokens=tokens,
        overlap=min(int(kept["overlap"]), tokens // 2),
        boundary=next(name for name in BOUNDARIES if name == kept["boundary"]),
    )
    return asked, problems


def _problem(name: str, message: str) -> InputProblem:
    titles = {"tokens": _("Maximum tokens per part"), "overlap": _("Overlap")}
    status = {"vocabulary": 404, "text": 413}.get(name, 422)
    return InputProblem(f"{titles[name]}: {message}" if name in titles else message, status, name)


def choices(request: Request, chosen: str) -> list[tuple[str, list[CatalogueEntry]]]:
    """The vocabularies of the select, in groups: the site's own by algorithm, the visitor's uploads, then families."""
    names = algorithm_names()
    own = [entry for entry in CATALOGUE.values() if entry.origin == "shipped"]
    shipped = sorted(own, key=lambda entry: list(names).index(entry.algorithms[-1]))
    uploads = with_chosen(uploads_of(request), [chosen])
    return [(_("Shipped"), shipped), *by_family([*uploads, *well_known()])]
