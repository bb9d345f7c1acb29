"""The form of sharing: a title, a note, and how long to keep the snapshot."""

from __future__ import annotations

from flask import Request
from flask_babel import get_locale
from flask_babel import gettext as _
from wtforms import DateField, Form, StringField, TextAreaField
from wtforms.validators import ValidationError

from webapp.sharing.terms import LONGEST_NOTE, LONGEST_TITLE, ShareTerms, end_of
from webapp.tokenization.forms import InputProblem, as_typed


class ShareForm(Form):
    """The fields of sharing, sent together with those of the result's page."""

    class Meta:
        """Translates WTForms' own messages into the reader's language."""

        @property
        def locales(self) -> list[str]:
            """The reader's language, with English as the fallback."""
            return [str(get_locale()), "en"]

    title = StringField(filters=[lambda text: " ".join((text or "").split())])
    note = TextAreaField(filters=[as_typed, str.strip])
    keep = StringField(default="forever")
    until = DateField()

    def validate_title(self, field: StringField) -> None:
        """The title has a maximum length."""
        _within(field.data, LONGEST_TITLE, _("The title"))

    def validate_note(self, field: TextAreaField) -> None:
        """The note has a maximum length."""
        _within(field.data, LONGEST_NOTE, _("The note"))


def read(request: Request) -> tuple[ShareTerms, list[InputProblem]]:
    """The terms of sharing in a request, and the problems of the form."""
    form = ShareForm(request.form)
    form.validate()
    expires = end_of(form.until.data) if form.keep.data == "until" else None
    if expires is None and form.keep.data != "forever":
        form.until.errors = [_("Choose a day after today as the last day, or keep it forever.")]
    elif form.keep.data == "forever":
        form.until.errors = []  # without an expiry, the date field is ignored
    problems = [InputProblem(str(message), 422, field.name) for field in form for message in field.errors]
    return ShareTerms(form.title.data or "", form.note.data or "", expires), problems


def _within(text: str | None, limit: int, subject: str) -> None:
    text = text or ""
    if len(text) > limit:
        raise ValidationError(
            _(
                "%(subject)s has %(size)s characters; the limit is %(limit)s.",
                subject=subject,
                size=f"{len(text):,}",
                limit=f"{limit:,}",
            )
        )
