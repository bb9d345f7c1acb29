"""Results as snapshots: what their author wants, what is stored, and how it is restored with today's core beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Any

from flask import current_app

from webapp.core import __version__
from webapp.core.encoding import Encoding, Placement
from webapp.core.formats.fields import FormatError
from webapp.core.tokenizer import Tokenizer
from webapp.storage import ShareReceipt, Snapshot, VocabularyFile, storage
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, StillFetchingError, UnavailableVocabularyError, library
from webapp.vocabularies.vocabulary_files import file_of
from webapp.vocabularies.wellknown import WELL_KNOWN
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


def end_of(day: date | None) -> datetime | None:
    """The end of `day` in UTC; None for a day that is past or too far away."""
    today = datetime.now(UTC).date()
    if day is None or not today < day <= today + timedelta(days=366 * LONGEST_YEARS):
        return None
    return datetime.combine(day + timedelta(days=1), time(), UTC)


@dataclass(frozen=True, kw_only=True)
class SharingPage(Page):
    """A page with `share/_share_form.html`; its fields are sent with the form `form_id`."""

    wanted: ShareTerms | None = None  # the options that were entered before, if any
    form: Mapping[str, str] | None = None  # the submitted form, if any


# The parts of a state that a snapshot stores as options, with the default values that it omits.
OPTIONS: Mapping[str, Any] = {
    field.name: field.default
    for field in fields(State)
    if field.name not in ("text", "token", "algorithm", "vocabulary")
}


@dataclass(eq=False)
class UnshareableError(Exception):
    """The vocabulary of a result cannot be stored; `why` is the cause."""

    why: FormatError


def share_result(result: Result, terms: ShareTerms) -> ShareReceipt:
    """Store a result and the file of its vocabulary in one transaction; the receipt.

    Raises UnshareableError, the exceptions of `Library.file` for a vocabulary that is not available, and those of
    `SnapshotStore.share`, such as StorageFullError.
    """
    snapshot, file = capture(result, title=terms.title, note=terms.note)
    most_bytes = None if is_of_this_site(result.state) else library().uploads.most_bytes
    return storage().snapshots.share(snapshot, expires=terms.expires, vocabulary=file, most_bytes=most_bytes)


def capture(result: Result, *, title: str = "", note: str = "") -> tuple[Snapshot, VocabularyFile]:
    """The snapshot of a result, and the file of its vocabulary."""
    state, encoding = result.state.relevant(), result.encoding
    file = snapshot_vocabulary_file(result)
    snapshot = Snapshot(
        text=encoding.text,
        state=canonical(state, file.hash, title, note),
        ids=list(encoding.ids),
        starts=list(encoding.starts),
        ends=list(encoding.ends),
        pieces=pieces_of(result.encoding, result.tokenizer),
        unknown=sorted(encoding.unknown),
        special=sorted(encoding.special),
        decoded=result.comparison.decoded,
        core_version=__version__,
    )
    return snapshot, file


def canonical(state: State, vocabulary_hash: str, title: str, note: str) -> dict[str, Any]:
    """The state as plain values, in a canonical form: with the text, it determines the link.

    >>> canonical(State(algorithm="fmm", vocabulary="jieba", runs=False), "5f…", "", "")
    {'algorithm': 'fmm', 'vocabulary': 'jieba', 'vocabulary_hash': '5f…', 'options': {'runs': False}}
    """
    options = {name: getattr(state, name) for name, default in OPTIONS.items() if getattr(state, name) != default}
    texts = {name: value for name, value in (("title", title), ("note", note)) if value}
    return {
        "algorithm": state.algorithm,
        "vocabulary": state.vocabulary,
        "vocabulary_hash": vocabulary_hash,
        "options": options,
        **texts,
    }


def snapshot_vocabulary_file(result: Result) -> VocabularyFile:
    """The file of a result's vocabulary: built in, fetched or uploaded, or written from a trained one.

    Raises UnshareableError if there is none, and the exceptions of `Library.file`.
    """
    if _is_made_here(result.state):
        try:
            return file_of(result.tokenizer)
        except FormatError as error:
            raise UnshareableError(error) from error
    try:
        return library().file(result.state.vocabulary)
    except (KeyError, ValueError) as error:  # deleted or damaged in the meantime
        raise UnshareableError(FormatError("the stored file no longer exists")) from error


def _is_made_here(state: State) -> bool:
    return state.trained or state.vocabulary == "own-dictionary"


def is_of_this_site(state: State) -> bool:
    """Whether the vocabulary of a state is the site's own or well known, not a visitor's."""
    return state.vocabulary in WELL_KNOWN or (state.vocabulary in CATALOGUE and not _is_made_here(state))


def pieces_of(encoding: Encoding, tokenizer: Tokenizer) -> dict[int, str | bytes]:
    """The piece of every id that occurs; for the unknown id, its name in the vocabulary."""
    names = tokenizer.model.pieces
    pieces: dict[int, str | bytes] = {}
    for index, id in enumerate(encoding.ids):
        if id in pieces:
            continue
        if index not in encoding.unknown:
            pieces[id] = encoding.vocabulary_piece(id)
        elif id < len(names):
            pieces[id] = names[id]
    return pieces


@dataclass(frozen=True)
class RestoredResult:
    """A result that is restored from its snapshot."""

    snapshot: Snapshot

    @cached_property
    def state(self) -> State:
        """The state of the playground at the time of sharing."""
        stored = self.snapshot.state
        options = {name: value for name, value in stored["options"].items() if name in OPTIONS}
        return State(algorithm=stored["algorithm"], vocabulary=stored["vocabulary"], text=self.snapshot.text, **options)

    @cached_property
    def result(self) -> Result:
        """The result with the stored tokens, and the tokenizer for details about them."""
        tokenizer = self._today.tokenizer if self._today else Tokenizer(_SnapshotModel(self.snapshot))
        found = self._today or Result(self.state, tokenizer, self.encoding, None)
        return replace(found, encoding=self.encoding, seconds=None, decoded=self.snapshot.decoded)

    @cached_property
    def encoding(self) -> Encoding:
        """The stored tokens."""
        return encoding_of(self.snapshot)

    @property
    def differs(self) -> bool:
        """Whether the text would have other ids today."""
        return self._today is not None and list(self._today.encoding.ids) != list(self.snapshot.ids)

    @cached_property
    def _today(self) -> Result | None:
        """The result for the text with today's core, or None if it is unavailable.

        Uses the vocabulary of that name if it needs no fetching, else the stored one.
        """
        name = self.state.vocabulary
        try:
            if not library().must_be_fetched(name):
                return self._tokenized(None)
        except (StillFetchingError, UnavailableVocabularyError, KeyError):
            pass
        except ValueError:  # the snapshot must stay readable if today's core cannot read the vocabulary
            return None
        try:
            return self._tokenized(library().stored(self.snapshot.state["vocabulary_hash"], name))
        except (KeyError, ValueError):
            return None

    def _tokenized(self, tokenizer: Tokenizer | None) -> Result:
        return tokenize(self.state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"], tokenizer=tokenizer)


def encoding_of(stored: Snapshot) -> Encoding:
    """The tokens that a snapshot stores."""
    return Encoding(
        stored.text,
        stored.ids,
        pieces=_SnapshotModel(stored).pieces,
        unknown_id=stored.ids[stored.unknown[0]] if stored.unknown else None,
        place=lambda: Placement(stored.starts, stored.ends, frozenset(stored.special)),
    )


class _SnapshotModel:
    """A model with only the pieces of a snapshot; it cannot encode text."""

    def __init__(self, stored: Snapshot) -> None:
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
