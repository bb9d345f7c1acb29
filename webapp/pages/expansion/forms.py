"""The form of `/vocabularies/expand`, read from a URL or a POST, and the query string that repeats it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlencode

from flask import Request, current_app
from flask_babel import gettext as _
from wtforms import StringField, TextAreaField
from wtforms.validators import ValidationError

from webapp.core.algorithms import family_of
from webapp.tokenization.forms import InputProblem, TranslatedForm, as_typed, within
from webapp.tokenization.vocabulary_choices import is_independent
from webapp.vocabularies import CatalogueEntry, find

Source = Literal["vocabulary", "tokens"]

MAX_LIST_BYTES = 1_000_000
DEFAULT_BASE = "bpe-bytes"


@dataclass(frozen=True)
class ExpansionRequest:
    """A base and what to add to it: another vocabulary or a list of tokens; and a text to measure.

    `bridge` adds the pieces in between that merges need.
    """

    base: str = DEFAULT_BASE
    source: Source = "vocabulary"
    addition: str = ""
    tokens: str = ""
    text: str = ""
    bridge: bool = True

    @property
    def complete(self) -> bool:
        """Whether there is something to add."""
        return bool(self.addition if self.source == "vocabulary" else self.tokens.strip())

    def pairs(self) -> list[tuple[str, str]]:
        """The fields of the same request; defaults are left out."""
        chosen = [("base", self.base)]
        if self.source == "tokens":
            chosen += [("source", "tokens"), ("tokens", self.tokens)]
        else:
            chosen += [("addition", self.addition)]
        return [
            *((name, value) for name, value in chosen if value),
            *([("text", self.text)] if self.text else []),
            *([] if self.bridge else [("bridge", "0")]),
        ]

    def query(self) -> str:
        """The query string of the same request."""
        return urlencode(self.pairs(), errors="replace")


class ExpansionForm(TranslatedForm):
    """The fields of the page and their validation."""

    base = StringField()
    source = StringField()
    addition = StringField()
    tokens = TextAreaField(filters=[as_typed])
    text = TextAreaField(filters=[as_typed])

    def validate_base(self, field: StringField) -> None:
        """The base must exist, with pieces that others can stand beside."""
        entry = find(field.data or "")
        if entry is None or not is_expandable(entry):
            name = (field.data or "")[:40]
            raise ValidationError(_("“%(name)s” cannot be expanded. Choose a vocabulary from the list.", name=name))

    def validate_addition(self, field: StringField) -> None:
        """The addition must exist, and must not depend on a text."""
        if self.source.data == "tokens" or not field.data:
            return
        entry = find(field.data)
        if entry is None or entry.origin in ("learned", "pasted"):
            raise ValidationError(
                _("There is no vocabulary “%(name)s”. Choose one from the list.", name=field.data[:40])
            )
        if field.data == self.base.data:
            raise ValidationError(_("This is the base itself. Choose another vocabulary, or a list of tokens."))

    def validate_tokens(self, field: TextAreaField) -> None:
        """Limit the list, in bytes."""
        within(field.data or "", MAX_LIST_BYTES, _("The list"))

    def validate_text(self, field: TextAreaField) -> None:
        """Limit the text, in bytes."""
        within(field.data or "", current_app.config["MAX_TEXT_BYTES"], _("The text"))


def read(request: Request) -> tuple[ExpansionRequest, list[InputProblem]]:
    """The request, with the visitor's own texts in spite of any problem, and its problems."""
    values = (request.form if request.method == "POST" else request.args).copy()
    values.setdefault("base", DEFAULT_BASE)
    if values.get("source") not in get_args(Source):
        values["source"] = "tokens" if values.get("tokens", "").strip() else "vocabulary"
    form = ExpansionForm(values)
    form.validate()
    itself = form.addition.data == form.base.data  # it exists, but there is nothing to add
    status = {"base": 404, "addition": 422 if itself else 404, "tokens": 413, "text": 413}
    problems = [InputProblem(str(field.errors[0]), status[field.name], field.name) for field in form if field.errors]
    wrong = {problem.field for problem in problems}
    asked = ExpansionRequest(
        base=DEFAULT_BASE if "base" in wrong else form.base.data or DEFAULT_BASE,
        source="tokens" if values["source"] == "tokens" else "vocabulary",
        addition="" if "addition" in wrong else form.addition.data or "",
        tokens=form.tokens.data or "",
        text=form.text.data or "",
        # A hidden field comes after the checkbox, so an unchecked box differs from a missing field.
        bridge=values.get("bridge", "1") == "1",
    )
    if request.method == "POST" and not problems and not asked.complete:
        message = (
            _("Choose the vocabulary to add.")
            if asked.source == "vocabulary"
            else _("Enter at least one token, one per line.")
        )
        field = "addition" if asked.source == "vocabulary" else "tokens"
        problems.append(InputProblem(message, 422, field))
    return asked, problems


def is_expandable(entry: CatalogueEntry) -> bool:
    """Whether a vocabulary may be a base: not dictionaries, whole words, or what depends on a text."""
    return is_independent(entry) and family_of(entry.algorithms[0]) in ("merges", "pieces", "language model")
