"""The plan of a training: which of its fields a form has, read from an address or a form and written again.

The labels and explanations of the choices are in `train/_choices.html`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from werkzeug.datastructures import MultiDict

from webapp.core.training.plan import OF_WORDS, SUBWORD_TRAINERS, TIED, TRAINERS, Trainer, TrainingPlan
from webapp.core.training.recipe import FRACTIONS, LIMITS, VALUES
from webapp.tokenization.algorithms import Text
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.web.localization import number

WITH_ALPHABET: tuple[Trainer, ...] = ("bpe-characters", "bpe-sentencepiece", "wordpiece", "unigram")
LONGEST: dict[str, int] = {"pattern": 5_000, "special_tokens": 20_000}  # characters
LONGEST_TYPED = 40  # characters of a rejected value that the form shows again


@dataclass(frozen=True)
class PlanChoice:
    """A field of the plan that `trainers` use; an `advanced` one is folded away.

    It has one of several `values`, or is a number within `limits`, or a text.
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
    def limits(self) -> tuple[float, float] | None:
        """The lowest and the highest value of a number; None if it is none."""
        return LIMITS.get(self.name)

    @property
    def is_whole(self) -> bool:
        """Whether a number must be whole."""
        return self.name not in FRACTIONS


TRAINER_TITLES: Mapping[str, Text] = {
    "bpe-bytes": _l("BPE over bytes"),
    "bpe-characters": _l("BPE over characters"),
    "bpe-sentencepiece": _l("BPE, SentencePiece style"),
    "wordpiece": _l("WordPiece"),
    "unigram": _l("Unigram"),
    "ngram": _l("N-gram (words)"),
    "tagger": _l("Tagger (words)"),
}

CHOICES = (
    *(PlanChoice(name, OF_WORDS[name]) for name in ("segmentation", "order", "smoothing", "rounds")),
    *(PlanChoice(name, OF_WORDS[name], advanced=True) for name in ("minimum_pairs", "minimum_triples")),
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
    PlanChoice("ties", TIED, advanced=True),
    PlanChoice("longest_word", advanced=True),
)
"""The choices in the order of the form."""


def _typed(plan: TrainingPlan) -> dict[str, str]:
    """The fields of a plan as a form has them."""
    values = {name: getattr(plan, name) for name in ("trainer", *(choice.name for choice in CHOICES))}
    return {
        name: "\n".join(value) if isinstance(value, tuple) else "" if value is None else str(value)
        for name, value in values.items()
    }


DEFAULTS = _typed(TrainingPlan())


@dataclass(frozen=True)
class PlanRequest:
    """A plan, the fields as they were typed, and the problems by field; fields with a problem have their defaults."""

    plan: TrainingPlan
    typed: Mapping[str, str]
    problems: Mapping[str, str]

    def changed(self) -> list[tuple[str, str]]:
        """The fields whose values are not the defaults, for an address or hidden fields."""
        return [(name, value) for name, value in self.typed.items() if value != DEFAULTS[name]]

    def with_problem(self, field: str, message: str) -> PlanRequest:
        """The same request with a further problem; one with an unknown field is shown at the algorithm."""
        return replace(self, problems={**self.problems, field if field in DEFAULTS else "trainer": message})


def request_of(plan: TrainingPlan) -> PlanRequest:
    """The request for a plan."""
    return PlanRequest(plan, _typed(plan), {})


def plan_from(values: MultiDict[str, str]) -> PlanRequest:
    """The plan in form fields, with defaults in place of missing and invalid ones; the core's checks come later."""
    typed = {name: as_typed(values.get(name, default)) for name, default in DEFAULTS.items()}
    problems: dict[str, str] = {}
    if typed["trainer"] not in TRAINERS:
        problems["trainer"] = _("There is no such algorithm. Choose one from the list.")
        typed["trainer"] = DEFAULTS["trainer"]
    accepted: dict[str, Any] = {"trainer": typed["trainer"]}
    for choice in CHOICES:
        if typed["trainer"] not in choice.trainers:
            typed[choice.name] = DEFAULTS[choice.name]
            continue
        try:
            accepted[choice.name] = _value(choice, typed[choice.name])
        except InputProblem as problem:
            problems[choice.name] = problem.message
            typed[choice.name] = typed[choice.name][: LONGEST.get(choice.name, LONGEST_TYPED)]
    if accepted.get("split") == "own" and not accepted.get("pattern") and "pattern" not in problems:
        problems["pattern"] = _("Enter a regular expression, or choose another split pattern.")
    return PlanRequest(TrainingPlan(**accepted), typed, problems)


def _value(choice: PlanChoice, typed: str) -> Any:
    """What a field says; raises InputProblem for what the plan cannot have."""
    if choice.limits is not None:
        return _number(choice, typed.strip(), *choice.limits)
    if choice.values:
        if typed not in choice.values:
            raise InputProblem(_("There is no such choice. Choose one from the list."))
        return typed
    most = LONGEST[choice.name]
    if len(typed) > most:
        values = {"count": number(len(typed)), "most": number(most)}
        raise InputProblem(_("It has %(count)s characters; the limit is %(most)s.", **values))
    if choice.name == "special_tokens":
        return tuple(line.strip() for line in typed.split("\n") if line.strip())
    return typed


def _number(choice: PlanChoice, typed: str, least: float, most: float) -> int | float | None:
    if not typed and choice.default is None:
        return None
    try:
        if len(typed) > LONGEST_TYPED or not typed.isascii() or "_" in typed:
            raise ValueError
        value = int(typed) if choice.is_whole else float(typed)
    except ValueError:
        if not typed:
            message = _("Enter a number, for example %(number)s.", number=DEFAULTS[choice.name])
        elif choice.is_whole:
            message = _("“%(value)s” is not a whole number.", value=typed[:LONGEST_TYPED])
        else:
            message = _("“%(value)s” is not a number. Write, for example, 0.75.", value=typed[:LONGEST_TYPED])
        raise InputProblem(message) from None
    if not least <= value <= most:
        raise InputProblem(_("Choose a number from %(least)s to %(most)s.", least=number(least), most=number(most)))
    return value
