"""Random inferences: a model that draws the tokens of each pre-token anew, and the tokenizer around it.

A word that occurs twice is drawn twice, so nothing is cached by word, and the result of a text depends on the seed and
on all of the text before.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from random import Random
from typing import Protocol

from webapp.core.encoding_paths import uncached_path
from webapp.core.inference.wrapper import Segment
from webapp.core.models import Model
from webapp.core.text.alignment import AlignedText
from webapp.core.tokenizer import Tokenizer


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
