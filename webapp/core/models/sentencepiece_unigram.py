"""The Unigram language model in SentencePiece's arithmetic.

Kudo 2018, "Subword Regularization", section 3.2, as in `unigram`; but SentencePiece sums scores in single precision
over the whole text, so that between near-equal paths it is rounding that decides, and with it everything in front. A
path's score is brought back to 0 when it passes 100,000, which keeps a step of rounding at 1/128 at most.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, chain
from math import inf
from operator import neg

from webapp.core.models.cache import ENTRIES
from webapp.core.models.lengths import lengths_by_beginning
from webapp.core.models.rounded_words import RoundedWords, single
from webapp.core.models.scored_pieces import Kind, Part, ScoredModel, ScoredPieces

UNKNOWN_PENALTY = 10.0
# A user-defined piece gets so much for each byte after its first, whatever its own score.
USER_DEFINED_BONUS = 0.1
# Where the score of the path so far is brought back to 0.
FARTHEST = 100_000.0

# In a text of more words there is always one where rounding may decide.
FEW = 1000
# Words that are followed together; at a word that cannot be, the rest of them is followed again.
STRETCH = 256


class SentencePieceUnigram(ScoredModel):
    """Pieces with log probabilities; the path with the highest sum wins, on a tie the one found first.

    >>> vocabulary = ScoredPieces(["<unk>", "a", "b", "ab", "c"], [0.0, -1.0, -1.0, -1.5, -2.0],
    ...                           [Kind.UNKNOWN, *[Kind.NORMAL] * 4])
    >>> SentencePieceUnigram(vocabulary).segment("abxyc")
    [(3, 0, 2), (0, 2, 4), (4, 4, 5)]

    A character that is no piece can be passed as an unknown one for the lowest score less 10.
    """

    def __init__(self, vocabulary: ScoredPieces) -> None:
        super().__init__(vocabulary)
        self._score_of = {piece: self._score(piece, id) for piece, id in vocabulary.ids.items()}
        normal = [score for score, kind in zip(vocabulary.scores, vocabulary.kinds, strict=True) if kind == Kind.NORMAL]
        self._unknown_score = single(single(min(normal, default=0.0)) - UNKNOWN_PENALTY)
        self._lengths = lengths_by_beginning(self._score_of)
        self._longest = max(map(len, self._score_of), default=1)
        steepest = max(map(abs, [self._unknown_score, *self._score_of.values()]))
        self._steepest = steepest
        self._front = vocabulary.space if vocabulary.single_spaces else ""
        self._rounded = self._no_words()
        # Where one score is gigantic, no word is short of the point where sums are brought back to 0.
        self._word_by_word = steepest < 1000

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of a text; its words are remembered."""
        if not self._word_by_word or len(words := self._words(pretoken)) < 2:
            return self.vocabulary.expanded(self._all_parts(pretoken), pretoken)
        if len(self._rounded.paths) > ENTRIES:
            self._rounded = self._no_words()
        known = self._rounded
        numbers = list(map(known.number.__getitem__, words))
        farthest = min(len(pretoken) * self._steepest, 2 * FARTHEST)
        if len(words) < FEW and min(map(known.certain_until.__getitem__, numbers)) > farthest:
            ids = list(chain.from_iterable(map(known.ids.__getitem__, numbers)))
        else:
            ids = self._exact_ids(known, words, numbers)
        # With a space that is a piece in front, no word begins with an unknown character.
        return ids if self._front in self._score_of else self.vocabulary.fused(ids)

    def _no_words(self) -> RoundedWords:
        return RoundedWords(self._score_of, self._unknown_score, self.vocabulary, self._front)

    def _words(self, text: str) -> list[str]:
        """The words, without the space in front where every one has one."""
        if not self._front:
            return self.vocabulary.words(text)
        if not text.startswith(self._front):
            return []
        words = text.split(self._front)
        del words[0]
        return words

    def _all_parts(self, text: str) -> Sequence[Part]:
        return self._best_path(text, 0.0)[0]

    def _exact_ids(self, known: RoundedWords, words: list[str], numbers: list[int]) -> list[int]:
        """The ids where rounding may decide: the score of the path so far is followed from word to word."""
        ids: list[int] = []
        score = 0.0
        at = 0
        together = STRETCH
        while at < len(words):
            grid = known.at(score, FARTHEST)
            room = grid.limit + score if grid is not None else 0.0
            if grid is not None and room > 0:
                stretch = numbers[at : at + min(int(room / 8) + 4, together)]
                scores = list(accumulate(map(grid.change.__getitem__, stretch), initial=score))
                fast = bisect_left(scores, grid.limit, key=neg) - 1
                together = min(4 * max(fast, 4), STRETCH)
                if fast > 0:
                    ids += chain.from_iterable(map(grid.ids.__getitem__, stretch[:fast]))
                    score = scores[fast]
                    at += fast
                    continue
                known.learn(numbers[at], grid)
            word_ids, score = self._next(known, words[at], numbers[at], score)
            ids += word_ids
            at += 1
        return ids

    def _next(self, known: RoundedWords, word: str, number: int, score: float) -> tuple[Sequence[int], float]:
        """The ids of one word behind a path with a score, and the score behind it."""
        if known.certain_behind(number, score, FARTHEST):
            rounded = array("f", [score])
            for piece_score in known.paths[number].scores:
                rounded[0] += piece_score
            return known.ids[number], rounded[0]
        word = self._front + word
        parts, score = self._best_path(word, score)
        return self.vocabulary.expanded(parts, word), score

    def _best_path(self, text: str, score: float) -> tuple[list[Part], float]:
        """The parts of the best path through a text, and its score, when the path up to there had a score."""
        length = len(text)
        best = array("f", [-inf]) * (length + 1)
        best[0] = score
        start_of = [0] * (length + 1)
        score_of = self._score_of.get
        lengths_of = self._lengths.get
        unknown_score = self._unknown_score
        rounded = array("f", [0.0])
        for start in range(length):
            till_here = best[start]
            if till_here > FARTHEST or till_here < -FARTHEST:
                for at in range(start + 1, min(start + self._longest, length) + 1):
                    best[at] -= till_here
                till_here = best[start] = 0.0
            end = start + 1
            candidate = till_here + score_of(text[start], unknown_score)
            if candidate > best[end]:
                # Only what is greater once it is rounded counts as greater.
                rounded[0] = candidate
                if rounded[0] > best[end]:
                    best[end] = candidate
                    start_of[end] = start
            for piece_length in lengths_of(text[start : start + 2], ()):
                end = start + piece_length
                piece_score = score_of(text[start:end])
                if piece_score is not None and end <= length and till_here + piece_score > best[end]:
                    rounded[0] = till_here + piece_score
                    if rounded[0] > best[end]:
                        best[end] = rounded[0]
                        start_of[end] = start
        return parts_of(text, start_of, self.vocabulary), best[length]

    def _score(self, piece: str, id: int) -> float:
        if self.vocabulary.kinds[id] == Kind.USER_DEFINED:
            return single((len(piece.encode()) - 1) * USER_DEFINED_BONUS)
        return single(self.vocabulary.scores[id])


def parts_of(text: str, start_of: Sequence[int], vocabulary: ScoredPieces) -> list[Part]:
    """The parts of a text, from where the last part of the best path to each place starts."""
    parts: list[Part] = []
    end = len(text)
    id_of = vocabulary.ids.get
    while end > 0:
        start = start_of[end]
        parts.append((id_of(text[start:end]), end))
        end = start
    parts.reverse()
    return parts
