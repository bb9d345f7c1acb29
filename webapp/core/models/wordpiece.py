"""WordPiece as BERT encodes with it: the longest piece first, from the left.

Schuster and Nakajima 2012; Devlin et al. 2019, "BERT", section 3; the greedy search is `WordpieceTokenizer` of
BERT's published code.
"""

from __future__ import annotations

from collections.abc import Sequence

from webapp.core.models.fast.cache import Cache
from webapp.core.vocabulary_error import VocabularyError, shown


class WordPiece:
    """A word is covered by the longest piece that fits, again and again; pieces inside a word carry a prefix.

    A word that cannot be covered to its end becomes the unknown piece as a whole, and so does one of more than
    `max_word_length` characters.

    >>> model = WordPiece(["[UNK]", "un", "##aff", "##able", "##a"])
    >>> [model.pieces[id] for id in model.ids("unaffable")]
    ['un', '##aff', '##able']
    >>> model.segment("unafraid")
    ((0, 0, 8),)
    """

    def __init__(
        self,
        pieces: Sequence[str],
        *,
        unknown: str = "[UNK]",
        continuing_subword_prefix: str = "##",
        max_word_length: int = 100,
    ) -> None:
        """Raises ValueError when a piece occurs twice or `unknown` is no piece."""
        self.pieces: Sequence[str] = tuple(pieces)
        self.unknown = unknown
        self.continuing_subword_prefix = continuing_subword_prefix
        self.max_word_length = max_word_length
        self._ids = {piece: id for id, piece in enumerate(self.pieces)}
        if len(self._ids) != len(self.pieces):
            raise VocabularyError("a piece occurs twice in the vocabulary")
        if unknown not in self._ids:
            raise VocabularyError("the unknown token %(unknown)s is not in the vocabulary", unknown=shown(unknown))
        self.unknown_id: int = self._ids[unknown]
        prefix = continuing_subword_prefix
        # Pieces inside a word, without their prefix: a slice of the word can then be looked up as it is.
        self._inner = {piece[len(prefix) :]: id for piece, id in self._ids.items() if piece.startswith(prefix)}
        self._longest = max(map(len, self._ids))
        self.ids = Cache(self._compute_ids).__getitem__

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None when it is not in the vocabulary."""
        return self._ids.get(piece) if isinstance(piece, str) else None

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token, in characters."""
        if not pretoken:
            return ()
        if len(pretoken) > self.max_word_length:
            return ((self.unknown_id, 0, len(pretoken)),)
        segments: list[tuple[int, int, int]] = []
        vocabulary = self._ids
        start, length = 0, len(pretoken)
        while start < length:
            for end in range(min(length, start + self._longest), start, -1):
                id = vocabulary.get(pretoken[start:end])
                if id is not None:
                    segments.append((id, start, end))
                    start = end
                    break
            else:
                return ((self.unknown_id, 0, length),)
            vocabulary = self._inner
        return tuple(segments)

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        id = self._ids.get(pretoken)
        if id is not None and len(pretoken) <= self.max_word_length:
            return (id,)
        return tuple(id for id, _, _ in self.segment(pretoken))
