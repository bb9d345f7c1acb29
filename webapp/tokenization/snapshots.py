"""What all shared things have in common: their author's options, the snapshot, and how its pages show it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from flask import Response, url_for
from flask_babel import gettext as _
from flask_babel.speaklater import LazyString
from werkzeug.datastructures import ImmutableMultiDict

from webapp.core import __version__
from webapp.core.encoding import Encoding, Placement
from webapp.core.evaluation.report import ScoreReport
from webapp.storage import RemovedSnapshotError, ShareReceipt, Snapshot, StorageFullError, StoredSnapshot, storage
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.web.json_responses import well_formed
from webapp.web.templates import Page

LONGEST_TITLE = 120  # characters
LONGEST_NOTE = 2_000
LONGEST_YEARS = 100


@dataclass(frozen=True)
class ShareTerms:
    """The author's options; `expires` is the end of the last day in UTC, or None for no limit."""

    title: str
    note: str
    expires: datetime | None

    @property
    def texts(self) -> dict[str, str]:
        """The title and the note, where there are any, as a snapshot has them in its state."""
        return {name: value for name, value in (("title", self.title), ("note", self.note)) if value}


class SharingPage(Page):
    """A page with `share/_share_form.html`; its fields are sent with the form `form_id`."""

    wanted: ShareTerms | None = None  # the options that were entered before, if any
    form: Mapping[str, str] | None = None  # the submitted form, if any


def end_of(day: date | None) -> datetime | None:
    """The end of `day` in UTC; None for a day that is past or too far away."""
    today = datetime.now(UTC).date()
    if day is None or not today < day <= today + timedelta(days=366 * LONGEST_YEARS):
        return None
    return datetime.combine(day + timedelta(days=1), time(), UTC)


def read_terms(form: ImmutableMultiDict[str, str]) -> tuple[ShareTerms, list[InputProblem]]:
    """The title, the note and the last day in a form, and the problems with them."""
    title, note = " ".join(form.get("title", "").split()), as_typed(form.get("note")).strip()
    problems = []
    limits = (("title", title, LONGEST_TITLE, _("The title")), ("note", note, LONGEST_NOTE, _("The note")))
    for field, text, limit, subject in limits:
        if len(text) > limit:
            values = {"subject": subject, "size": f"{len(text):,}", "limit": f"{limit:,}"}
            message = _("%(subject)s has %(size)s characters; the limit is %(limit)s.", **values)
            problems.append(InputProblem(message, 422, field))
    expires = None
    keep = form.get("keep", "forever")
    if keep == "until":
        with suppress(ValueError):
            expires = end_of(datetime.strptime(form.get("until", ""), "%Y-%m-%d").date())
    if expires is None and keep != "forever":
        message = _("Choose a day after today as the last day, or keep it forever.")
        problems.append(InputProblem(message, 422, "until"))
    return ShareTerms(title, note, expires), problems


def store(snapshot: Snapshot, terms: ShareTerms, **vocabularies: Any) -> ShareReceipt:
    """Store a snapshot with its vocabularies in one transaction; raises InputProblem for what cannot be stored."""
    try:
        return storage().snapshots.share(snapshot, expires=terms.expires, **vocabularies)
    except StorageFullError as error:
        message = _(
            "The result was not shared: this site has no storage left for shared results. Your text is still in the "
            "form: download the tokens instead, or share again when the site’s operator has made room."
        )
        if error.what == "vocabularies":
            message = _(
                "The result was not shared: this site has no storage left for vocabularies. Results with a vocabulary "
                "that ships with the site can still be shared; please tell the site's operator."
            )
        raise InputProblem(message, 507) from error
    except RemovedSnapshotError as error:
        message = _("The site's operator has removed this result, so it cannot be shared again.")
        raise InputProblem(message, 410) from error


def kind_of(snapshot: Snapshot) -> str:
    """What a snapshot is of: a `result`, a `comparison`, a `conversation`, an `evaluation` or a `sheet`."""
    return str(snapshot.state.get("kind", "result"))


class SnapshotModel:
    """A model with only the pieces of a snapshot; it cannot encode text."""

    def __init__(self, stored: Snapshot) -> None:
        """Restore the pieces by their ids."""
        self.pieces: list[Any] = [""] * (max(stored.pieces, default=-1) + 1)
        for id, piece in stored.pieces.items():
            self.pieces[id] = piece
        self.unknown_id = stored.ids[stored.unknown[0]] if stored.unknown else None

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a stored piece."""
        return self.pieces.index(piece) if piece in self.pieces else None

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """Raise LookupError: a snapshot cannot encode text."""
        raise LookupError(pretoken)

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """Raise LookupError, like `ids`."""
        raise LookupError(pretoken)


def encoding_of(stored: Snapshot) -> Encoding:
    """The tokens that a snapshot stores."""
    model = SnapshotModel(stored)
    placement = Placement(stored.starts, stored.ends, frozenset(stored.special))
    return Encoding(stored.text, stored.ids, pieces=model.pieces, unknown_id=model.unknown_id, place=lambda: placement)


@dataclass(frozen=True)
class Shown(ABC):
    """A snapshot with its page, its files and its preview card."""

    stored: StoredSnapshot
    kind: ClassVar[str]
    heading: ClassVar[LazyString | str] = ""  # of a snapshot without a title

    @property
    def snapshot(self) -> Snapshot:
        """What is stored."""
        return self.stored.snapshot

    @property
    def differs(self) -> bool:
        """Whether the same text has different ids today."""
        return False

    @property
    def title(self) -> str:
        """The author's title, or a generic one."""
        return str(self.snapshot.state.get("title") or self.generic_title)

    @property
    def generic_title(self) -> str:
        """The heading of a snapshot without a title."""
        return str(self.heading)

    @property
    def address(self) -> str:
        """The address of the page."""
        return url_for("share.page", id=self.stored.id)

    @property
    def vocabulary_gone(self) -> bool:
        """Whether the operator has deleted a vocabulary file that was stored with the snapshot."""
        state = self.snapshot.state
        hashes = {row.get("vocabulary_hash") for row in (state, *state.get("rows", ()))} - {None}
        return not all(storage().vocabularies.has(str(hash)) for hash in hashes)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The fields of the form that opens a copy."""
        return parse_qsl(self.origin[1], keep_blank_values=True)

    @property
    @abstractmethod
    def origin(self) -> tuple[str, str]:
        """The address of the page that opens a copy, and the query string for it."""

    @abstractmethod
    def content(self, *, embedded: bool = False) -> dict[str, Any]:
        """What `SnapshotPage` has for this kind; embedded, without links to pages that cannot be framed."""

    @abstractmethod
    def file(self, kind: str) -> Response:
        """The content as a file; not found for a kind that there is not."""

    @abstractmethod
    def card(self) -> bytes:
        """The preview card, as PNG."""

    @abstractmethod
    def content_json(self) -> dict[str, Any]:
        """The content for `as_json`."""

    def as_json(self) -> dict[str, Any]:
        """The snapshot for `json_response`."""
        stored, snapshot = self.stored, self.snapshot
        return {
            "id": stored.id,
            "url": url_for("share.page", id=stored.id, _external=True),
            "created": stored.created.isoformat(),
            "expires": None if stored.expires is None else stored.expires.isoformat(),
            "title": snapshot.state.get("title", ""),
            "note": snapshot.state.get("note", ""),
            "text": well_formed(snapshot.text),
            **self.content_json(),
            "core_version": snapshot.core_version,
        }


def share_evaluation(report: ScoreReport, expires: datetime | None) -> ShareReceipt:
    """Store a report until `expires`; raises like `SnapshotStore.share`."""
    state = {"kind": "evaluation", "report": report.as_json()}
    return storage().snapshots.share(Snapshot("", state, (), (), (), {}, core_version=__version__), expires=expires)


def find_evaluation(id: str) -> tuple[StoredSnapshot | None, ScoreReport | None]:
    """A stored evaluation with its report; None for the report if it is gone, and for both if there never was one."""
    head = storage().snapshots.head(id)
    if head is None or head.condition != "kept":
        return head, None
    return head, _restored(id, head.created)


@lru_cache(maxsize=4)
def _restored(id: str, _created: datetime) -> ScoreReport | None:
    """The report of a stored evaluation: its pages are read one after another, and the content never changes."""
    stored = storage().snapshots.get(id)
    if stored is None or stored.condition != "kept" or kind_of(stored.snapshot) != "evaluation":
        return None
    return ScoreReport.from_json(stored.snapshot.state["report"])
