"""What the pages of snapshots are given, and the pages for those that are gone."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

from flask import Response, make_response, render_template, url_for
from flask_babel import format_date
from flask_babel import gettext as _

from webapp.rendering import pictures
from webapp.rendering.markup import visible
from webapp.sharing.restored import RestoredResult
from webapp.storage import StoredSnapshot
from webapp.tokenization.picture_captions import picture_title, picture_words
from webapp.tokenization.views import ResultView

LONGEST_BEGINNING = 30


def page_part(view: ResultView, stored: StoredSnapshot, kept: RestoredResult) -> dict[str, Any]:
    """For `share/page.html` and `share/embed.html`."""
    query = view.state.query()
    return {
        **view.result_part(),
        **about(stored, describe(view)),
        "shown_title": stored.snapshot.state.get("title") or _("A text and its tokens"),
        "differs": kept.differs,
        "fields": parse_qsl(query, keep_blank_values=True),
        "origin": url_for("playground.page"),
        "open_copy": _("Open a copy in the playground"),
    }


def about(stored: StoredSnapshot, description: str) -> dict[str, Any]:
    """What is told about a snapshot, whatever it is of."""
    told = stored.snapshot.state
    return {
        "stored": stored,
        "title": told.get("title", ""),
        "note": told.get("note", ""),
        "core_version": stored.snapshot.core_version,
        "address": url_for("snapshots.page", id=stored.id, _external=True),
        "description": description,
    }


def embed_code(id: str, title: str) -> str:
    """The HTML that shows a snapshot in a frame."""
    return render_template("share/_frame.html", id=id, title=title, width="640", height="320")


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
    part = view.result_part()
    own = view.state.vocabulary == "own-dictionary"
    return _(
        "%(tokens)s tokens of %(characters)s characters, cut by %(algorithm)s with %(vocabulary)s.",
        tokens=f"{view.result.figures.tokens:,}",
        characters=f"{view.result.figures.characters:,}",
        algorithm=part["algorithm_names"][view.state.algorithm],
        vocabulary=_("a dictionary of the author’s own") if own else part["vocabulary_title"],
    )


def card(stored: StoredSnapshot) -> bytes:
    """The picture that the link of a kept result unfolds to."""
    kept = RestoredResult(stored.snapshot)
    title = stored.snapshot.state.get("title") or picture_title(kept.state)
    return pictures.card(kept.encoding, title=title, words=picture_words())


def kept_or_gone(stored: StoredSnapshot | None, id: str, template: str) -> StoredSnapshot | Response:
    """The snapshot if it is kept, else the page that says what became of it."""
    if stored is None:
        return gone("unknown", id, template)
    return stored if stored.condition == "kept" else gone(stored.condition, id, template)


def gone(what: str, id: str, template: str = "share/gone.html") -> Response:
    """A page for a snapshot that is not to be seen, each case with its own sentence and status."""
    title, sentence, status = {
        "unknown": (
            _("No snapshot has this address"),
            _("Look whether the link was copied whole: its last part has at least nine letters and digits."),
            404,
        ),
        "expired": (
            _("This snapshot has expired"),
            _("Its author wanted it kept until a certain day, and that day has passed."),
            410,
        ),
        "deleted": (_("This snapshot was deleted"), _("Its author has deleted it."), 410),
        "removed": (
            _("This snapshot was removed"),
            _("Whoever runs this site has removed it after looking at a report."),
            410,
        ),
        "wrong secret": (
            _("This is not the secret of this snapshot"),
            _("Nothing was deleted. Look whether the link was copied whole; it was shown once, when it was shared."),
            403,
        ),
        "just deleted": (
            _("The snapshot is deleted"),
            _("Its text is gone from the database, and its link now says so."),
            200,
        ),
        "still shared": (
            _("Your share of this snapshot is deleted"),
            _("Somebody else has shared the very same result, so the link stays as long as they want it."),
            200,
        ),
    }[what]
    response = make_response(render_template(template, title=title, sentence=sentence, id=id, status=status), status)
    response.headers["Cache-Control"] = "no-store"  # shared again, the same link lives again
    response.headers["X-Robots-Tag"] = "noindex"
    return response
