"""The protocol of walkthroughs: the steps of an algorithm as sentences, drawings and plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from webapp.rendering.pictures.figure import Figure


class Walkthrough(Protocol):
    """The steps of one text, numbered from 0 to `len - 1`; there is at least one, and the last shows the result."""

    @property
    def template(self) -> str:
        """The template that draws a step, e.g. `steps/_matching.html`; it gets `part(step)` as `part`."""

    @property
    def ids(self) -> Sequence[int]:
        """The ids of the result: those that the playground shows for the same text."""

    def __len__(self) -> int:
        """The number of steps."""

    def sentence(self, step: int) -> str:
        """What happened in a step and why, in the reader's language."""

    def part(self, step: int) -> object:
        """The values for the template: a dataclass specific to the walkthrough."""

    def record(self, step: int) -> dict[str, Any]:
        """The step as JSON values, none of them translated."""

    def step_of(self, token: int) -> int:
        """The step that made token `token` of the result."""


@runtime_checkable
class Pictured(Protocol):
    """A walkthrough whose steps can be exported as pictures."""

    def picture(self, step: int) -> Figure | None:
        """The picture of a step, None if it has none."""


@runtime_checkable
class Tabulated(Protocol):
    """A walkthrough whose steps can be exported as one table."""

    def table(self) -> list[list[object]]:
        """The headings and the rows."""


class NoStepsError(Exception):
    """The steps of this text or vocabulary cannot be shown: `message` says why, in the reader's language.

    With `instead`, the page offers the same text with the algorithm's shipped vocabulary.
    """

    def __init__(self, message: str, status: int = 422, *, instead: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.instead = instead
