"""Samples of Unigram segmentations of whole texts: subword regularization (Kudo 2018, arXiv 1804.10959, section 3.3).

A segmentation x of a pre-token is drawn with the probability P(x) ** α / Σ P(y) ** α over all its segmentations y, by
forward filtering and backward sampling. `webapp.core.traces.sampling` shows the same for one lattice, with α written as
the temperature 1 / α; with the same seed both draw the same segmentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import exp, log
from random import Random

from webapp.core.inference.piece_table import LONGEST
from webapp.core.inference.wrapper import Segment
from webapp.core.models.fast.cache import Cache
from webapp.core.models.fast.word_lengths import lengths_by_ending
from webapp.core.models.scored_pieces import Part
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.unigram import Unigram


class UnigramSamples:
    """Draws the tokens of pre-tokens by their probabilities.

    Pieces of more than `LONGEST` characters are left out.

    >>> model = Unigram(["<unk>", "a", "b", "ab"], [0.0, -1.0, -1.0, -3.0], unknown_id=0)
    >>> [[id for id, start, end in UnigramSamples(model, 1.0).draw("ab", Random(seed))] for seed in range(3)]
    [[1, 2], [3], [1, 2]]
    """

    def __init__(self, model: Unigram | SentencePieceUnigram, alpha: float) -> None:
        """Raises ValueError if alpha is not above 0."""
        if not alpha > 0:
            raise ValueError("alpha must be above 0")
        self.model = model
        # Scores are divided as in `webapp.core.traces.sampling`, so that both draw alike.
        temperature = 1 / alpha
        self._weights = {piece: score / temperature for piece, score in model.score_of.items() if len(piece) <= LONGEST}
        self._unknown_weight = model.unknown_score / temperature
        self._lengths = lengths_by_ending(self._weights)
        self._sums = Cache(self._forward_sums)

    def draw(self, pretoken: str, random: Random) -> Sequence[Segment]:
        """`(id, start, end)` of each token of a pre-token, in characters."""
        words = self.model.vocabulary.words(pretoken) if isinstance(self.model, SentencePieceUnigram) else [pretoken]
        ends: list[int] = []
        end = len(pretoken)
        for word in reversed(words):  # from the end, as within a word
            start = end - len(word)
            ends += [start + inside for inside in self._backward(word, random)]
            end = start
        ends.reverse()
        parts: list[Part] = []
        start = 0
        for end in ends:
            parts.append((self._id_of(pretoken[start:end]), end))
            start = end
        return self.model.tokens(parts, pretoken)

    def _id_of(self, piece: str) -> int | None:
        return self.model.id_of(piece) if piece in self._weights else None

    def _arcs(self, text: str, end: int) -> list[tuple[int, float]]:
        """The start and the weight of each piece that ends at a position, longest first."""
        weight_of = self._weights.get
        found = []
        for length in self._lengths.get(text[max(end - 2, 0) : end], ()):
            if length <= end and (weight := weight_of(text[end - length : end])) is not None:
                found.append((end - length, weight))
        found.append((end - 1, weight_of(text[end - 1], self._unknown_weight)))
        return found

    def _forward_sums(self, text: str) -> tuple[float, ...]:
        """For each position the logarithm of the summed weights of all ways to it."""
        totals = [0.0]
        for end in range(1, len(text) + 1):
            logarithms = [totals[start] + weight for start, weight in self._arcs(text, end)]
            if len(logarithms) == 1:
                totals += logarithms
            else:
                greatest = max(logarithms)
                totals.append(greatest + log(sum([exp(each - greatest) for each in logarithms])))
        return tuple(totals)

    def _backward(self, text: str, random: Random) -> list[int]:
        """The ends of the parts of a drawn way, the last first."""
        totals = self._sums[text]
        ends: list[int] = []
        end = len(text)
        while end > 0:
            ends.append(end)
            arcs = self._arcs(text, end)
            logarithms = [totals[start] + weight for start, weight in arcs]
            greatest = max(logarithms)
            bounds = list(accumulate(exp(logarithm - greatest) for logarithm in logarithms))
            point = random.random() * bounds[-1]
            end = next((start for (start, _), bound in zip(arcs, bounds, strict=True) if point < bound), arcs[-1][0])
        return ends
