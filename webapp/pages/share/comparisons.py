"""Snapshots of comparisons: kept, shown, embedded, and their card."""

from __future__ import annotations

from urllib.parse import parse_qsl

from flask import Request, url_for
from flask_babel import gettext as _

from webapp.pages.share.contexts import ComparisonSnapshotEmbed, ComparisonSnapshotPage, SnapshotAbout
from webapp.rendering import pictures
from webapp.sharing.comparisons import RestoredComparison, share_comparison
from webapp.sharing.terms import ShareTerms
from webapp.storage import ShareReceipt, StoredSnapshot
from webapp.tokenization.comparison.forms import read
from webapp.tokenization.comparison.rows import compare_tokenizers
from webapp.tokenization.comparison.views import ComparisonView
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.picture_captions import picture_words
from webapp.vocabularies import StillFetchingError
from webapp.web.localization import current_key, number


def share(
    request: Request, wanted: ShareTerms, problems: list[InputProblem]
) -> tuple[ShareReceipt | None, list[InputProblem]]:
    """Keep the comparison of a form; or say why it cannot be kept. Raises what `keep` does."""
    comparison, wrong = read(request)
    problems = [*wrong, *problems]
    if problems:
        return None, problems
    compared = compare_tokenizers(comparison)
    for row in compared.rows:
        if row.pending:
            raise StillFetchingError(row.pending.entry, row.pending.received, row.pending.total)
        if row.problem:
            message = f"{row.number} {row.title}: {row.problem.message}"
            problems.append(InputProblem(message, row.problem.status, row.problem.field))
        if row.result:
            row.result.settle()
    if problems:
        sentence = _("A comparison can be shared only if every row has tokens. Remove the other rows, then share it.")
        return None, [*problems, InputProblem(sentence)]
    return share_comparison(comparison, compared, wanted), []


def page_context(stored: StoredSnapshot) -> ComparisonSnapshotPage:
    """The page of a comparison."""
    return _shown(stored, ComparisonSnapshotPage)


def embed_context(stored: StoredSnapshot) -> ComparisonSnapshotPage:
    """The rows alone, for a frame."""
    return _shown(stored, ComparisonSnapshotEmbed)


def _shown(stored: StoredSnapshot, context: type[ComparisonSnapshotPage]) -> ComparisonSnapshotPage:
    kept = RestoredComparison(stored.snapshot)
    return context(
        comparison_shown=ComparisonView(kept.comparison, kept.compared).context(),
        about=_about(stored, kept),
        twin=url_for("share.as_json", id=stored.id),
    )


def _about(stored: StoredSnapshot, kept: RestoredComparison) -> SnapshotAbout:
    told = stored.snapshot.state
    return SnapshotAbout(
        stored=stored,
        title=told.get("title", ""),
        shown_title=title_of(stored),
        note=told.get("note", ""),
        description=describe(kept),
        core_version=stored.snapshot.core_version,
        differs=kept.differs,
        address=url_for("share.page", id=stored.id, _external=True),
        origin=url_for("compare.page"),
        open_copy=_("Open a copy in Compare"),
        fields=parse_qsl(kept.comparison.query(), keep_blank_values=True),
    )


def title_of(stored: StoredSnapshot) -> str:
    """What its author called it, or what it is."""
    title: str = stored.snapshot.state.get("title", "")
    return title or _("Comparison of tokenizers")


def describe(kept: RestoredComparison) -> str:
    """One line about a comparison, for whoever unfolds its link."""
    rows = [f"{row.title} {number(len(encoding))}" for row, encoding in kept.compared.shown]
    return _(
        "Tokens for %(characters)s characters: %(rows)s.",
        characters=number(len(kept.compared.text)),
        rows=("，" if current_key() == "zh" else ", ").join(rows),
    )


def card(stored: StoredSnapshot) -> bytes:
    """The picture that the link of a comparison unfolds to."""
    shown = RestoredComparison(stored.snapshot).compared.shown
    rows = [(row.title, encoding) for row, encoding in shown]
    return pictures.comparison_card(rows, title=title_of(stored), words=picture_words())
