"""WordPiece encoding as in BERT: the longest piece first, from the left.

Schuster and Nakajima 2012; Devlin et al. 2019, "BERT", section 3; the greedy search is `WordpieceTokenizer` of
BERT's published code.

One token for each word: a word that is not in the vocabulary is unknown as a whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from webapp.core.cache import IdCache
from webapp.core.models.fast.word_lengths import lengths_by_beginning
from webapp.core.vocabulary_error import VocabularyError, shown

# In characters; if no piece is longer, trying every length is faster than a table of lengths. The table takes a fifth
# of the loading time of 30,000 pieces and saves nothing on their words, which have 5 characters left on average.
LONG = 32


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
    ) -> None:
        """Raises ValueError if a piece occurs twice, `unknown` is not a piece, or `lengths_by_beginning` rejects the
        pieces inside a word.
        """
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
        # Pieces inside a word, without their prefix, so that a slice of the word can be looked up directly.
        self._inner = {piece[len(prefix) :]: id for piece, id in self._ids.items() if piece.startswith(prefix)}
        self._longest = max(map(len, self._ids))
        self._longest_inner = max(map(len, self._inner), default=1)
        self._first_lengths: list[int] | None = None
        self._inner_lengths: dict[str, tuple[int, ...]] | None = None
        if max(self._longest, self._longest_inner) > LONG:
            self._first_lengths = sorted(set(map(len, self._ids)))
            # Pieces longer than the longest word never match.
            self._inner_lengths = lengths_by_beginning(
                (piece for piece in self._inner if len(piece) <= max_word_length), bounded=True
            )
        self.ids = IdCache(self._compute_ids).__getitem__

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._ids.get(piece) if isinstance(piece, str) else None

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token, in characters."""
        if not pretoken:
            return ()
        if len(pretoken) > self.max_word_length:
            return ((self.unknown_id, 0, len(pretoken)),)
        segments = self._by_table(pretoken) if self._inner_lengths is not None else self._by_every_length(pretoken)
        return segments or ((self.unknown_id, 0, len(pretoken)),)

    def _by_every_length(self, word: str) -> tuple[tuple[int, int, int], ...]:
        """The tokens of a word, trying every length; empty if pieces do not cover the word."""
        segments: list[tuple[int, int, int]] = []
        id_of, longest = self._ids.get, self._longest
        start, length = 0, len(word)
        while start < length:
            for end in range(min(length, start + longest), start, -1):
                if (id := id_of(word[start:end])) is not None:
                    segments.append((id, start, end))
                    start = end
                    break
            else:
                return ()
            id_of, longest = self._inner.get, self._longest_inner
        return tuple(segments)

    def _by_table(self, word: str) -> tuple[tuple[int, int, int], ...]:
        """Like `_by_every_length`, but trying only lengths that some piece has."""
        length = len(word)
        start = self._end_of_first(word)
        if not start:
            return ()
        segments = [(self._ids[word[:start]], 0, start)]
        id_of, lengths_of = self._inner.get, (self._inner_lengths or {}).get
        while start < length:
            for piece_length in (*lengths_of(word[start : start + 2], ()), 1):
                end = start + piece_length
                if end <= length and (id := id_of(word[start:end])) is not None:
                    segments.append((id, start, end))
                    start = end
                    break
            else:
                return ()
        return tuple(segments)

    def _end_of_first(self, word: str) -> int:
        """The end of the longest piece that a word begins with; 0 if there is none."""
        lengths = self._first_lengths or []
        for at in range(bisect_right(lengths, len(word)) - 1, -1, -1):
            if word[: lengths[at]] in self._ids:
                return lengths[at]
        return 0

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
