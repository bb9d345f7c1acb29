"""How far a training is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Stage = Literal["read", "count", "train", "write"]
"""Read and check the corpus; count its pre-tokens; merge or prune; write the vocabulary and measure it."""
STAGES: tuple[Stage, ...] = get_args(Stage)


@dataclass(frozen=True)
class Progress:
    """A moment of a training.

    `done` of `total` is within the stage: bytes while reading and counting, pieces while merging or pruning (0 of 0
    where unknown). `pieces` is the size of the vocabulary so far. `latest` are the newest merges, or the pieces that
    the last round pruned, newest first. `curve` has a point for each measurement on the held-out slice: pieces, and
    characters per token.
    """

    stage: Stage
    done: int = 0
    total: int = 0
    pieces: int = 0
    latest: tuple[str, ...] = ()
    curve: tuple[tuple[int, float], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The moment as JSON, for a table or a message between processes."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Progress:
        """The moment that `as_json` wrote.

        >>> Progress.from_json(Progress("count", 5, 10).as_json())
        Progress(stage='count', done=5, total=10, pieces=0, latest=(), curve=())
        """
        curve = tuple((int(pieces), float(value)) for pieces, value in document.get("curve", ()))
        latest = tuple(document.get("latest", ()))
        return cls(document["stage"], document["done"], document["total"], document["pieces"], latest, curve)


Report = Callable[[Progress], None]
"""Called now and then by a training; what it raises ends the training."""
