"""Restores results from snapshots: the tokens at the time of sharing, and whether today's core gives the same ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from flask import current_app

from webapp.core.encoding import Encoding, Placement
from webapp.core.tokenizer import Tokenizer
from webapp.sharing.capture import OPTIONS
from webapp.storage import Snapshot
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.state import State
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, library


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
