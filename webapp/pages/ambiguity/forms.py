"""The form of `/ambiguity`: a text and a dictionary as in the playground, which ambiguities to list, and a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from flask import Request
from flask_babel import gettext as _

from webapp.core.analysis.ambiguity import Kind
from webapp.pages.ambiguity.examples import EXAMPLES
from webapp.tokenization import forms
from webapp.tokenization.ambiguities import KINDS
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, CatalogueEntry
from webapp.vocabularies.upload_cookie import uploads_of, with_chosen

ALGORITHM = "fmm"  # whose vocabularies are the dictionaries


@dataclass(frozen=True)
class AmbiguityRequest:
    """The state with text and dictionary; the kind of ambiguities, None for both; and the page of the list, from 1."""

    state: State
    kind: Kind | None = None
    page: int = 1

    def query(self, **changes: Any) -> str:
        """The query string of the request, without what is at its default."""
        changed = replace(self, **changes)
        tail: list[tuple[str, str]] = [("kind", changed.kind)] if changed.kind else []
        tail += [("page", str(changed.page))] if changed.page > 1 else []
        query = self.state.query_of_algorithm()
        return f"{query}&{urlencode(tail)}" if tail else query


def read(request: Request) -> tuple[AmbiguityRequest, list[InputProblem]]:
    """The request, with defaults in place of what does not exist, and its problems; the first example for no text."""
    state, problems = forms.read(request, ALGORITHM)
    values = request.form if request.method == "POST" else request.args
    if request.method == "GET" and "text" not in values:
        state = replace(state, text=EXAMPLES[0])
    problems = [one for one in problems if one.field not in ("token", "size", "algorithm")]
    # The button of a filter, or else the filter of the list that the page shows.
    kind = next((each for each in KINDS if each == values.get("list", values.get("kind"))), None)
    page = values.get("page", "") or "1"
    if not (page.isascii() and page.isdecimal() and len(page) <= 7 and int(page) > 0):
        problems.append(InputProblem(_("“%(value)s” is not the number of a page.", value=page[:40]), 404))
        page = "1"
    return AmbiguityRequest(replace(state, token=None, view=""), kind, int(page)), problems


def dictionaries(request: Request, chosen: str) -> list[CatalogueEntry]:
    """The dictionaries to choose from: the visitor's uploads, then the site's own."""
    uploads = with_chosen(uploads_of(request), [chosen])
    return [entry for entry in (*uploads, *CATALOGUE.values()) if ALGORITHM in entry.algorithms]
