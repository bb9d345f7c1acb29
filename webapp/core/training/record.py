"""The record of a training: what was trained from what, and how to train and load it again."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import PurePosixPath
from typing import Any

from webapp.core import __version__
from webapp.core.formats.loading_code import loading_code
from webapp.core.training.plan import TrainingPlan

OPTION_OF = {"trainer": "algorithm"}
"""The options of the command line that are not named like the field of the plan."""


def versions() -> dict[str, str]:
    """The versions on which a vocabulary may depend."""
    return {"tokenscope": __version__, "python": ".".join(map(str, sys.version_info[:3]))}


@dataclass(frozen=True, kw_only=True)
class TrainingRecord:
    """What was trained from what.

    `files` are names, never paths; `json_field` is the one that was read of JSON Lines. `bytes` and `characters` are
    those of the corpus as text, `sha256` its checksum. `seconds` maps each stage to its time, `started` is a time in
    ISO 8601. `curve` has the characters per token on the held-out text at several sizes; `held_out` has its
    `characters`, and in `others` the characters per token of other vocabularies, by name.
    """

    plan: TrainingPlan
    files: tuple[str, ...]
    bytes: int
    characters: int
    sha256: str
    pieces: int
    characters_per_token: float | None
    json_field: str = "text"
    curve: tuple[tuple[int, float], ...] = ()
    held_out: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=versions)

    def as_json(self) -> dict[str, Any]:
        """The record as JSON.

        >>> record = TrainingRecord(plan=TrainingPlan(), files=("a.txt",), bytes=5, characters=5, sha256="",
        ...                         pieces=8_000, characters_per_token=3.5, curve=((300, 2.5),))
        >>> TrainingRecord.from_json(record.as_json()) == record
        True
        """
        document = {**asdict(self), "plan": self.plan.as_json(), "files": list(self.files)}
        return {**document, "curve": [list(point) for point in self.curve], "command": command_line(self)}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> TrainingRecord:
        """The record that `as_json` wrote; members that a record does not have are ignored."""
        known = {each.name for each in fields(cls)}
        values = {name: value for name, value in document.items() if name in known}
        values["plan"] = TrainingPlan.from_json(document["plan"])
        values["files"] = tuple(document["files"])
        values["curve"] = tuple((int(pieces), float(value)) for pieces, value in document.get("curve", ()))
        return cls(**values)


def command_line(record: TrainingRecord) -> str:
    """Return the command that trains the same in a terminal, quoted for a POSIX shell.

    The plan's choices are options where they differ from the default; each special token has one of its own.

    >>> plan = TrainingPlan(trainer="unigram", size=500, special_tokens=("<a b>",))
    >>> print(command_line(TrainingRecord(plan=plan, files=("my corpus.txt", "-n"), bytes=1, characters=1, sha256="",
    ...                                   pieces=500, characters_per_token=None)))
    tokenscope train 'my corpus.txt' ./-n --algorithm unigram --size 500 --special-tokens '<a b>'
    """
    words = ["tokenscope", "train", *map(_file, record.files)]
    usual = TrainingPlan()
    for each in fields(TrainingPlan):
        value = getattr(record.plan, each.name)
        always = ("trainer", "order") if record.plan.trainer == "ngram" else ("trainer", "size")
        if each.name not in always and (value == getattr(usual, each.name) or each.name == "size"):
            continue
        option = "--" + OPTION_OF.get(each.name, each.name.replace("_", "-"))
        for one in value if isinstance(value, tuple) else (value,):
            words += _option(option, str(one))
    if record.json_field != "text":
        words += _option("--field", record.json_field)
    return shlex.join(words)


def python_code(record: TrainingRecord, file: str) -> str:
    """Return Python code that loads a downloaded file; raises KeyError for a file of no known format."""
    return loading_code(file, lowercase="lowercase" in record.plan.normalization)


def _file(name: str) -> str:
    """A name as an argument: never a path, and never an option."""
    name = PurePosixPath(name.replace("\0", "")).name or "corpus.txt"
    return f"./{name}" if name.startswith("-") else name


def _option(option: str, value: str) -> Sequence[str]:
    return [f"{option}={value}"] if value.startswith("-") else [option, value]
