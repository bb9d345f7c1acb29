"""The lines that reading a word list skipped, as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from webapp.core.models.dictionary import Dictionary, Reason
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class SkippedLineAnswer:
    """A line of a word list that is no entry."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    line: Annotated[int, Field(description="Its number, from 1.")]
    reason: Reason
    detail: str


@dataclass(frozen=True)
class SkippedLinesAnswer:
    """The lines of a word list that were skipped because they are no entries."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    count: int
    first: Annotated[Sequence[SkippedLineAnswer], Field(description="The first of them.")]


Skipped = Annotated[
    SkippedLinesAnswer | None,
    Field(description="The lines of the dictionary that were skipped. Absent if there are none."),
]


def skipped_lines(dictionary: object) -> SkippedLinesAnswer | None:
    """What was skipped when a dictionary was read; None if nothing was, or if there is no dictionary."""
    if not isinstance(dictionary, Dictionary) or not dictionary.skipped:
        return None
    skipped = dictionary.skipped
    first = [SkippedLineAnswer(line.number, line.reason, str(line.message)) for line in skipped.first]
    return SkippedLinesAnswer(skipped.count, first)


def skipped_json(tokenizer: Tokenizer) -> dict[str, Any]:
    """The key `skipped_lines` for the dictionary of a tokenizer, or nothing if no line was skipped.

    >>> from webapp.core import load
    >>> skipped_json(load("研究\\n研究生\\n生命 often".encode()))["skipped_lines"].first[0].line
    3
    """
    found = skipped_lines(getattr(tokenizer.model, "dictionary", None))
    return {"skipped_lines": found} if found else {}
