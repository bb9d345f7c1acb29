"""Creates the snapshot of a result.

A snapshot contains everything that the page shows: the text, the ids, offsets and pieces of its tokens, and the decoded
text. It therefore does not depend on later versions of the core or the vocabulary. The vocabulary's file is stored
with it, for the details of its tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from webapp.core import __version__
from webapp.core.encoding import Encoding
from webapp.core.formats.fields import FormatError
from webapp.core.tokenizer import Tokenizer
from webapp.sharing.terms import ShareTerms
from webapp.storage import ShareReceipt, Snapshot, VocabularyFile, storage
from webapp.tokenization.result import Result
from webapp.tokenization.state import State
from webapp.vocabularies import CATALOGUE, library
from webapp.vocabularies.vocabulary_files import file_of
from webapp.vocabularies.wellknown import WELL_KNOWN

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
