"""Snapshots of comparisons: kept, shown, embedded, and their card."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from flask import Request, url_for
from flask_babel import gettext as _

from webapp.pages.share.views import about
from webapp.rendering import pictures
from webapp.sharing.comparisons import KeptComparison, keep_comparison
from webapp.sharing.terms import Terms
from webapp.storage import Shared, Stored
from webapp.tokenization.comparison.forms import read
from webapp.tokenization.comparison.rows import compare
from webapp.tokenization.comparison.views import ComparisonView
from webapp.tokenization.forms import Problem
from webapp.tokenization.picture_captions import picture_words
from webapp.vocabularies import OnItsWayError
from webapp.web.localization import current_key, number


def share(request: Request, wanted: Terms, problems: list[Problem]) -> tuple[Shared | None, list[Problem]]:
    """Keep the comparison of a form; or say why it cannot be kept. Raises what `keep` does."""
    comparison, wrong = read(request)
    problems = [*wrong, *problems]
    if problems:
        return None, problems
    compared = compare(comparison)
    for row in compared.rows:
        if row.pending:
            raise OnItsWayError(row.pending.entry, row.pending.received, row.pending.total)
        if row.problem:
            message = f"{row.number} {row.title}: {row.problem.message}"
            problems.append(Problem(message, row.problem.status, row.problem.field))
        if row.result:
            row.result.settle()
    if problems:
        sentence = _("A comparison is kept whole: remove the rows that have no tokens, then share it.")
        return None, [*problems, Problem(sentence)]
    return keep_comparison(comparison, compared, wanted), []


def page_part(stored: Stored) -> dict[str, Any]:
    """For `share/comparison.html` and `share/embed_comparison.html`."""
    kept = KeptComparison(stored.snapshot)
    return {
        **ComparisonView(kept.comparison, kept.compared).part(),
        **about(stored, describe(kept)),
        "shown_title": title_of(stored),
        "differs": kept.differs,
        "fields": parse_qsl(kept.comparison.query(), keep_blank_values=True),
        "origin": url_for("compare.page"),
        "open_copy": _("Open a copy to go on comparing"),
        "twin": url_for("snapshots.twin", id=stored.id),
    }


def title_of(stored: Stored) -> str:
    """What its author called it, or what it is."""
    title: str = stored.snapshot.state.get("title", "")
    return title or _("Tokenizers compared")


def describe(kept: KeptComparison) -> str:
    """One line about a comparison, for whoever unfolds its link."""
    rows = [f"{row.title} {number(len(encoding))}" for row, encoding in kept.compared.shown]
    return _(
        "Tokens of %(characters)s characters: %(rows)s.",
        characters=number(len(kept.compared.text)),
        rows=("，" if current_key() == "zh" else ", ").join(rows),
    )


def card(stored: Stored) -> bytes:
    """The picture that the link of a comparison unfolds to."""
    shown = KeptComparison(stored.snapshot).compared.shown
    rows = [(row.title, encoding) for row, encoding in shown]
    return pictures.comparison_card(rows, title=title_of(stored), words=picture_words())
