"""The rows of the table of models."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from flask import url_for
from flask_babel import format_date
from flask_babel import gettext as _

from webapp.pages.models.contexts import ModelRow
from webapp.tokenization.meter import as_of, host_of, not_public, per_million, today
from webapp.vocabularies import library
from webapp.vocabularies.language_models import LanguageModel, is_old
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.localization import number


def groups_of(models: Iterable[LanguageModel]) -> list[tuple[str, Sequence[ModelRow]]]:
    """Return the rows by publisher, in the order of the models."""
    groups: dict[str, list[ModelRow]] = {}
    here = library().fetcher.disk_cache.names()
    for model in models:
        groups.setdefault(model.family, []).append(_row(model, here))
    return list(groups.items())


def _row(model: LanguageModel, here: Container[str]) -> ModelRow:
    name = model.vocabulary
    ends = "" if model.ends is None else format_date(model.ends, "medium")
    until = _("until %(date)s", date=ends) if model.ends and model.ends >= today() else _("ended %(date)s", date=ends)
    return ModelRow(
        model=model,
        vocabulary=WELL_KNOWN[name].title if name else "",
        address=url_for("vocabularies.vocabulary", name=name) if name else "",
        playground=url_for("playground.page", vocabulary=name, algorithm=WELL_KNOWN[name].algorithm, model=model.id)
        if name
        else "",
        status=(_("ready") if name in here else _("downloaded on first use")) if name else not_public(model),
        context=number(model.context) if model.context else "",
        price_in=per_million(model.price_in),
        price_out=per_million(model.price_out),
        up_to=_("up to %(most)s tokens", most=number(model.price_up_to)) if model.price_up_to else "",
        as_of=as_of(model),
        is_old=is_old(model, today()),
        ends=until if ends else "",
        host=host_of(model.source),
    )
