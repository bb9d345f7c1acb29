"""A question with choices, of which one is right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """`right` is the index of the right choice; `why` explains it. Text between backticks is code."""

    prompt: str
    choices: tuple[str, ...]
    right: int
    why: str

    @property
    def answer(self) -> str:
        """The right choice."""
        return self.choices[self.right]
