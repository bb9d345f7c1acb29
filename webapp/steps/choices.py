"""The vocabularies that the page of an algorithm offers."""

from __future__ import annotations

from itertools import groupby

from flask import Request
from flask_babel import gettext as _

from webapp.results.state import State
from webapp.results.words import options
from webapp.vocabularies import Entry, entries_for, well_known
from webapp.vocabularies.own import found, uploads_of


def choices(request: Request, state: State) -> list[tuple[str, list[Entry]]]:
    """The site's own without a heading, the visitor's uploads, then the families of the well-known ones."""
    own = [entry for entry in entries_for(state.algorithm) if entry.origin != "pasted" or state.dictionary]
    uploads = [entry for entry in uploads_of(request) if state.algorithm in entry.algorithms]
    chosen = found(state.vocabulary)
    if chosen is not None and chosen.origin == "uploaded" and chosen.name not in {entry.name for entry in uploads}:
        uploads = [chosen, *uploads]
    groups = [("", own)]
    if uploads:
        groups.append((_("Uploaded"), uploads))
    known = [entry for entry in well_known() if state.algorithm in entry.algorithms]
    return groups + [(family, list(entries)) for family, entries in groupby(known, key=lambda entry: entry.family)]


def switches(state: State) -> list[tuple[str, bool, str]]:
    """The checkboxes that matter to an algorithm: field, whether it is ticked, its words."""
    if state.algorithm in ("fmm", "bmm"):
        wanted = {"runs"}
    elif state.brought:
        wanted = {"special", "template"}
    else:
        wanted = {"special"} if state.algorithm != "wordpiece" else {"special", "lowercase"}
    return [(name, checked, title) for name, checked, title, _groups in options(state) if name in wanted]


def carried(state: State) -> list[tuple[str, str]]:
    """What the form sends on unseen."""
    return [("size", str(state.size))] if state.learned and state.size is not None else []
