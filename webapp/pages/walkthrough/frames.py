"""One step of a walkthrough as a page, and all of them as JSON."""

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
    """Step `step` of a walkthrough; `address` maps a step to its address, `note` is a sentence above the step."""

    walkthrough: Walkthrough
    step: int
    address: Callable[[int], str]
    note: str = ""

    @property
    def last(self) -> int:
        """The number of the last step."""
        return len(self.walkthrough) - 1

    @property
    def template(self) -> str:
        """The template that draws it."""
        return "walkthrough/_preparation.html" if self._is_preparation else self.walkthrough.template

    @property
    def sentence(self) -> str:
        """The sentence that says what happened and why."""
        return self.walkthrough.sentence(self.step)

    @property
    def part(self) -> object:
        """The values for the template, as `part`."""
        return self.walkthrough.part(self.step)

    def to(self, step: int) -> str:
        """The address of a step of the wrapped walkthrough, which numbers its steps without the preparation."""
        return self.address(step + isinstance(self.walkthrough, PreparedWalkthrough))

    @property
    def _is_preparation(self) -> bool:
        return isinstance(self.walkthrough, PreparedWalkthrough) and self.step == 0


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
