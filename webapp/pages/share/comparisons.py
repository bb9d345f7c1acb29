"""Snapshots of comparisons: store, show and embed them, and draw their preview card."""

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
    request: Request, terms: ShareTerms, problems: list[InputProblem]
) -> tuple[ShareReceipt | None, list[InputProblem]]:
    """Store the comparison of a form, or return the problems that prevent it. Raises what `share_comparison` does."""
    comparison, form_problems = read(request)
    problems = [*form_problems, *problems]
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
            row.result.check_computable()
    if problems:
        sentence = _("A comparison can be shared only if every row has tokens. Remove the other rows, then share it.")
        return None, [*problems, InputProblem(sentence)]
    return share_comparison(comparison, compared, terms), []


def page_context(stored: StoredSnapshot) -> ComparisonSnapshotPage:
    """The context of the page of a comparison."""
    return _context(stored, ComparisonSnapshotPage)


def embed_context(stored: StoredSnapshot) -> ComparisonSnapshotPage:
    """The context of the embedded page: the rows alone."""
    return _context(stored, ComparisonSnapshotEmbed)


def _context(stored: StoredSnapshot, context: type[ComparisonSnapshotPage]) -> ComparisonSnapshotPage:
    restored = RestoredComparison(stored.snapshot)
    return context(
        comparison_shown=ComparisonView(restored.comparison, restored.compared).context(),
        about=_about(stored, restored),
        json_url=url_for("share.as_json", id=stored.id),
    )


def _about(stored: StoredSnapshot, restored: RestoredComparison) -> SnapshotAbout:
    state = stored.snapshot.state
    return SnapshotAbout(
        stored=stored,
        title=state.get("title", ""),
        shown_title=title_of(stored),
        note=state.get("note", ""),
        description=describe(restored),
        core_version=stored.snapshot.core_version,
        differs=restored.differs,
        address=url_for("share.page", id=stored.id, _external=True),
        origin=url_for("compare.page"),
        open_copy=_("Open a copy in Compare"),
        fields=parse_qsl(restored.comparison.query(), keep_blank_values=True),
    )


def title_of(stored: StoredSnapshot) -> str:
    """The author's title, or a generic one."""
    title: str = stored.snapshot.state.get("title", "")
    return title or _("Comparison of tokenizers")


def describe(restored: RestoredComparison) -> str:
    """One line about a comparison, for link previews."""
    rows = [f"{row.title} {number(len(encoding))}" for row, encoding in restored.compared.shown]
    return _(
        "Tokens for %(characters)s characters: %(rows)s.",
        characters=number(len(restored.compared.text)),
        rows=("，" if current_key() == "zh" else ", ").join(rows),
    )


def card(stored: StoredSnapshot) -> bytes:
    """The preview card of a comparison, as PNG."""
    shown = RestoredComparison(stored.snapshot).compared.shown
    rows = [(row.title, encoding) for row, encoding in shown]
    return pictures.comparison_card(rows, title=title_of(stored), words=picture_words())
