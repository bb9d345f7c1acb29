"""The Unigram language model in SentencePiece's arithmetic.

Kudo 2018, "Subword Regularization", section 3.2, as in `unigram`. But SentencePiece sums scores in single precision
over the whole text, so rounding, which depends on all text before, decides between nearly equal paths. The score of a
path is reset to 0 when it passes 100,000, which limits the rounding step to 1/128.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import inf
from operator import itemgetter, neg
from typing import Any

from webapp.core.models.fast.single_precision import FARTHEST, RoundedWords, pack_float, single
from webapp.core.models.fast.word_lengths import lengths_by_beginning, matching_pieces
from webapp.core.models.long_pieces import Ends, LongPieces
from webapp.core.models.scored_pieces import SPACE, Part, PieceKind, ScoredModel, ScoredPieces, Segment
from webapp.core.vocabulary_error import VocabularyError

UNKNOWN_PENALTY = 10.0
# The score of a user-defined piece for each byte after its first, whatever score the file gives it.
USER_DEFINED_BONUS = 0.1

# About how many times a score may be reset to 0 within a long piece; the piece's end takes time for each reset.
MOST_RESETS = 16

# Characters whose words are looked up as one batch; small batches stay in the CPU cache.
BATCH_CHARACTERS = 2000
# How many words are summed one by one before a grid is looked up again.
WORDS_OFF_GRID = 8


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
        self._score_of = {piece: self._score(piece, id) for piece, id in vocabulary.ids.items()}
        normal = [
            score for score, kind in zip(vocabulary.scores, vocabulary.kinds, strict=True) if kind == PieceKind.NORMAL
        ]
        self._unknown_score = single(single(min(normal, default=0.0)) - UNKNOWN_PENALTY)
        self._long = LongPieces(self._score_of)
        self._lengths = lengths_by_beginning(self._long.short(self._score_of))
        steepest = max(map(abs, [self._unknown_score, *self._score_of.values()]))
        self._steepest = steepest
        if self._long and self._long.longest * steepest > MOST_RESETS * FARTHEST:
            raise VocabularyError(
                "a score of %(score)s is too far from 0 for a vocabulary with a piece of %(count)s characters",
                score=f"{max(self._unknown_score, *self._score_of.values(), key=abs):g}",
                count=f"{self._long.longest:,}",
            )
        self._front = vocabulary.space if vocabulary.single_spaces else ""
        self._rounded = self._no_words()
        # With scores beyond this, a single word can reach the point where sums are reset to 0.
        self._word_by_word = steepest < 1000

    @property
    def score_of(self) -> Mapping[str, float]:
        """The score of each piece that represents text."""
        return self._score_of

    @property
    def unknown_score(self) -> float:
        """The score of a character without a piece."""
        return self._unknown_score

    @property
    def numbered_bytes(self) -> int:
        """About how many bytes the numbered words take; at most `MOST_BYTES` of `single_precision`."""
        return self._rounded.bytes

    def arcs(self, text: str) -> Iterator[tuple[int, int, int | None, float]]:
        """Yield `(start, end, id, log probability)` of each arc of the lattice; an unknown character has no id."""
        long = self._long.lengths_by_start(text)
        for start, end, score in matching_pieces(text, self._score_of, self._lengths, self._unknown_score, long):
            yield start, end, self.vocabulary.ids.get(text[start:end]), score

    def tokens(self, parts: Sequence[Part], text: str) -> Sequence[Segment]:
        """`(id, start, end)` of each token of a path; `parts` has its ids (None for an unknown character) and ends."""
        return self.vocabulary.segments(parts, text)

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of a text; its words are cached."""
        if not self._word_by_word or not pretoken.startswith(self._front) or len(pretoken) < 2:
            return self.vocabulary.expanded(self._all_parts(pretoken), pretoken)
        return self._ids_of(self._words(pretoken), len(pretoken))

    def ids_of_words(self, text: str) -> list[int] | None:
        """Like `ids`, for a text that is split at white space, with a space added before each word.

        None if words are not looked up one by one.
        """
        if not self._word_by_word or self._front != SPACE:
            return None
        return self._ids_of(_spaced_words(text), len(text) + 1)

    def _ids_of(self, batches: Iterable[Sequence[str]], length: int) -> list[int]:
        """The ids of batches of words; the words lack their leading space if every word has one."""
        packed = array("i")
        score = 0.0
        farthest = length * self._steepest
        for words in batches:
            if self._rounded.full:
                self._rounded = self._no_words()
            known = self._rounded
            numbers = list(map(known.number.__getitem__, words))
            pick = _at(numbers)
            found = pick(known.packed_ids)
            grid = known.at(score)
            changes = () if grid is None else pick(grid.change)
            sum_after = score + sum(changes)
            if grid is not None and sum_after > -grid.limit:
                score = sum_after
            elif farthest > FARTHEST or min(pick(known.certain_until)) < farthest:
                found = list(found)
                score = self._corrected(known, words, numbers, changes, score, found)
            packed.frombytes(b"".join(found))
        ids = packed.tolist()
        # If a word begins with a space that is a piece, it does not begin with an unknown character.
        return ids if self._front in self._score_of else self.vocabulary.fused(ids)

    def _no_words(self) -> RoundedWords:
        return RoundedWords(self._score_of, self._unknown_score, self.vocabulary, self._front, self._long)

    def _words(self, text: str) -> Iterator[list[str]]:
        """The words in batches, without their leading space if every word has one."""
        front = self._front
        if not front:
            yield self.vocabulary.words(text)
            return
        start, length = 0, len(text)
        while start < length:
            end = text.find(front, start + BATCH_CHARACTERS)
            if end < 0:
                end = length
            yield text[start + 1 : end].split(front)
            start = end

    def _all_parts(self, text: str) -> Sequence[Part]:
        return self._best_path(text, 0.0)[0]

    def _corrected(
        self,
        known: RoundedWords,
        words: Sequence[str],
        numbers: Sequence[int],
        changes: Sequence[float],
        score: float,
        found: list[bytes],
    ) -> float:
        """Correct the `found` ids of words where rounding decides; return the score after the words.

        `score` is that of the path before the words, `changes` how much each word changes it on its grid. On a grid,
        the changes of many words are summed at once; near its end, and at words without a change, one by one.
        """
        rounded = array("f", [0.0])
        certain_until, scores_of = known.certain_until, known.scores
        at = begin = 0
        followed = known.at(score)
        while at < len(numbers):
            off_grid = WORDS_OFF_GRID
            grid = known.at(score)
            if grid is not None and grid.limit + score > 0:
                if grid is not followed:
                    followed, begin = grid, at
                    changes = _at(numbers[at:])(grid.change)
                try:
                    end = changes.index(-inf, at - begin)
                    known.store_change(numbers[begin + end], grid)
                except ValueError:
                    end = len(changes)
                inside = changes[at - begin : end]
                sum_after = score + sum(inside)
                if sum_after > -grid.limit:
                    score = sum_after
                    at = begin + end
                    off_grid = 1
                else:
                    scores = list(accumulate(inside, initial=score))
                    last = bisect_left(scores, grid.limit, key=neg) - 1
                    score = scores[last]
                    at += last
            for here, number in enumerate(numbers[at : at + off_grid], at):
                if abs(score) < certain_until[number]:
                    rounded[0] = score
                    for piece_score in scores_of[number]:
                        rounded[0] += piece_score
                    score = rounded[0]
                else:
                    word = self._front + words[here]
                    parts, score = self._best_path(word, score)
                    found[here] = pack_float(self.vocabulary.expanded(parts, word))
            at += off_grid
        return score

    def _best_path(self, text: str, score: float) -> tuple[list[Part], float]:
        """The parts of the best path through a text, and its score; `score` is that of the path before the text."""
        length = len(text)
        best = array("f", [-inf]) * (length + 1)
        best[0] = score
        start_of = [0] * (length + 1)
        score_of = self._score_of.get
        lengths_of = self._lengths.get
        unknown_score = self._unknown_score
        rounded = array("f", [0.0])
        limit = self._long.limit
        long_ends = self._long.ends(text)
        resets: list[tuple[int, float]] = []
        for start in range(length):
            score_here = best[start]
            if score_here > FARTHEST or score_here < -FARTHEST:
                for at in range(start + 1, min(start + limit, length) + 1):
                    best[at] -= score_here
                resets.append((start, score_here))
                score_here = best[start] = 0.0
            # The nearest end that no short piece reaches from here: so far, all paths to it end in a long piece.
            if long_ends is not None and (end := start + limit + 1) <= length and (found := long_ends[end]):
                if resets and resets[-1][0] > end - found[0][0]:
                    best[end], start_of[end] = _best_across_resets(found, end, best, resets)
                else:
                    so_far = -inf
                    for long_length, long_score in found:
                        candidate = best[end - long_length] + long_score
                        if candidate > so_far:
                            rounded[0] = candidate
                            if rounded[0] > so_far:
                                so_far = rounded[0]
                                start_of[end] = end - long_length
                    best[end] = so_far
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
        return parts_of(text, start_of, self.vocabulary), best[length]

    def _score(self, piece: str, id: int) -> float:
        if self.vocabulary.kinds[id] == PieceKind.USER_DEFINED:
            return single((len(piece.encode()) - 1) * USER_DEFINED_BONUS)
        return single(self.vocabulary.scores[id])


def _best_across_resets(
    ends: Ends, end: int, best: Sequence[float], resets: Sequence[tuple[int, float]]
) -> tuple[float, int]:
    """The score of the best path to `end` whose last piece is long, and the start of that piece.

    `resets` holds the positions where scores were reset to 0, each with the score that was subtracted from all paths
    through it.
    """
    rounded = array("f", [-inf])
    best_start = 0
    due = bisect_left(resets, (end - ends[0][0] + 1,))
    for length, score in ends:
        start = end - length
        while due < len(resets) and resets[due][0] <= start:
            rounded[0] -= resets[due][1]
            due += 1
        so_far = rounded[0]
        rounded[0] = best[start] + score
        if rounded[0] > so_far:
            best_start = start
        else:
            rounded[0] = so_far
    for _, amount in resets[due:]:
        rounded[0] -= amount
    return rounded[0], best_start


def _spaced_words(text: str) -> Iterator[list[str]]:
    """The words of a text, split at white space, in batches."""
    start, length = 0, len(text)
    while start < length:
        end = text.find(" ", start + BATCH_CHARACTERS)
        if end < 0:
            end = length
        if words := text[start:end].split():
            yield words
        start = end


def _at(numbers: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return a function that picks the items at these indexes from a sequence, all at once.

    >>> _at([2, 0])("abc")
    ('c', 'a')
    """
    return itemgetter(*numbers) if len(numbers) > 1 else lambda row: [row[number] for number in numbers]


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
