"""One token for each word: a word that is not in the vocabulary is unknown as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.cache import IdCache
from webapp.core.vocabulary_error import VocabularyError


class WordLevel:
    """Every pre-token is one token.

    >>> model = WordLevel(["<unk>", "low", "lower"])
    >>> model.ids("lower"), model.segment("lowest")
    ((2,), ((0, 0, 6),))

    If the unknown token is not a piece, `tokenizers` fails on an unknown word; here the word is left out.
    """

    def __init__(self, pieces: Sequence[str], *, unknown: str = "<unk>") -> None:
        """Raises ValueError if a piece occurs twice."""
        self.pieces: Sequence[str] = tuple(pieces)
        self.unknown = unknown
        self._ids = {piece: id for id, piece in enumerate(self.pieces)}
        if len(self._ids) != len(self.pieces):
            raise VocabularyError("a piece occurs twice in the vocabulary")
        self.unknown_id = self._ids.get(unknown)
        self.ids = IdCache(lambda pretoken: tuple(id for id, _, _ in self.segment(pretoken))).__getitem__

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._ids.get(piece) if isinstance(piece, str) else None

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of the one token, in characters."""
        id = self._ids.get(pretoken, self.unknown_id)
        return () if id is None or not pretoken else ((id, 0, len(pretoken)),)
