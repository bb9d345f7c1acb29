"""One record for each way to apply a vocabulary to text: its id, its source and its parameters."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameter:
    """A number that an inference depends on, from `least` to `most`."""

    name: str
    least: float
    most: float
    default: float


DROPOUT = Parameter("dropout", 0.0, 1.0, 0.1)
"""The probability with which each possible merge is dropped at each step."""
ALPHA = Parameter("alpha", 0.01, 10.0, 1.0)
"""The exponent of the probabilities: at 1 samples follow the model, near 0 all segmentations are equally likely."""
SEED = Parameter("seed", 0, 2**31, 0)
"""Which of the random results: the same seed gives the same result."""


PARAMETERS = (DROPOUT, ALPHA, SEED)


@dataclass(frozen=True)
class Inference:
    """A way to apply a vocabulary; `source` is the paper's number on arXiv, empty for the vocabulary's own rule."""

    id: str
    source: str = ""
    parameters: tuple[Parameter, ...] = ()


OWN = "own"
"""The id of the vocabulary's own rule, the only one that is exact."""

INFERENCES: dict[str, Inference] = {
    each.id: each
    for each in (
        Inference(OWN),
        Inference("longest", "2403.01289"),
        Inference("fewest", "2402.18376"),
        Inference("dropout", "1910.13267", (DROPOUT, SEED)),
        Inference("sample", "1804.10959", (ALPHA, SEED)),
    )
}
