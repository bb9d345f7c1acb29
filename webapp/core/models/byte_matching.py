"""Forward maximum matching over bytes: the longest piece at each place, from the left, as RWKV World does it."""

from collections.abc import Sequence

from webapp.core.cache import Cache
from webapp.core.models.fast.word_lengths import lengths_of_bytes
from webapp.core.models.merge_loop import byte_segments, check_bytes
from webapp.core.vocabulary_error import VocabularyError


class ByteMatching:
    """Pieces are `bytes`, all 256 single bytes are pieces, and no text is unknown. It segments the whole text.

    >>> model = ByteMatching([bytes([byte]) for byte in range(256)] + [b"to", b"tor", b"ora"])
    >>> [model.pieces[id] for id in model.ids("torah")]
    [b'tor', b'a', b'h']
    """

    byte_level = True
    unknown_id = None

    def __init__(self, pieces: Sequence[bytes], *, reserved: int = 0) -> None:
        """The first `reserved` pieces are special tokens, which no text produces by itself.

        Raises ValueError if a piece is empty or occurs twice, one of the 256 bytes is missing, or the pieces with the
        same first two bytes have too many lengths.
        """
        self.pieces: Sequence[bytes] = tuple(pieces)
        self.reserved = reserved
        self._ids = {piece: id for id, piece in enumerate(self.pieces) if id >= reserved}
        if len(self._ids) != len(self.pieces) - reserved:
            raise VocabularyError("a piece occurs twice in the vocabulary")
        check_bytes(self._ids)
        self._lengths = lengths_of_bytes(self._ids)
        self.ids = Cache(self._compute_ids).__getitem__

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._ids.get(piece) if isinstance(piece, bytes) else None

    def segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token, in characters; part of a character has the range of the character."""
        return byte_segments(pretoken, self.ids(pretoken), self.pieces)

    def _compute_ids(self, pretoken: str) -> tuple[int, ...]:
        data = pretoken.encode()
        ids: list[int] = []
        id_of, lengths_of = self._ids.get, self._lengths.get
        at, size = 0, len(data)
        while at < size:
            for length in lengths_of(data[at : at + 2], ()):
                # A slice at the end of the text is shorter than the length, and a piece that is tried later.
                if at + length <= size and (id := id_of(data[at : at + length])) is not None:
                    break
            else:
                length, id = 1, self._ids[data[at : at + 1]]
            ids.append(id)
            at += length
        return tuple(ids)
