"""The choices of a training: which fields of the plan a form has, and for which trainers each counts.

Their labels and explanations are in `train/_choices.html`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask_babel import lazy_gettext as _l

from webapp.core.training.plan import SUBWORD_TRAINERS, Trainer, TrainingPlan
from webapp.core.training.recipe import LIMITS, VALUES
from webapp.tokenization.algorithms import Text

WITH_ALPHABET: tuple[Trainer, ...] = ("bpe-characters", "bpe-sentencepiece", "wordpiece", "unigram")


@dataclass(frozen=True)
class PlanChoice:
    """A field of the plan that `trainers` use; an `advanced` one is folded away.

    It has one of several `values`, or is a number from `least` to `most`, or a text.
    """

    name: str
    trainers: Sequence[Trainer] = SUBWORD_TRAINERS
    advanced: bool = False

    @property
    def default(self) -> Any:
        """The value of the plan if nothing is chosen; None if the trainer chooses."""
        return getattr(TrainingPlan(), self.name)

    @property
    def values(self) -> Sequence[str]:
        """The values to choose from; none for numbers and texts."""
        return VALUES.get(self.name, ())

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return self.name in LIMITS

    @property
    def is_whole(self) -> bool:
        """Whether a number must be whole."""
        return not isinstance(self.default, float)

    @property
    def least(self) -> float:
        """The lowest value of a number."""
        return LIMITS[self.name][0]

    @property
    def most(self) -> float:
        """The highest value of a number."""
        return LIMITS[self.name][1]


TRAINER_TITLES: Mapping[str, Text] = {
    "bpe-bytes": _l("BPE over bytes"),
    "bpe-characters": _l("BPE over characters"),
    "bpe-sentencepiece": _l("BPE, SentencePiece style"),
    "wordpiece": _l("WordPiece"),
    "unigram": _l("Unigram"),
    "ngram": _l("N-gram (words)"),
}

CHOICES = (
    PlanChoice("segmentation", ("ngram",)),
    PlanChoice("order", ("ngram",)),
    PlanChoice("smoothing", ("ngram",)),
    PlanChoice("minimum_pairs", ("ngram",), advanced=True),
    PlanChoice("minimum_triples", ("ngram",), advanced=True),
    PlanChoice("size"),
    PlanChoice("variant", ("bpe-bytes",)),
    PlanChoice("split"),
    PlanChoice("pattern"),
    PlanChoice("normalization"),
    PlanChoice("special_tokens"),
    PlanChoice("minimum_count", advanced=True),
    PlanChoice("coverage", WITH_ALPHABET, advanced=True),
    PlanChoice("longest_piece", ("unigram", "bpe-sentencepiece"), advanced=True),
    PlanChoice("seeds", ("unigram",), advanced=True),
    PlanChoice("keep", ("unigram",), advanced=True),
    PlanChoice("transition", ("bpe-bytes",), advanced=True),
    PlanChoice("longest_word", advanced=True),
)
"""The choices in the order of the form."""
