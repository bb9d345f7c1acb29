"""Samples of Unigram segmentations of whole texts: subword regularization (Kudo 2018, arXiv 1804.10959, section 3.3).

A segmentation x of a pre-token is drawn with the probability P(x) ** α / Σ P(y) ** α over all its segmentations y, by
forward filtering and backward sampling.

Random inferences: a model that draws the tokens of each pre-token anew, and the tokenizer around it.

A word that occurs twice is drawn twice, so nothing is cached by word, and the result of a text depends on the seed and
on all of the text before.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate
from math import exp, log
from random import Random
from typing import Protocol

from webapp.core.cache import Cache
from webapp.core.encoding_paths import uncached_path
from webapp.core.inference.piece_table import LONGEST, Segment
from webapp.core.models import Model
from webapp.core.models.fast.word_lengths import lengths_by_ending
from webapp.core.models.sentencepiece_models import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.text.alignment import AlignedText
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Drawn:
    """A part of a pre-token that was drawn, with an id unless it is an unknown character.

    `ways` are the starts of the pieces that end there, longest first, each with the sum of the weights so far.
    """

    start: int
    end: int
    id: int | None
    ways: tuple[tuple[int, float], ...]

    @property
    def shares(self) -> list[tuple[int, float]]:
        """The start of each piece that ends there, and its probability."""
        whole = self.ways[-1][1]
        before = [0.0, *(bound for _, bound in self.ways)]
        return [(start, (bound - below) / whole) for (start, bound), below in zip(self.ways, before, strict=False)]


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
        temperature = 1 / alpha
        self._weights = {piece: score / temperature for piece, score in model.score_of.items() if len(piece) <= LONGEST}
        self._unknown_weight = model.unknown_score / temperature
        self._lengths = lengths_by_ending(self._weights)
        self._sums = Cache(self._forward_sums)

    def draw(self, pretoken: str, random: Random) -> Sequence[Segment]:
        """`(id, start, end)` of each token of a pre-token, in characters."""
        parts = [(draw.id, draw.end) for draw in self.drawn(pretoken, random)]
        return self.model.tokens(parts[::-1], pretoken)

    def drawn(self, pretoken: str, random: Random) -> Iterator[Drawn]:
        """Yield the parts of a pre-token as they are drawn, from the last to the first."""
        words = self.model.vocabulary.words(pretoken) if isinstance(self.model, SentencePieceUnigram) else [pretoken]
        shift = len(pretoken)
        for word in reversed(words):
            shift -= len(word)
            totals = self._sums[word]
            end = len(word)
            while end > 0:
                arcs = self._arcs(word, end)
                logarithms = [totals[start] + weight for start, weight in arcs]
                greatest = max(logarithms)
                bounds = list(accumulate(exp(logarithm - greatest) for logarithm in logarithms))
                point = random.random() * bounds[-1]
                index = next((at for at, bound in enumerate(bounds) if point < bound), len(bounds) - 1)
                start = arcs[index][0]
                ways = tuple((shift + start, bound) for (start, _), bound in zip(arcs, bounds, strict=True))
                yield Drawn(shift + start, shift + end, self.id_of(word[start:end]), ways)
                end = start

    def id_of(self, piece: str) -> int | None:
        """The id of a piece that samples may have, or None."""
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


class Drawing(Protocol):
    """What draws the tokens of pre-tokens."""

    @property
    def model(self) -> Model:
        """The model whose pieces are drawn."""

    def draw(self, pretoken: str, random: Random) -> Sequence[Segment]:
        """`(id, start, end)` of each token of a pre-token, in characters."""


class DrawnModel:
    """The model of one text: each call draws. Its pieces are those of the model that is sampled."""

    def __init__(self, drawing: Drawing, seed: int) -> None:
        self.pieces = drawing.model.pieces
        self.unknown_id = drawing.model.unknown_id
        self.id_of = drawing.model.id_of
        self._drawing = drawing
        self._random = Random(seed)

    def ids(self, pretoken: str, /) -> Sequence[int]:
        """The ids of one pre-token."""
        return [id for id, _, _ in self._drawing.draw(pretoken, self._random)]

    def segment(self, pretoken: str) -> Sequence[Segment]:
        """`(id, start, end)` of each token of a pre-token."""
        return self._drawing.draw(pretoken, self._random)


class DrawnTokenizer(Tokenizer):
    """A tokenizer that draws the tokens of a text. Ids and offsets are drawn apart, from the same seed, so they agree.

    Like any tokenizer it gives the same tokens for the same text, and may be used by several threads.
    """

    def __init__(self, tokenizer: Tokenizer, drawing: Drawing, seed: int) -> None:
        super().__init__(
            tokenizer.model,
            normalizer=tokenizer.normalizer,
            pretokenizer=tokenizer.pretokenizer,
            decoder=tokenizer.decoder,
            added_tokens=tokenizer.added_tokens,
            postprocessor=tokenizer.postprocessor,
        )
        self._tokenizer = tokenizer
        self._drawing = drawing
        self._seed = seed

    def _for_one_text(self) -> Tokenizer:
        """A plain tokenizer whose model begins to draw."""
        one = copy(self._tokenizer)
        one._path = uncached_path(DrawnModel(self._drawing, self._seed), self.normalizer, self.pretokenizer)
        return one

    def _ids(self, text: str, special: bool) -> list[int]:
        return self._for_one_text()._ids(text, special)

    def _places(self, aligned: AlignedText, special: bool) -> tuple[Sequence[int], Sequence[int], set[int]]:
        return self._for_one_text()._places(aligned, special)
