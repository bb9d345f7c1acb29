"""What an author says when sharing: a title, a note, how long to keep it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from flask import Request
from flask_babel import get_locale
from flask_babel import gettext as _
from wtforms import DateField, Form, StringField, TextAreaField
from wtforms.validators import ValidationError

from webapp.results.forms import Problem, as_typed

LONGEST_TITLE = 120
LONGEST_NOTE = 2_000
LONGEST_YEARS = 100


class ShareForm(Form):
    """The fields beside those of the playground."""

    class Meta:
        """WTForms' own messages come in the reader's language."""

        @property
        def locales(self) -> list[str]:
            """The reader's language, then English."""
            return [str(get_locale()), "en"]

    title = StringField(filters=[lambda text: " ".join((text or "").split())])
    note = TextAreaField(filters=[as_typed, str.strip])
    keep = StringField(default="forever")
    until = DateField()

    def validate_title(self, field: StringField) -> None:
        """A line, not a page."""
        _within(field.data, LONGEST_TITLE, _("The title"))

    def validate_note(self, field: TextAreaField) -> None:
        """A paragraph or two."""
        _within(field.data, LONGEST_NOTE, _("The note"))


@dataclass(frozen=True)
class Sharing:
    """What the author said; `expires` is the end of the last day, in UTC, or None for good."""

    title: str
    note: str
    expires: datetime | None


def read(request: Request) -> tuple[Sharing, list[Problem]]:
    """What a request says about sharing, and what is wrong with it."""
    form = ShareForm(request.form)
    form.validate()
    expires = end_of(form.until.data) if form.keep.data == "until" else None
    if expires is None and form.keep.data != "forever":
        form.until.errors = [_("Choose a day after today up to which to keep it, or keep it for good.")]
    elif form.keep.data == "forever":
        form.until.errors = []  # a day that is not asked for may be anything
    problems = [Problem(str(message), 422, field.name) for field in form for message in field.errors]
    return Sharing(form.title.data or "", form.note.data or "", expires), problems


def end_of(day: date | None) -> datetime | None:
    """The end of the last day to keep something, in UTC; None for a day that is not to come, or too far away."""
    today = datetime.now(UTC).date()
    if day is None or not today < day <= today + timedelta(days=366 * LONGEST_YEARS):
        return None
    return datetime.combine(day + timedelta(days=1), time(), UTC)


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
