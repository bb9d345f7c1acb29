"""What was kept of a result, shown again: the tokens as they were, and what today's core would make of the text."""

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
    """A snapshot, ready to be shown."""

    snapshot: Snapshot

    @cached_property
    def state(self) -> State:
        """The state that its author saw."""
        kept = self.snapshot.state
        options = {name: value for name, value in kept["options"].items() if name in OPTIONS}
        return State(algorithm=kept["algorithm"], vocabulary=kept["vocabulary"], text=self.snapshot.text, **options)

    @cached_property
    def result(self) -> Result:
        """The result as it was: the kept tokens, with the vocabulary that can tell more about them."""
        tokenizer = self._today.tokenizer if self._today else Tokenizer(_SnapshotModel(self.snapshot))
        found = self._today or Result(self.state, tokenizer, self.encoding, None)
        return replace(found, encoding=self.encoding, seconds=None, decoded=self.snapshot.decoded)

    @cached_property
    def encoding(self) -> Encoding:
        """The kept tokens."""
        kept = self.snapshot
        return Encoding(
            kept.text,
            kept.ids,
            pieces=_SnapshotModel(kept).pieces,
            unknown_id=kept.ids[kept.unknown[0]] if kept.unknown else None,
            place=lambda: Placement(kept.starts, kept.ends, frozenset(kept.special)),
        )

    @property
    def differs(self) -> bool:
        """Whether the same text would get other ids today."""
        return self._today is not None and list(self._today.encoding.ids) != list(self.snapshot.ids)

    @cached_property
    def _today(self) -> Result | None:
        """What the core makes of the text today, or None where that cannot be told.

        With the vocabulary of that name if it is here, else with the one that was kept: nobody waits for a publisher.
        """
        name = self.state.vocabulary
        try:
            if not library().must_be_fetched(name):
                return self._tokenized(None)
        except (StillFetchingError, UnavailableVocabularyError, KeyError):
            pass
        except ValueError:  # what today's core cannot do any more does not keep anybody from what was kept
            return None
        try:
            return self._tokenized(library().kept(self.snapshot.state["vocabulary_hash"], name))
        except (KeyError, ValueError):
            return None

    def _tokenized(self, tokenizer: Tokenizer | None) -> Result:
        return tokenize(self.state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"], tokenizer=tokenizer)


class _SnapshotModel:
    """A model that knows nothing but the pieces which a snapshot kept."""

    def __init__(self, kept: Snapshot) -> None:
        self.pieces: list[Any] = [""] * (max(kept.pieces, default=-1) + 1)
        for id, piece in kept.pieces.items():
            self.pieces[id] = piece
        self.unknown_id = kept.ids[kept.unknown[0]] if kept.unknown else None

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a kept piece."""
        return self.pieces.index(piece) if piece in self.pieces else None

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """Raises LookupError: what was kept is a result, and cuts no other text."""
        raise LookupError(pretoken)

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """Raises LookupError, as `ids`."""
        raise LookupError(pretoken)
