"""Models, which split a pre-token into pieces of a vocabulary: maximum matching, BPE, WordPiece and Unigram.

Every model is immutable once built and may be used from several threads at once.
"""

from collections.abc import Collection, Sequence
from itertools import count
from typing import Any, Protocol

from webapp.core.vocabulary_error import VocabularyError, shown


class Model(Protocol):
    """The interface that a tokenizer expects of a model."""

    @property
    def pieces(self) -> Sequence[str] | Sequence[bytes]:
        """The vocabulary: a piece's index is its id. An id without a piece has an empty one, and is in `gaps`."""

    @property
    def unknown_id(self) -> int | None:
        """The id for text that no piece covers, or None if pieces cover every text."""

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of one pre-token; cached, so that a frequent pre-token is computed once."""

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token of a pre-token, in characters of the pre-token."""


def ids_by_piece(pieces: Sequence[Any], gaps: Collection[int]) -> dict[Any, int]:
    """Return the id of each piece, without the ids in `gaps`; raises VocabularyError if a piece occurs twice.

    >>> ids_by_piece(["a", "", "b", ""], {1, 3})
    {'a': 0, 'b': 2}
    """
    ids = {piece: id for id, piece in enumerate(pieces) if id not in gaps} if gaps else dict(zip(pieces, count()))
    if len(ids) != len(pieces) - len(gaps):
        twice = next(piece for id, piece in enumerate(pieces) if id not in gaps and ids[piece] != id)
        raise VocabularyError("the piece %(twice)s occurs twice in the vocabulary", twice=shown(twice))
    return ids
