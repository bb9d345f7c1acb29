"""WordPiece encoding as in BERT: the longest piece first, from the left.

Schuster and Nakajima 2012; Devlin et al. 2019, "BERT", section 3; the greedy search is `WordpieceTokenizer` of
BERT's published code.

One token for each word: a word that is not in the vocabulary is unknown as a whole.
"""

from collections.abc import Collection, Sequence

from webapp.core.cache import Cache
from webapp.core.models import ids_by_piece
from webapp.core.models.fast.word_lengths import lengths_by_beginning
from webapp.core.vocabulary_error import VocabularyError, shown


class WordPiece:
    """Takes the longest matching piece, from the left, until the word is covered; pieces inside a word have a prefix.

    A word that pieces cannot cover to its end is one unknown token, and so is a word of more than `max_word_length`
    characters.

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
        gaps: Collection[int] = (),
    ) -> None:
        """`gaps` are the ids without a piece.

        Raises ValueError if a piece occurs twice, `unknown` is not a piece, or `lengths_by_beginning` rejects the
        pieces inside a word.
        """
        self.pieces: Sequence[str] = tuple(pieces)
        self.unknown = unknown
        self.continuing_subword_prefix = continuing_subword_prefix
        self.max_word_length = max_word_length
        self.gaps = frozenset(gaps)
        self._ids = ids_by_piece(self.pieces, self.gaps)
        if unknown not in self._ids:
            raise VocabularyError("the unknown token %(unknown)s is not in the vocabulary", unknown=shown(unknown))
        self.unknown_id: int = self._ids[unknown]
        prefix = continuing_subword_prefix
        # Pieces inside a word, without their prefix, so that a slice of the word can be looked up directly.
        self._inner = {piece[len(prefix) :]: id for piece, id in self._ids.items() if piece.startswith(prefix)}
        self._first_lengths = lengths_by_beginning(self._ids)
        # Pieces longer than the longest word never match.
        self._inner_lengths = lengths_by_beginning(
            (piece for piece in self._inner if len(piece) <= max_word_length), bounded=True
        )
        self.ids = Cache(self._compute_ids).__getitem__

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._ids.get(piece) if isinstance(piece, str) else None

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token, in characters."""
        if not pretoken:
            return ()
        unknown = ((self.unknown_id, 0, len(pretoken)),)
        if len(pretoken) > self.max_word_length:
            return unknown
        segments: list[tuple[int, int, int]] = []
        id_of, lengths_of = self._ids.get, self._first_lengths.get
        start, length = 0, len(pretoken)
        while start < length:
            for piece_length in (*lengths_of(pretoken[start : start + 2], ()), 1):
                end = start + piece_length
                if end <= length and (id := id_of(pretoken[start:end])) is not None:
                    segments.append((id, start, end))
                    start = end
                    break
            else:
                return unknown
            id_of, lengths_of = self._inner.get, self._inner_lengths.get
        return tuple(segments)

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        id = self._ids.get(pretoken)
        if id is not None and len(pretoken) <= self.max_word_length:
            return (id,)
        return tuple(id for id, _, _ in self.segment(pretoken))


class WordLevel:
    """Every pre-token is one token.

    >>> model = WordLevel(["<unk>", "low", "lower"])
    >>> model.ids("lower"), model.segment("lowest")
    ((2,), ((0, 0, 6),))

    If the unknown token is not a piece, `tokenizers` fails on an unknown word; here the word is left out.
    """

    def __init__(self, pieces: Sequence[str], *, unknown: str = "<unk>", gaps: Collection[int] = ()) -> None:
        """`gaps` are the ids without a piece. Raises ValueError if a piece occurs twice."""
        self.pieces: Sequence[str] = tuple(pieces)
        self.unknown = unknown
        self.gaps = frozenset(gaps)
        self._ids = ids_by_piece(self.pieces, self.gaps)
        self.unknown_id = self._ids.get(unknown)
        self.ids = Cache(lambda pretoken: tuple(id for id, _, _ in self.segment(pretoken))).__getitem__

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._ids.get(piece) if isinstance(piece, str) else None

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of the one token, in characters."""
        id = self._ids.get(pretoken, self.unknown_id)
        return () if id is None or not pretoken else ((id, 0, len(pretoken)),)
