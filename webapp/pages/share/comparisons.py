"""Snapshots of comparisons: store, show and embed them, and draw their preview card."""

from __future__ import annotations

from dataclasses import replace

from flask import Request, Response, abort, url_for
from flask_babel import gettext as _

from webapp.pages.share.contexts import ComparisonSnapshotEmbed, ComparisonSnapshotPage, SnapshotAbout
from webapp.pages.share.views import about_snapshot
from webapp.rendering import pictures
from webapp.sharing.comparisons import RestoredComparison, share_comparison
from webapp.sharing.results import ShareTerms
from webapp.storage import ShareReceipt, StoredSnapshot
from webapp.tokenization.comparison import exports
from webapp.tokenization.comparison.forms import read
from webapp.tokenization.comparison.rows import compare_tokenizers
from webapp.tokenization.comparison.state import layout_of
from webapp.tokenization.comparison.views import ComparisonTools, ComparisonView
from webapp.tokenization.exports import picture_words
from webapp.tokenization.forms import InputProblem
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


def page_context(stored: StoredSnapshot, layout: str | None = None) -> ComparisonSnapshotPage:
    """The context of the page of a comparison, in the author's layout or in another one."""
    restored = RestoredComparison(stored.snapshot)
    comparison = restored.comparison
    if layout is not None:
        comparison = replace(comparison, layout=layout_of(layout))
    tools = ComparisonTools(
        layouts=exports.layouts(lambda name: url_for("share.page", id=stored.id, layout=name)),
        downloads=exports.downloads(lambda kind: _file_path(stored, kind), ""),
    )
    return ComparisonSnapshotPage(
        view=ComparisonView(comparison, restored.compared, tools),
        about=_about(stored, restored),
    )


def embed_context(stored: StoredSnapshot) -> ComparisonSnapshotEmbed:
    """The context of the embedded page: the stage alone, without links to pages that cannot be framed."""
    restored = RestoredComparison(stored.snapshot)
    view = ComparisonView(restored.comparison, restored.compared, linked=False)
    return ComparisonSnapshotEmbed(view=view, about=_about(stored, restored))


def as_file(stored: StoredSnapshot, kind: str) -> Response:
    """The comparison as a file; not found for a kind that there is not."""
    if kind not in exports.WRITERS:
        abort(404)
    restored = RestoredComparison(stored.snapshot)
    return exports.as_file(ComparisonView(restored.comparison, restored.compared), kind)


def _file_path(stored: StoredSnapshot, kind: str) -> str:
    if kind == "json":
        return url_for("share.as_json", id=stored.id)
    return url_for("share.tokens", id=stored.id, kind=kind)


def _about(stored: StoredSnapshot, restored: RestoredComparison) -> SnapshotAbout:
    return about_snapshot(
        stored,
        heading=title_of(stored),
        description=describe(restored),
        differs=restored.differs,
        origin=url_for("compare.page"),
        query=restored.comparison.query(),
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
    restored = RestoredComparison(stored.snapshot)
    picture = ComparisonView(restored.comparison, restored.compared).picture
    return pictures.comparison_card(picture, title=title_of(stored), words=picture_words())
