"""The Unigram language model in SentencePiece's arithmetic.

Kudo 2018, "Subword Regularization", section 3.2, as in `unigram`. But SentencePiece sums scores in single precision
over the whole text, so rounding, which depends on all text before, decides between nearly equal paths. The score of a
path is reset to 0 when it passes 100,000, which limits the rounding step to 1/128.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from math import inf

from webapp.core.cache import Cache
from webapp.core.models.fast.word_lengths import lengths_by_beginning, matching_pieces
from webapp.core.models.scored_pieces import Part, PieceKind, ScoredModel, ScoredPieces, Segment
from webapp.core.vocabulary_error import VocabularyError

UNKNOWN_PENALTY = 10.0
# The score of a user-defined piece for each byte after its first, whatever score the file gives it.
USER_DEFINED_BONUS = 0.1

# About how many times a score may be reset to 0 within a piece; each reset takes time for every length of a piece.
MOST_RESETS = 16
# In characters: pieces up to here, the default of SentencePiece's trainer, may have any score.
SHORT = 16
# Where SentencePiece resets the score of the path so far to 0.
FARTHEST = 100_000.0


class SentencePieceUnigram(ScoredModel):
    """Pieces with log probabilities; the path with the highest sum wins, on a tie the one that is found first.

    >>> vocabulary = ScoredPieces(["<unk>", "a", "b", "ab", "c"], [0.0, -1.0, -1.0, -1.5, -2.0],
    ...                           [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * 4])
    >>> SentencePieceUnigram(vocabulary).segment("abxyc")
    [(3, 0, 2), (0, 2, 4), (4, 4, 5)]

    A character without a piece is unknown, with a score 10 below the lowest score.
    """

    def __init__(self, vocabulary: ScoredPieces) -> None:
        super().__init__(vocabulary)
        self.score_of: Mapping[str, float] = {piece: self._score(piece, id) for piece, id in vocabulary.ids.items()}
        """The score of each piece that represents text."""
        normal = [
            score for score, kind in zip(vocabulary.scores, vocabulary.kinds, strict=True) if kind == PieceKind.NORMAL
        ]
        self.unknown_score = single(single(min(normal, default=0.0)) - UNKNOWN_PENALTY)
        """The score of a character without a piece."""
        self._lengths = lengths_by_beginning(self.score_of, bounded=True)
        self._longest = max(map(len, self.score_of), default=1)
        steepest = max(map(abs, [self.unknown_score, *self.score_of.values()]))
        if self._longest > SHORT and self._longest * steepest > MOST_RESETS * FARTHEST:
            raise VocabularyError(
                "a score of %(score)s is too far from 0 for a vocabulary with a piece of %(count)s characters",
                score=f"{max(self.unknown_score, *self.score_of.values(), key=abs):g}",
                count=f"{self._longest:,}",
            )
        self._paths: Cache[tuple[Part, ...]] = Cache(self._best_path)  # the ids of a text, and then its offsets

    def arcs(self, text: str) -> Iterator[tuple[int, int, int | None, float]]:
        """Yield `(start, end, id, log probability)` of each arc of the lattice; an unknown character has no id."""
        for start, end, score in matching_pieces(text, self.score_of, self._lengths, self.unknown_score):
            yield start, end, self.vocabulary.ids.get(text[start:end]), score

    def tokens(self, parts: Sequence[Part], text: str) -> Sequence[Segment]:
        """`(id, start, end)` of each token of a path; `parts` has its ids (None for an unknown character) and ends."""
        return self.vocabulary.segments(parts, text)

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of a text, which is one path: rounding depends on all that comes before."""
        return self.vocabulary.expanded(self._paths[pretoken], pretoken)

    def _all_parts(self, text: str) -> Sequence[Part]:
        return self._paths[text]

    def _best_path(self, text: str) -> tuple[Part, ...]:
        """The parts of the best path through a text."""
        length = len(text)
        best = array("f", [-inf]) * (length + 1)
        best[0] = 0.0
        start_of = [0] * (length + 1)
        score_of = self.score_of.get
        lengths_of = self._lengths.get
        unknown_score = self.unknown_score
        rounded = array("f", [0.0])
        for start in range(length):
            score_here = best[start]
            if score_here > FARTHEST or score_here < -FARTHEST:
                for at in range(start + 1, min(start + self._longest, length) + 1):
                    best[at] -= score_here
                score_here = best[start] = 0.0
            end = start + 1
            candidate = score_here + score_of(text[start], unknown_score)
            if candidate > best[end]:
                # Compare again after rounding.
                rounded[0] = candidate
                if rounded[0] > best[end]:
                    best[end] = candidate
                    start_of[end] = start
            for piece_length in lengths_of(text[start : start + 2], ()):
                end = start + piece_length
                piece_score = score_of(text[start:end])
                if piece_score is not None and end <= length and score_here + piece_score > best[end]:
                    rounded[0] = score_here + piece_score
                    if rounded[0] > best[end]:
                        best[end] = rounded[0]
                        start_of[end] = start
        return tuple(parts_of(text, start_of, self.vocabulary))

    def _score(self, piece: str, id: int) -> float:
        if self.vocabulary.kinds[id] == PieceKind.USER_DEFINED:
            return single((len(piece.encode()) - 1) * USER_DEFINED_BONUS)
        return single(self.vocabulary.scores[id])


def parts_of(text: str, start_of: Sequence[int], vocabulary: ScoredPieces) -> list[Part]:
    """The parts of a text; `start_of` has, for each position, the start of the last part of the best path to it."""
    parts: list[Part] = []
    end = len(text)
    id_of = vocabulary.ids.get
    while end > 0:
        start = start_of[end]
        parts.append((id_of(text[start:end]), end))
        end = start
    parts.reverse()
    return parts


def single(value: float) -> float:
    """Round to single precision."""
    return array("f", [value])[0]
