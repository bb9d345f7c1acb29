"""The Unigram language model: the most probable of all segmentations of a text into pieces.

Kudo 2018, "Subword Regularization", section 3.2: pieces are independent, so the best segmentation is the path with the
highest sum of log probabilities through the lattice, found by Viterbi. The score of an unknown character, ties and
fused unknowns are as in Hugging Face's `tokenizers`, so the ids are the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf

from webapp.core.cache import Cache
from webapp.core.models.fast.word_lengths import lengths_by_beginning, matching_pieces, path_parts
from webapp.core.models.scored_pieces import Part
from webapp.core.vocabulary_error import VocabularyError

UNKNOWN_PENALTY = 10.0


class Unigram:
    """Pieces with log probabilities; the path with the highest sum wins, on a tie the one that is found first.

    A character without a piece is unknown and scores `min(scores) - 10`; adjacent unknown characters are one token.

    >>> model = Unigram(["<unk>", "a", "b", "ab", "c"], [0.0, -1.0, -1.0, -1.5, -2.0], unknown_id=0)
    >>> model.segment("abxyc")
    ((3, 0, 2), (0, 2, 4), (4, 4, 5))
    """

    def __init__(
        self, pieces: Sequence[str], scores: Sequence[float], *, unknown_id: int, byte_fallback: bool = False
    ) -> None:
        """`scores` holds the natural log probability of each piece. With `byte_fallback`, unknown text becomes
        its bytes if all of them are pieces (`<0x0A>`).

        Raises ValueError if there are more or fewer scores than pieces, a piece is empty or occurs twice,
        `unknown_id` is not the id of a piece, or `lengths_by_beginning` rejects the pieces.
        """
        self.pieces: Sequence[str] = tuple(pieces)
        self.scores: Sequence[float] = tuple(map(float, scores))
        self.unknown_id = unknown_id
        self.byte_fallback = byte_fallback
        if len(self.pieces) != len(self.scores):
            raise VocabularyError(
                "%(pieces)s pieces, but %(scores)s scores", pieces=len(self.pieces), scores=len(self.scores)
            )
        if not 0 <= unknown_id < len(self.pieces):
            raise VocabularyError(
                "the unknown id %(unknown_id)s is outside the vocabulary of %(pieces)s",
                unknown_id=unknown_id,
                pieces=len(self.pieces),
            )
        self._ids = {piece: id for id, piece in enumerate(self.pieces)}
        if len(self._ids) != len(self.pieces):
            raise VocabularyError("a piece occurs twice in the vocabulary")
        if "" in self._ids:
            raise VocabularyError("an empty piece is in the vocabulary")
        self.score_of: Mapping[str, float] = dict(zip(self.pieces, self.scores, strict=True))
        """The log probability of each piece."""
        self.unknown_score = min(self.scores) - UNKNOWN_PENALTY
        """The score of a character without a piece."""
        self._lengths = lengths_by_beginning(self.pieces, bounded=True)
        # Building the lattice is expensive, so the ids and offsets of a pre-token share it.
        self.segment = Cache(self._segment).__getitem__
        self.ids = Cache(lambda pretoken: tuple(id for id, _, _ in self.segment(pretoken))).__getitem__

    def id_of(self, piece: str | bytes) -> int | None:
        """The id of a piece, or None if it is not in the vocabulary."""
        return self._ids.get(piece) if isinstance(piece, str) else None

    def arcs(self, text: str) -> Iterator[tuple[int, int, int | None, float]]:
        """Yield `(start, end, id, log probability)` of each arc of the lattice; an unknown character has no id."""
        for start, end, score in matching_pieces(text, self.score_of, self._lengths, self.unknown_score):
            yield start, end, self._ids.get(text[start:end]), score

    def tokens(self, parts: Sequence[Part], text: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token of a path; `parts` has its ids (None for an unknown character) and ends."""
        segments: list[tuple[int, int, int]] = []
        start = 0
        unknown_id = self.unknown_id
        for part, end in parts:
            id = unknown_id if part is None else part
            if id == unknown_id and segments and segments[-1][0] == unknown_id:
                segments[-1] = (id, segments[-1][1], end)
            else:
                segments.append((id, start, end))
            start = end
        if self.byte_fallback:
            return tuple(token for segment in segments for token in self._in_bytes(text, *segment))
        return tuple(segments)

    def _segment(self, pretoken: str) -> Sequence[tuple[int, int, int]]:
        """`(id, start, end)` of each token of the best path, in characters."""
        return self.tokens(path_parts(pretoken, self._best_path(pretoken), self._ids), pretoken)

    def _in_bytes(self, text: str, id: int, start: int, end: int) -> list[tuple[int, int, int]]:
        """A token, or for an unknown one the tokens of its bytes, each with the range of the whole."""
        if id != self.unknown_id or text[start:end] in self._ids:
            return [(id, start, end)]
        ids = [self._ids.get(f"<0x{byte:02X}>") for byte in text[start:end].encode()]
        return [(id, start, end)] if None in ids else [(byte, start, end) for byte in ids if byte is not None]

    def _best_path(self, text: str) -> list[int]:
        """For each position, the start of the last token of the best path to it."""
        length = len(text)
        best = [-inf] * (length + 1)
        best[0] = 0.0
        start_of = [0] * (length + 1)
        score_of = self.score_of.get
        unknown_score = self.unknown_score
        lengths_of = self._lengths.get
        for start in range(length):
            score_here = best[start]
            end = start + 1
            score = score_here + score_of(text[start], unknown_score)
            if score > best[end]:
                best[end] = score
                start_of[end] = start
            for piece_length in reversed(lengths_of(text[start : start + 2], ())):
                end = start + piece_length
                if end > length:
                    break
                piece_score = score_of(text[start:end])
                if piece_score is not None and score_here + piece_score > best[end]:
                    best[end] = score_here + piece_score
                    start_of[end] = start
        return start_of
