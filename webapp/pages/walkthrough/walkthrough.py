"""What every algorithm offers to be followed by: its steps in sentences, drawings and plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Walkthrough(Protocol):
    """The steps of one text, numbered from 0 to `len - 1`; there is at least one, and the last shows the result."""

    @property
    def template(self) -> str:
        """What draws a step: `steps/_matching.html`, which is given `part(step)` and `to`.

        `to(step)` is the address of a step of this show.
        """

    @property
    def ids(self) -> Sequence[int]:
        """The ids in the end: those that the playground shows for the same text."""

    def __len__(self) -> int:
        """How many steps there are."""

    def sentence(self, step: int) -> str:
        """What happened and why, in plain words and in the reader's language."""

    def part(self, step: int) -> object:
        """What the template is given as `part`: a dataclass of the walkthrough's own."""

    def record(self, step: int) -> dict[str, Any]:
        """The same for programs: values that JSON has, none of them translated."""

    def step_of(self, token: int) -> int:
        """The step that made token `token` of the result."""


class NoStepsError(Exception):
    """A text or a vocabulary whose steps cannot be shown: `message` says why, in the reader's language.

    With `instead` the page offers the same text with the vocabulary that ships for the algorithm.
    """

    def __init__(self, message: str, status: int = 422, *, instead: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.instead = instead
