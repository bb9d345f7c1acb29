"""The passages that the page measures: texts that no vocabulary was trained on, because they were written for it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class HeldOutPassage:
    """A text; `key` is `simplified`, `traditional`, `english` or `code`."""

    key: str
    text: str


@cache
def passages() -> tuple[HeldOutPassage, ...]:
    """The passages, Chinese first."""
    content = tomllib.loads(files(__package__).joinpath("passages.toml").read_text(encoding="utf-8"))
    return tuple(HeldOutPassage(key, text) for key, text in content.items())
