"""One step of a show as pages and programs are given it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Response, make_response, request

from webapp.pages.walkthrough.preparation import PreparedWalkthrough
from webapp.pages.walkthrough.walkthrough import Walkthrough
from webapp.serializers.json import json_response
from webapp.web.htmx import private, swappable


@dataclass(frozen=True)
class StepFrame:
    """Step `step` of a show; `address` gives the address of each of its steps, `asked` says what led to this one."""

    show: Walkthrough
    step: int
    address: Callable[[int], str]
    asked: str = ""

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.show) - 1

    @property
    def template(self) -> str:
        """What draws it."""
        return "walkthrough/_preparation.html" if self._opens else self.show.template

    @property
    def sentence(self) -> str:
        """What happened and why."""
        return self.show.sentence(self.step)

    @property
    def part(self) -> object:
        """What the template is given."""
        return self.show.part(self.step)

    def to(self, step: int) -> str:
        """The address of a step by the number that the show itself gives it."""
        return self.address(step + isinstance(self.show, PreparedWalkthrough))

    @property
    def _opens(self) -> bool:
        return isinstance(self.show, PreparedWalkthrough) and self.step == 0


def all_steps_json(show: Walkthrough, about: dict[str, Any]) -> Response:
    """All steps of a show for programs, behind what they are `about`."""
    steps = [{"step": step, "sentence": show.sentence(step), **show.record(step)} for step in range(len(show))]
    return private(json_response({**about, "steps": steps, "ids": list(show.ids)}))


def wants_json() -> bool:
    """Whether a program asks."""
    return request.args.get("format") == "json"


def page(body: str, status: int = 200, *, link: str = "") -> Response:
    """An answer in HTML; to htmx with the address that the page has after it."""
    return swappable(make_response(body, status), link)
