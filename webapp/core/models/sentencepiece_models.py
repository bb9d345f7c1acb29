"""SentencePiece's BPE and Unigram.

`ScoredBPE` merges by score: the adjacent pair that forms the piece with the highest score first. In Sennrich et al.
2016 each merge has a rank; here a piece has a score, and any adjacent pair that forms the piece may be merged. For the
heap see Kudo and Richardson 2018, section 3.2.

`SentencePieceUnigram` is the Unigram language model in SentencePiece's arithmetic: Kudo 2018, "Subword Regularization",
section 3.2, as in `unigram`. But SentencePiece sums scores in single precision over the whole text, so rounding, which
depends on all text before, decides between nearly equal paths. The score of a path is reset to 0 when it passes
100,000, which limits the rounding step to 1/128.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import ClassVar

from webapp.core.cache import Cache
from webapp.core.models.fast.word_lengths import lengths_by_beginning, matching_pieces, path_parts
from webapp.core.models.merge_loop import MergeRule, merge, merge_with_places
from webapp.core.models.scored_pieces import Part, PieceKind, ScoredModel, ScoredPieces, Segment, symbols_of
from webapp.core.vocabulary_error import VocabularyError

# How many levels of unused pieces inside unused pieces are split, as in SentencePiece.
MOST_LEVELS = 100

# Llama's 32,000 pieces have 61,249 pairs and a million characters in all their parts. At these limits, reading a file
# takes about 4 s and 400 MB.
MOST_PAIRS = 3_000_000
MOST_CHARACTERS = 1_000_000_000


class ScoredBPE(ScoredModel):
    """Merges the adjacent pair that forms the piece with the highest score, the leftmost first among equals.

    >>> from webapp.core.models.scored_pieces import PieceKind
    >>> vocabulary = ScoredPieces(["<unk>", "a", "b", "ab", "abab"], [0.0, -9.0, -9.0, -1.0, -2.0],
    ...                           [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * 4])
    >>> ScoredBPE(vocabulary).segment("abababc")
    [(4, 0, 4), (3, 4, 6), (0, 6, 7)]

    A user-defined piece is a symbol from the start and is never merged. An unused piece is merged like any other and
    split again at the end, into the two parts that were last adjacent anywhere in the text.
    """

    def __init__(self, vocabulary: ScoredPieces) -> None:
        super().__init__(vocabulary)
        self._split = symbols_of(vocabulary)
        mergeable = {**vocabulary.ids, **vocabulary.unused}
        for piece in vocabulary.user_defined:
            del mergeable[piece]
        self._symbols = _symbols(mergeable, vocabulary.user_defined, len(vocabulary.pieces))
        self._texts = {symbol: text for text, symbol in self._symbols.items()}
        self._ranks, self._merged = _merges(mergeable, vocabulary.scores, self._symbols)
        self._unused_ids = frozenset(vocabulary.unused.values())

    def ids(self, pretoken: str, /) -> list[int] | tuple[int, ...]:
        """The ids of a text; its words are cached, unless unused pieces make them depend on one another."""
        if self._unused_ids:
            return self._word_ids[pretoken]
        return super().ids(pretoken)  # type: ignore[return-value]

    def _all_parts(self, text: str) -> list[Part]:
        return self._parts(text) if self._unused_ids else list(super()._all_parts(text))

    merge_rule: ClassVar[MergeRule] = "score"

    def whole_id(self, pretoken: str) -> None:
        """None: SentencePiece merges every word."""

    def words(self, pretoken: str) -> list[str]:
        """Split a pre-token into spans that are merged separately, if its tokens do not depend on all of it."""
        if self._unused_ids:
            return [pretoken]
        cut = self.vocabulary.words(pretoken)
        apart = sum(len(self.ids(word)) for word in cut)
        return cut if apart == len(self.ids(pretoken)) else [pretoken]  # else an unknown token spans several words

    def merge_result(self, left: int, right: int) -> tuple[int, int] | None:
        """The rank by score of the merge of two adjacent symbols and the symbol that it makes, or None."""
        pair = left << 32 | right
        rank = self._ranks.get(pair) if left >= 0 and right >= 0 else None
        return None if rank is None else (rank, self._merged[pair])

    def symbols(self, word: str) -> tuple[list[str], list[int]]:
        """The initial symbols of a word, as texts and as numbers: ids, higher numbers for characters that are only part
        of pieces, and for symbols that are never merged -1 less their place.
        """
        found = self._split(word)
        return found, [self._symbols.get(text, -1 - at) for at, text in enumerate(found)]

    def text_of(self, symbol: int) -> str:
        """The text of a symbol; `�` for one that is never merged."""
        return self._texts.get(symbol, "\ufffd")

    def _parts(self, word: str) -> list[Part]:
        found, symbols = self.symbols(word)
        if not self._unused_ids:
            return self.parts_of(found, merge(symbols, self._ranks, self._merged))
        seen: dict[int, tuple[int, int]] = {}

        def rank_of(pair: int, default: int) -> int:
            if (made := self._merged.get(pair)) is not None:
                seen[made] = pair >> 32, pair & 0xFFFFFFFF
            return self._ranks.get(pair, default)

        return self.parts_of(found, [id for id, _ in merge_with_places(symbols, rank_of, self._merged)], seen)

    def parts_of(
        self, found: Sequence[str], merged: Iterable[int], seen: Mapping[int, tuple[int, int]] | None = None
    ) -> list[Part]:
        """The parts of a word after merging.

        `found` are the texts of its initial symbols, `merged` the symbols that are left, `seen` the pair that last
        formed each piece, for unused pieces.
        """
        parts: list[Part] = []
        end = 0
        for symbol in merged:
            if symbol < 0:
                text = found[-1 - symbol]
                end += len(text)
                parts.append((self.vocabulary.ids.get(text), end))
                continue
            for part in self._split_unused(symbol, seen):
                end += len(self._texts[part])
                parts.append((part if part < len(self.pieces) and part not in self._unused_ids else None, end))
        return parts

    def _split_unused(self, symbol: int, seen: Mapping[int, tuple[int, int]] | None, depth: int = 0) -> list[int]:
        if symbol not in self._unused_ids or not seen or symbol not in seen or depth > MOST_LEVELS:
            return [symbol]
        left, right = seen[symbol]
        return [*self._split_unused(left, seen, depth + 1), *self._split_unused(right, seen, depth + 1)]


def _symbols(mergeable: Mapping[str, int], frozen: frozenset[str], beyond: int) -> dict[str, int]:
    """The id of each symbol: a piece's own id, and one from `beyond` on for a character that is only part of pieces."""
    symbols = dict(mergeable)
    for character in {character for piece in mergeable for character in piece}:
        if character not in symbols and character not in frozen:
            symbols[character] = beyond
            beyond += 1
    return symbols


def _merges(
    mergeable: Mapping[str, int], scores: tuple[float, ...], symbols: Mapping[str, int]
) -> tuple[dict[int, int], dict[int, int]]:
    """For each packed pair of symbols that forms a piece: the rank of the piece by score, and its id.

    Raises VocabularyError if there are too many pairs, or if the pieces are too long to search for pairs.
    """
    by_score = {
        score: rank for rank, score in enumerate(sorted({scores[id] for id in mergeable.values()}, reverse=True))
    }
    characters = sum(len(piece) ** 2 for piece in mergeable)
    if characters > MOST_CHARACTERS:
        raise VocabularyError(
            "the pieces are too long to merge: the squares of their lengths add up to %(count)s, and %(most)s are "
            "allowed",
            count=f"{characters:,}",
            most=f"{MOST_CHARACTERS:,}",
        )
    ranks: dict[int, int] = {}
    merged: dict[int, int] = {}
    symbol_of = symbols.get
    for piece, id in mergeable.items():
        rank = by_score[scores[id]]
        for cut in range(1, len(piece)):
            left = symbol_of(piece[:cut])
            if left is not None and (right := symbol_of(piece[cut:])) is not None:
                pair = left << 32 | right
                ranks[pair] = rank
                merged[pair] = id
        if len(ranks) > MOST_PAIRS:
            raise VocabularyError(
                "there are more than %(most)s ways to form a piece from two others", most=f"{MOST_PAIRS:,}"
            )
    return ranks, merged


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
        return tuple(path_parts(text, start_of, self.vocabulary.ids))

    def _score(self, piece: str, id: int) -> float:
        if self.vocabulary.kinds[id] == PieceKind.USER_DEFINED:
            return single((len(piece.encode()) - 1) * USER_DEFINED_BONUS)
        return single(self.vocabulary.scores[id])


def single(value: float) -> float:
    """Round to single precision."""
    return array("f", [value])[0]
