"""From a result to what is kept of it.

What is kept says everything that the page shows: the text, the ids as they were, their places and pieces, the decoded
text. So it can be shown whatever becomes of the core and of the vocabulary; the vocabulary's own file is kept beside
it, so that the details of its tokens can be told too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from webapp.core import __version__
from webapp.core.formats.fields import FormatError
from webapp.sharing.terms import ShareTerms
from webapp.storage import ShareReceipt, Snapshot, VocabularyFile, storage
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, library
from webapp.vocabularies.vocabulary_files import file_of
from webapp.vocabularies.wellknown import WELL_KNOWN

# What of a state is kept as an option, with the value that need not be told.
OPTIONS: Mapping[str, Any] = {
    field.name: field.default
    for field in fields(State)
    if field.name not in ("text", "token", "algorithm", "vocabulary")
}


@dataclass(eq=False)
class UnshareableError(Exception):
    """A result whose vocabulary cannot be kept with it: `why` says what is wrong with that."""

    why: FormatError


def share_result(result: Result, terms: ShareTerms) -> ShareReceipt:
    """Keep a result and the file of its vocabulary, both or neither.

    Raises UnkeepableError, what `Library.file` raises for a vocabulary that cannot be had now, and what
    `SnapshotStore.share` raises: NoRoomError where visitors' vocabularies would take too much.
    """
    kept, file = capture(result, title=terms.title, note=terms.note)
    most_bytes = None if is_of_this_site(result.state) else library().uploads.most_bytes
    return storage().snapshots.share(kept, expires=terms.expires, vocabulary=file, most_bytes=most_bytes)


def capture(result: Result, *, title: str = "", note: str = "") -> tuple[Snapshot, VocabularyFile]:
    """What is kept of a result, and the file of its vocabulary."""
    state, encoding = result.state.relevant(), result.encoding
    file = snapshot_vocabulary_file(result)
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
    options = {name: getattr(state, name) for name, default in OPTIONS.items() if getattr(state, name) != default}
    told = {name: value for name, value in (("title", title), ("note", note)) if value}
    return {
        "algorithm": state.algorithm,
        "vocabulary": state.vocabulary,
        "vocabulary_hash": vocabulary_hash,
        "options": options,
        **told,
    }


def snapshot_vocabulary_file(result: Result) -> VocabularyFile:
    """The file of a result's vocabulary: as it ships, was fetched or uploaded, or made of what was learned here.

    Raises UnkeepableError where there is none, OnItsWayError and UnavailableError as `Library.file` does.
    """
    if _is_made_here(result.state):
        try:
            return file_of(result.tokenizer)
        except FormatError as error:
            raise UnshareableError(error) from error
    try:
        return library().file(result.state.vocabulary)
    except (KeyError, ValueError) as error:  # deleted or damaged since the result was made
        raise UnshareableError(FormatError("the kept file is gone")) from error


def _is_made_here(state: State) -> bool:
    return state.learned or state.vocabulary == "own-dictionary"


def is_of_this_site(state: State) -> bool:
    """Whether a vocabulary is one of the few that the site itself offers, and no visitor's."""
    return state.vocabulary in WELL_KNOWN or (state.vocabulary in CATALOGUE and not _is_made_here(state))


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
