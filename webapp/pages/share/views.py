"""What the pages of snapshots are given, and the pages for those that are gone."""

from __future__ import annotations

from datetime import datetime, timedelta
from urllib.parse import parse_qsl

from flask import Response, make_response, url_for
from flask_babel import format_date
from flask_babel import gettext as _

from webapp.pages.share.contexts import FrameContext, GonePage, SnapshotAbout
from webapp.rendering import pictures
from webapp.rendering.markup import visible
from webapp.sharing.restored import RestoredResult
from webapp.storage import StoredSnapshot
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.picture_captions import picture_title, picture_words
from webapp.tokenization.views import ResultView
from webapp.web.templates import FrameMessage, render

LONGEST_BEGINNING = 30


def about(view: ResultView, stored: StoredSnapshot, kept: RestoredResult) -> SnapshotAbout:
    """What is told about the snapshot of a result."""
    told = stored.snapshot.state
    return SnapshotAbout(
        stored=stored,
        title=told.get("title", ""),
        shown_title=told.get("title") or _("A text and its tokens"),
        note=told.get("note", ""),
        description=describe(view),
        core_version=stored.snapshot.core_version,
        differs=kept.differs,
        address=url_for("share.page", id=stored.id, _external=True),
        origin=url_for("playground.page"),
        open_copy=_("Open a copy in the playground"),
        fields=parse_qsl(view.state.query(), keep_blank_values=True),
    )


def embed_code(id: str, title: str) -> str:
    """The HTML that shows a snapshot in a frame."""
    return render(FrameContext(id=id, title=title, width=640, height=320))


def first_words(text: str) -> str:
    """The first words of a text, to tell it from another.

    >>> first_words("one line   and a half of what is more than fits")
    'one line and a half of what is…'
    """
    words = " ".join(text[:1_000].split())
    return visible(words if len(words) <= LONGEST_BEGINNING else f"{words[:LONGEST_BEGINNING].rstrip()}…")


def day(moment: datetime) -> str:
    """A day as the reader's language writes it."""
    return str(format_date(moment.date(), "long"))


def day_before(moment: datetime) -> str:
    """The last whole day before a moment, which is how an expiry is told."""
    return day(moment - timedelta(microseconds=1))


def describe(view: ResultView) -> str:
    """One line about a result, for whoever unfolds its link."""
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
    """The picture that the link of a kept result unfolds to."""
    kept = RestoredResult(stored.snapshot)
    title = stored.snapshot.state.get("title") or picture_title(kept.state)
    return pictures.card(kept.encoding, title=title, words=picture_words())


def kept_or_gone(stored: StoredSnapshot | None, *, in_frame: bool = False) -> StoredSnapshot | Response:
    """The snapshot if it is kept, else the page that says what became of it."""
    if stored is None:
        return gone("unknown", in_frame=in_frame)
    return stored if stored.condition == "kept" else gone(stored.condition, in_frame=in_frame)


def gone(what: str, *, in_frame: bool = False) -> Response:
    """A page for a snapshot that is not to be seen, each case with its own sentence and status."""
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
    }[what]
    if in_frame:
        body = render(FrameMessage(title=title, sentence=sentence))
    else:
        body = render(GonePage(title=title, sentence=sentence, status=status))
    response = make_response(body, status)
    response.headers["Cache-Control"] = "no-store"  # shared again, the same link lives again
    response.headers["X-Robots-Tag"] = "noindex"
    return response
