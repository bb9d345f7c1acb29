"""From a result to what is kept of it, and back.

What is kept says everything that the page shows: the text, the ids as they were, their places and pieces, the decoded
text. So it can be shown whatever becomes of the core and of the vocabulary; the vocabulary's own file is kept beside
it, so that the details of its tokens can be told too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from flask import current_app

from webapp.core import __version__
from webapp.core.encoding import Encoding, Placement
from webapp.core.formats.recognize import recognize
from webapp.core.tokenizer import Tokenizer
from webapp.results.result import Result, tokenize
from webapp.results.state import State
from webapp.snapshots.sharing import Sharing
from webapp.storage import Shared, Snapshot, storage
from webapp.vocabularies import OnItsWayError, UnavailableError
from webapp.vocabularies.files import VocabularyFile, file_of
from webapp.vocabularies.library import library
from webapp.vocabularies.wellknown import WELL_KNOWN

# What of a state is kept as an option, with the value that need not be told.
_OPTIONS: Mapping[str, Any] = {
    field.name: field.default
    for field in fields(State)
    if field.name not in ("text", "token", "algorithm", "vocabulary")
}


def keep(result: Result, wanted: Sharing) -> Shared:
    """Keep a result and the file of its vocabulary; raises what `SnapshotStore.share` raises."""
    kept, file = capture(result, title=wanted.title, note=wanted.note)
    storage().vocabularies.put(
        file.hash,
        format=file.format,
        algorithms=file.algorithms,
        size=file.size,
        content=file.content,
        companion=file.companion,
    )
    return storage().snapshots.share(kept, expires=wanted.expires)


def capture(result: Result, *, title: str = "", note: str = "") -> tuple[Snapshot, VocabularyFile]:
    """What is kept of a result, and the file of its vocabulary."""
    state, encoding = result.state.relevant(), result.encoding
    file = vocabulary_file(result)
    kept = Snapshot(
        text=encoding.text,
        state=canonical(state, file.hash, title, note),
        ids=list(encoding.ids),
        starts=list(encoding.starts),
        ends=list(encoding.ends),
        pieces=_pieces(result),
        unknown=sorted(encoding.unknown),
        special=sorted(encoding.special),
        decoded=result.comparison.decoded,
        core_version=__version__,
    )
    return kept, file


def canonical(state: State, vocabulary_hash: str, title: str, note: str) -> dict[str, Any]:
    """The state as plain values, the same for the same result: what a link is made from, beside the text.

    >>> canonical(State(algorithm="fmm", vocabulary="jieba", runs=False), "5f…", "", "")
    {'algorithm': 'fmm', 'vocabulary': 'jieba', 'vocabulary_hash': '5f…', 'options': {'runs': False}}
    """
    options = {name: getattr(state, name) for name, default in _OPTIONS.items() if getattr(state, name) != default}
    told = {name: value for name, value in (("title", title), ("note", note)) if value}
    return {
        "algorithm": state.algorithm,
        "vocabulary": state.vocabulary,
        "vocabulary_hash": vocabulary_hash,
        "options": options,
        **told,
    }


def vocabulary_file(result: Result) -> VocabularyFile:
    """The file of a result's vocabulary: as it ships, was fetched or uploaded, or made of what was learned here."""
    name = result.state.vocabulary
    if result.state.learned or name == "own-dictionary":
        return file_of(result.tokenizer)
    return library().file(name)


@dataclass(frozen=True)
class Kept:
    """A snapshot, ready to be shown."""

    snapshot: Snapshot

    @cached_property
    def state(self) -> State:
        """The state that its author saw."""
        kept = self.snapshot.state
        options = {name: value for name, value in kept["options"].items() if name in _OPTIONS}
        return State(algorithm=kept["algorithm"], vocabulary=kept["vocabulary"], text=self.snapshot.text, **options)

    @cached_property
    def result(self) -> Result:
        """The result as it was: the kept tokens, with the vocabulary that can tell more about them."""
        tokenizer = self._today.tokenizer if self._today else Tokenizer(_Remembered(self.snapshot))
        found = self._today or Result(self.state, tokenizer, self.encoding, None)
        return replace(found, encoding=self.encoding, seconds=None, decoded=self.snapshot.decoded)

    @cached_property
    def encoding(self) -> Encoding:
        """The kept tokens."""
        kept = self.snapshot
        return Encoding(
            kept.text,
            kept.ids,
            pieces=_Remembered(kept).pieces,
            unknown_id=kept.ids[kept.unknown[0]] if kept.unknown else None,
            place=lambda: Placement(kept.starts, kept.ends, frozenset(kept.special)),
        )

    @property
    def differs(self) -> bool:
        """Whether the same text would get other ids today."""
        return self._today is not None and list(self._today.encoding.ids) != list(self.snapshot.ids)

    @cached_property
    def _today(self) -> Result | None:
        """What the core makes of the text today, with the kept vocabulary if need be, or None where that is gone."""
        limit = current_app.config["MAX_CORPUS_BYTES"]
        try:
            return tokenize(self.state, corpus_limit=limit)
        except (OnItsWayError, UnavailableError, KeyError):
            tokenizer = self._kept_tokenizer()
        except ValueError:  # what today's core cannot do any more does not keep anybody from what was kept
            return None
        try:
            return None if tokenizer is None else tokenize(self.state, corpus_limit=limit, tokenizer=tokenizer)
        except ValueError:
            return None

    def _kept_tokenizer(self) -> Tokenizer | None:
        try:
            content, companion = storage().vocabularies.content(self.snapshot.state["vocabulary_hash"])
            known = WELL_KNOWN.get(self.state.vocabulary)
            if known is not None:
                return known.tokenizer([content] if companion is None else [content, companion])
            return recognize(content, companion).tokenizer
        except (KeyError, ValueError):
            return None


class _Remembered:
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


def _pieces(result: Result) -> dict[int, str | bytes]:
    """The piece of every id that occurs; of the unknown one the vocabulary's own name for it, if it has one."""
    encoding, names = result.encoding, result.tokenizer.model.pieces
    kept: dict[int, str | bytes] = {}
    for index, id in enumerate(encoding.ids):
        if id in kept:
            continue
        if index not in encoding.unknown:
            kept[id] = encoding.vocabulary_piece(id)
        elif id < len(names):
            kept[id] = names[id]
    return kept
