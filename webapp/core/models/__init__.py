"""Models, which split a pre-token into pieces of a vocabulary: maximum matching, BPE, WordPiece and Unigram.

Every model is immutable once built and may be used from several threads at once.
"""

from collections.abc import Sequence
from typing import Protocol


class Model(Protocol):
    """The interface that a tokenizer expects of a model."""

    @property
    def pieces(self) -> Sequence[str] | Sequence[bytes]:
        """The vocabulary: a piece's index is its id."""

    @property
    def unknown_id(self) -> int | None:
        """The id for text that no piece covers, or None if pieces cover every text."""

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of one pre-token; cached, so that a frequent pre-token is computed once."""

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token of a pre-token, in characters of the pre-token."""
