"""One step of a walkthrough as a page, and all of them as JSON."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from flask import Response, make_response, request
from markupsafe import Markup

from webapp.pages.walkthrough.emphasis import emphasized
from webapp.pages.walkthrough.walkthrough import Pictured, Walkthrough
from webapp.rendering.pictures.figure import Figure
from webapp.serializers.json import json_response
from webapp.web.htmx import private, swappable

MAX_TICKS = 40
"""How many links to steps the player has; of more steps, each link stands for several."""


@dataclass(frozen=True)
class StepTick:
    """A link of the player to step `first`, which stands for the steps up to `last`."""

    first: int
    last: int
    state: Literal["done", "now", "ahead"]


@dataclass(frozen=True)
class StepFrame:
    """Step `step` of a walkthrough; `address` maps a step to its address, `note` is a sentence above the step."""

    walkthrough: Walkthrough
    step: int
    address: Callable[[int], str]
    note: str = ""

    @property
    def first(self) -> int:
        """The number of the first step that the player shows: step 0 of a prepared walkthrough is not a decision."""
        return 0

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.walkthrough) - 1

    @property
    def ticks(self) -> list[StepTick]:
        """The links of the player, at most `MAX_TICKS`."""
        return step_ticks(self.first, self.last, self.step)

    @property
    def template(self) -> str:
        """The template that draws it."""
        return self.walkthrough.template

    @property
    def sentence(self) -> str:
        """The sentence that says what happened and why."""
        return self.walkthrough.sentence(self.step)

    @property
    def emphasized(self) -> Markup:
        """The sentence with markup."""
        return emphasized(self.sentence)

    @property
    def part(self) -> object:
        """The values for the template, as `part`."""
        return self.walkthrough.part(self.step)

    @property
    def picture(self) -> Figure | None:
        """The picture of the step, for files."""
        return self.walkthrough.picture(self.step) if isinstance(self.walkthrough, Pictured) else None

    def to(self, step: int) -> str:
        """The address of a step of the wrapped walkthrough, which numbers its steps without the preparation."""
        return self.address(step + self.first)


def step_ticks(first: int, last: int, now: int) -> list[StepTick]:
    """The steps `first` to `last` as at most `MAX_TICKS` ticks of nearly equal length.

    >>> [(tick.first, tick.last, tick.state) for tick in step_ticks(1, 3, 2)]
    [(1, 1, 'done'), (2, 2, 'now'), (3, 3, 'ahead')]
    >>> [(tick.first, tick.last) for tick in step_ticks(0, 99, 0)][:3]
    [(0, 1), (2, 4), (5, 6)]
    """
    steps = last - first + 1
    count = min(steps, MAX_TICKS)
    starts = [first + at * steps // count for at in range(count + 1)] if count > 0 else []
    return [
        StepTick(start, end - 1, "now" if start <= now < end else "done" if start < now else "ahead")
        for start, end in pairwise(starts)
    ]


def all_steps_json(walkthrough: Walkthrough, about: dict[str, Any]) -> Response:
    """All steps of a walkthrough as JSON, after the fields `about` its input."""
    steps = [
        {"step": step, "sentence": walkthrough.sentence(step), **walkthrough.record(step)}
        for step in range(len(walkthrough))
    ]
    return private(json_response({**about, "steps": steps, "ids": list(walkthrough.ids)}))


def wants_json() -> bool:
    """Whether the request asks for JSON."""
    return request.args.get("format") == "json"


def page(body: str, status: int = 200, *, link: str = "") -> Response:
    """A response in HTML; for htmx with the address to show in the browser."""
    return swappable(make_response(body, status), link)
