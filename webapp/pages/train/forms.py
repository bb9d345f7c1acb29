"""Reads a plan from an address or a form, and writes it into an address again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from flask import Request
from flask_babel import gettext as _
from werkzeug.datastructures import MultiDict

from webapp.core.training.plan import TRAINERS, TrainingPlan
from webapp.pages.train.choices import CHOICES, PlanChoice
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.web.localization import number

LONGEST: dict[str, int] = {"pattern": 5_000, "special_tokens": 20_000}  # characters
LONGEST_TYPED = 40  # characters of a rejected value that the form shows again


def _as_typed(value: Any) -> str:
    """A default of the plan as the form shows it."""
    if isinstance(value, tuple):
        return "\n".join(value)
    return "" if value is None else str(value)


DEFAULTS = {
    name: _as_typed(getattr(TrainingPlan(), name)) for name in ("trainer", *(choice.name for choice in CHOICES))
}


@dataclass(frozen=True)
class PlanRequest:
    """A plan, the fields as they were typed, and the problems by field; fields with a problem have their defaults."""

    plan: TrainingPlan
    typed: Mapping[str, str]
    problems: Mapping[str, InputProblem]

    def changed(self) -> list[tuple[str, str]]:
        """The fields whose values are not the defaults, for an address or hidden fields."""
        return [(name, value) for name, value in self.typed.items() if value != DEFAULTS[name]]


def read_plan(request: Request) -> PlanRequest:
    """The plan of a request; the core's own checks come later, with the corpus."""
    return plan_from(request.form if request.method == "POST" else request.args)


def plan_from(values: MultiDict[str, str]) -> PlanRequest:
    """The plan in form fields, with defaults in place of missing and invalid ones."""
    typed = {name: as_typed(values.get(name, default)) for name, default in DEFAULTS.items()}
    problems: dict[str, InputProblem] = {}
    if typed["trainer"] not in TRAINERS:
        problems["trainer"] = InputProblem(_("There is no such algorithm. Choose one from the list."), 422, "trainer")
        typed["trainer"] = DEFAULTS["trainer"]
    accepted: dict[str, Any] = {"trainer": typed["trainer"]}
    for choice in CHOICES:
        if typed["trainer"] not in choice.trainers:
            typed[choice.name] = DEFAULTS[choice.name]
            continue
        try:
            accepted[choice.name] = _value(choice, typed[choice.name])
        except InputProblem as problem:
            problems[choice.name] = replace(problem, field=choice.name)
            typed[choice.name] = typed[choice.name][: LONGEST.get(choice.name, LONGEST_TYPED)]
    if accepted.get("split") == "own" and not accepted.get("pattern") and "pattern" not in problems:
        message = _("Enter a regular expression, or choose another split pattern.")
        problems["pattern"] = InputProblem(message, 422, "pattern")
    return PlanRequest(TrainingPlan(**accepted), typed, problems)


def plan_of(document: Mapping[str, Any]) -> PlanRequest:
    """The request that repeats a plan of a job."""
    plan = TrainingPlan.from_json(document)
    return PlanRequest(plan, {name: _as_typed(getattr(plan, name)) for name in DEFAULTS}, {})


def with_problem(asked: PlanRequest, field: str, message: str) -> PlanRequest:
    """The same request with a further problem; one with an unknown field stands beside the algorithm."""
    field = field if field in DEFAULTS else "trainer"
    return PlanRequest(asked.plan, asked.typed, {**asked.problems, field: InputProblem(message, 422, field)})


def _value(choice: PlanChoice, typed: str) -> Any:
    """What a field says; raises InputProblem for what the plan cannot have."""
    if choice.is_number:
        return _number(choice, typed.strip())
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


def _number(choice: PlanChoice, typed: str) -> int | float | None:
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
    if not choice.least <= value <= choice.most:
        message = _("Choose a number from %(least)s to %(most)s.", least=number(choice.least), most=number(choice.most))
        raise InputProblem(message)
    return value
