"""The lattice of a text: every matching piece is an arc from its start to its end.

A path of arcs from the beginning to the end is a segmentation; the sum of its arcs' scores is the natural logarithm of
its probability (Kudo 2018, "Subword Regularization", section 3.2). The lattices of
`webapp.core.trainers.corpus_lattice` serve training: they cover a whole corpus and use probabilities. These serve
display: they cover one text, use a model's scores, and include characters that no piece covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.unigram import Unigram

LatticeModel = Unigram | SentencePieceUnigram


@dataclass(frozen=True, slots=True)
class Arc:
    """A piece that matches a text from `start` to `end` (exclusive), in characters.

    `score` is its natural log-probability. A character without a piece has the id None and the unknown score.
    """

    start: int
    end: int
    text: str
    id: int | None
    score: float


@dataclass(frozen=True, slots=True)
class Lattice:
    """A text and all its arcs, sorted by end, then by start.

    With `single`, sums are rounded to single precision as in SentencePiece.
    """

    text: str
    arcs: tuple[Arc, ...]
    single: bool = False

    def by_end(self) -> list[list[Arc]]:
        """Return for each position from 0 to the end the arcs that end there, longest first."""
        table: list[list[Arc]] = [[] for _ in range(len(self.text) + 1)]
        for arc in self.arcs:
            table[arc.end].append(arc)
        return table

    def by_start(self) -> list[list[Arc]]:
        """Return for each position from 0 to the end the arcs that start there, shortest first."""
        table: list[list[Arc]] = [[] for _ in range(len(self.text) + 1)]
        for arc in self.arcs:
            table[arc.start].append(arc)
        return table


def lattice_of(model: LatticeModel, text: str) -> Lattice:
    """Return the lattice of one pre-token.

    >>> model = Unigram(["<unk>", "a", "b", "ab"], [0.0, -1.0, -1.0, -1.5], unknown_id=0)
    >>> for arc in lattice_of(model, "abx").arcs:
    ...     print(arc)
    Arc(start=0, end=1, text='a', id=1, score=-1.0)
    Arc(start=0, end=2, text='ab', id=3, score=-1.5)
    Arc(start=1, end=2, text='b', id=2, score=-1.0)
    Arc(start=2, end=3, text='x', id=None, score=-11.5)
    """
    arcs = [Arc(start, end, text[start:end], id, score) for start, end, id, score in model.arcs(text)]
    arcs.sort(key=lambda arc: (arc.end, arc.start))
    return Lattice(text, tuple(arcs), single=isinstance(model, SentencePieceUnigram))


def tokens_of(model: LatticeModel, text: str, path: Sequence[Arc]) -> Sequence[tuple[int, int, int]]:
    """Return `(id, start, end)` of each token of a path through the lattice of `text`.

    Adjacent unknown characters form one token, or byte tokens if the vocabulary has byte fallback.

    >>> model = Unigram(["<unk>", "a"], [0.0, -1.0], unknown_id=0)
    >>> tokens_of(model, "axy", lattice_of(model, "axy").arcs)
    ((1, 0, 1), (0, 1, 3))
    """
    return model.tokens([(arc.id, arc.end) for arc in path], text)


def count_paths(lattice: Lattice) -> int:
    """Return the number of segmentations of the text.

    >>> count_paths(Lattice("ab", (Arc(0, 1, "a", 0, -1.0), Arc(0, 2, "ab", 2, -3.0), Arc(1, 2, "b", 1, -1.0))))
    2
    """
    counts = [1]
    for arcs in lattice.by_end()[1:]:
        counts.append(sum(counts[arc.start] for arc in arcs))
    return counts[-1]
