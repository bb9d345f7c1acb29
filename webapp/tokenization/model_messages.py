"""Sentences about language models: no such model, a tokenizer that is not public, the age of a price."""

from __future__ import annotations

from datetime import UTC, date, datetime

from flask_babel import format_date
from flask_babel import gettext as _

from webapp.vocabularies.language_models import LanguageModel, is_old, model_list, model_of
from webapp.web.localization import current_key, join_list


def model_problem(name: str) -> str:
    """Return why a model cannot be used: it is not in the list, or its tokenizer is not public; empty if it can."""
    model = model_of(name[:200])
    if model is None:
        shown = name if len(name) <= 40 else f"{name[:40]}…"
        near = model_list().near(name)
        if near:
            return _("There is no model “%(name)s” in the list. Similar: %(near)s.", name=shown, near=join_list(near))
        return _("There is no model “%(name)s” in the list.", name=shown)
    return "" if model.vocabulary else not_public(model)


def not_public(model: LanguageModel) -> str:
    """Return the sentence about a model without a public tokenizer, with what the list notes about it."""
    sentence = _("The tokenizer of %(name)s is not public, so its tokens cannot be counted here.", name=model.title)
    note = note_of(model)
    return sentence if not note else f"{sentence}{'' if current_key() == 'zh' else ' '}{note}"


def note_of(model: LanguageModel) -> str:
    """Return what the list notes about a model, in the reader's language."""
    return (current_key() == "zh" and model.note_zh) or model.note


def as_of(model: LanguageModel) -> str:
    """Return the date of a model's figures, and whether they may be out of date: `as of 12 November 2026`."""
    if model.as_of is None:
        return ""
    day = format_date(model.as_of, "long")
    if is_old(model, today()):
        return _("as of %(date)s, more than 90 days ago; check the source", date=day)
    return _("as of %(date)s", date=day)


def today() -> date:
    """Return the day in UTC."""
    return datetime.now(UTC).date()
