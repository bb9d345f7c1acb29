"""Contexts of the snapshot pages, preview cards, and the pages for unavailable snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

from flask import Response, make_response, url_for
from flask_babel import format_date, ngettext
from flask_babel import gettext as _

from webapp.pages.share.contexts import FrameContext, GonePage, SnapshotAbout
from webapp.rendering import pictures
from webapp.rendering.markup import visible
from webapp.sharing.results import RestoredResult
from webapp.storage import StoredSnapshot, storage
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.exports import picture_title, picture_words
from webapp.tokenization.views import ResultView
from webapp.web.localization import number
from webapp.web.templates import FrameMessage, render

MAX_EXCERPT = 30  # characters


def about(view: ResultView, stored: StoredSnapshot, restored: RestoredResult) -> SnapshotAbout:
    """Facts about the snapshot of a result."""
    return about_snapshot(
        stored,
        heading=stored.snapshot.state.get("title") or _heading(view),
        description=describe(view),
        differs=restored.differs,
        origin=url_for("playground.page"),
        query=view.state.query(),
    )


def about_snapshot(
    stored: StoredSnapshot, *, heading: str, description: str, differs: bool, origin: str, query: str
) -> SnapshotAbout:
    """Facts about a snapshot; `query` is the query string with which the page at `origin` opens a copy."""
    state = stored.snapshot.state
    return SnapshotAbout(
        stored=stored,
        title=state.get("title", ""),
        shown_title=heading,
        note=state.get("note", ""),
        description=description,
        core_version=stored.snapshot.core_version,
        differs=differs,
        vocabulary_gone=_lacks_vocabulary(state),
        address=url_for("share.page", id=stored.id, _external=True),
        origin=origin,
        open_copy=_("Open a copy"),
        fields=parse_qsl(query, keep_blank_values=True),
    )


def _lacks_vocabulary(state: Mapping[str, Any]) -> bool:
    """Whether the operator has deleted a vocabulary file that was stored with a snapshot."""
    hashes = {row.get("vocabulary_hash") for row in (state, *state.get("rows", ()))} - {None}
    return not all(storage().vocabularies.has(str(hash)) for hash in hashes)


def _heading(view: ResultView) -> str:
    """The heading of a result without a title: `39 tokens · BPE · GPT-4 (cl100k_base)`."""
    assert view.result is not None
    tokens = view.result.figures.tokens
    count = ngettext("%(count)s token", "%(count)s tokens", tokens, count=number(tokens))
    return " · ".join(part for part in (count, algorithm_names()[view.state.algorithm], view.vocabulary_title) if part)


def embed_code(id: str, title: str) -> str:
    """The HTML that embeds a snapshot in an iframe."""
    return render(FrameContext(id=id, title=title, width=640, height=320))


def excerpt(text: str) -> str:
    """The first words of a text, to identify it.

    >>> excerpt("one line   and a half of what is more than fits")
    'one line and a half of what is…'
    """
    words = " ".join(text[:1_000].split())
    return visible(words if len(words) <= MAX_EXCERPT else f"{words[:MAX_EXCERPT].rstrip()}…")


def day(moment: datetime) -> str:
    """The date in the format of the reader's language."""
    return str(format_date(moment.date(), "long"))


def last_day(moment: datetime) -> str:
    """The last whole day before the moment of expiry, as a date."""
    return day(moment - timedelta(microseconds=1))


def describe(view: ResultView) -> str:
    """One line about a result, for link previews."""
    assert view.result is not None
    own = view.state.vocabulary == "own-dictionary"
    return _(
        "%(tokens)s tokens from %(characters)s characters, by %(algorithm)s with %(vocabulary)s.",
        tokens=f"{view.result.figures.tokens:,}",
        characters=f"{view.result.figures.characters:,}",
        algorithm=algorithm_names()[view.state.algorithm],
        vocabulary=_("the author’s own dictionary") if own else view.vocabulary_title,
    )


def card(stored: StoredSnapshot) -> bytes:
    """The preview card of a shared result, as PNG."""
    restored = RestoredResult(stored.snapshot)
    title = stored.snapshot.state.get("title") or picture_title(restored.state)
    return pictures.card(restored.encoding, title=title, words=picture_words())


def available_or_gone(stored: StoredSnapshot | None, *, in_frame: bool = False) -> StoredSnapshot | Response:
    """The snapshot if it is available, else the page that explains why it is not."""
    if stored is None:
        return gone("unknown", in_frame=in_frame)
    if stored.condition == "expired" and (stored.expires is None or stored.expires > datetime.now(UTC)):
        return gone("outdated", in_frame=in_frame)
    return stored if stored.condition == "kept" else gone(stored.condition, in_frame=in_frame)


def gone(reason: str, *, in_frame: bool = False) -> Response:
    """A page that explains why a snapshot is unavailable, with the status for the reason."""
    title, sentence, status = {
        "unknown": (
            _("No snapshot has this address"),
            _("Check that the link is complete: its last part has at least nine letters and digits."),
            404,
        ),
        "expired": (
            _("This snapshot has expired"),
            _("Its author set a last day for it, and that day has passed."),
            410,
        ),
        "outdated": (
            _("This snapshot has expired"),
            _("This site keeps shared results for a limited time, and nobody has shared this one again."),
            410,
        ),
        "deleted": (_("This snapshot was deleted"), _("Its author deleted it."), 410),
        "removed": (
            _("This snapshot was removed"),
            _("The site's operator removed it after reviewing a report."),
            410,
        ),
        "wrong secret": (
            _("This is not the deletion link of this snapshot"),
            _(
                "Nothing was deleted. Check that the link is complete; it was shown only once, when the snapshot was "
                "shared."
            ),
            403,
        ),
        "just deleted": (
            _("The snapshot was deleted"),
            _("Its text was removed from the database, and its link now says that it was deleted."),
            200,
        ),
        "still shared": (
            _("Your share of this snapshot was deleted"),
            _("Someone else has shared the same result, so the link keeps working until they delete it too."),
            200,
        ),
    }[reason]
    if in_frame:
        body = render(FrameMessage(title=title, sentence=sentence))
    else:
        body = render(GonePage(title=title, sentence=sentence, status=status))
    response = make_response(body, status)
    response.headers["Cache-Control"] = "no-store"  # if the result is shared again, the same link works again
    response.headers["X-Robots-Tag"] = "noindex"
    return response
