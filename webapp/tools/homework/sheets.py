"""Sheets of exercises that a teacher sets: published ones and exercises of one's own, stored as a snapshot.

A sheet has the link, the retention and the deletion of all shared things, and no author but who has its deletion link.
The same as a file is checked without the site.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from flask_babel import gettext as _
from pydantic_core import from_json

from webapp.core import __version__
from webapp.core.homework.exercises import EXERCISES, Exercise, ParameterError, own_exercise
from webapp.storage import ShareReceipt, Snapshot, storage
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import translated
from webapp.tokenization.snapshots import ShareTerms, kind_of, store

MOST_TASKS = 20
MOST_BYTES = 60_000  # of all exercises of one's own on a sheet: their answers take 3 s, with WordPiece
OWN = "own-"


@dataclass(frozen=True)
class Task:
    """A task of a sheet: `key` is its name in addresses, `given` the id of an exercise or the fields of one's own."""

    key: str
    given: str | Mapping[str, Any]
    exercise: Exercise

    @property
    def written(self) -> str:
        """The task as the form has it."""
        return self.given if isinstance(self.given, str) else json.dumps(self.given, ensure_ascii=False, sort_keys=True)


def tasks_of(given: Sequence[str | Mapping[str, Any]]) -> Iterator[Task]:
    """The tasks of a sheet; an exercise that the site has no longer is left out."""
    for number, each in enumerate(given, 1):
        if not isinstance(each, str):
            yield Task(f"{OWN}{number}", each, own_exercise(each, f"{OWN}{number}"))
        elif each in EXERCISES:
            yield Task(each, each, EXERCISES[each])


def tasks_of_form(values: Sequence[str]) -> list[Task]:
    """The tasks that a form has; raises InputProblem."""
    given: list[str | Mapping[str, Any]] = []
    for value in values:
        if value in EXERCISES:
            given.append(value)
            continue
        try:
            own = from_json(value)  # which refuses lone surrogates: no page can show them
            json.dumps(own, allow_nan=False)  # 1e999 cannot be stored
        except ValueError:
            own = None
        if not isinstance(own, dict):
            raise InputProblem(_("There is no exercise “%(name)s”. Choose one from the list.", name=value[:40]), 404)
        given.append(own)
    if len(given) > MOST_TASKS:
        message = _("A sheet has at most %(most)s tasks; remove some.", most=MOST_TASKS)
        raise InputProblem(message, 422, "add")
    if sum(len(value.encode("utf-8", "replace")) for value in values) > MOST_BYTES:
        message = _("The exercises of your own have more than %(limit)s bytes together.", limit=f"{MOST_BYTES:,}")
        raise InputProblem(message, 413, "add")
    try:
        return list(tasks_of(given))
    except ParameterError as error:
        raise InputProblem(translated(error.message), 422, f"own_{error.field}") from error


@dataclass(frozen=True)
class Sheet:
    """A sheet: `id` is the last part of its link, empty for one in a file.

    The answer to a task is shown after `shown_after` tries, never if that is 0.
    """

    id: str
    state: Mapping[str, Any]

    @property
    def title(self) -> str:
        """The title, or a generic one."""
        return str(self.state.get("title") or _("Sheet of exercises"))

    @property
    def note(self) -> str:
        """What the teacher wrote above the tasks."""
        return str(self.state.get("note", ""))

    @property
    def shown_after(self) -> int:
        """After how many tries the answer is shown; 0 for never."""
        return int(self.state["shown_after"])

    @cached_property
    def tasks(self) -> list[Task]:
        """The tasks in order."""
        return list(tasks_of(self.state["tasks"]))

    def exercise(self, key: str) -> Exercise:
        """The exercise of a task; raises InputProblem."""
        for task in self.tasks:
            if task.key == key:
                return task.exercise
        raise InputProblem(
            _("There is no exercise “%(name)s”. Choose one from the list.", name=key[:40]), 404, "exercise"
        )

    def named(self, key: str) -> str:
        """The name of a task in records: exercises of one's own have that of the sheet before theirs."""
        return f"{self.id}/{key}" if key.startswith(OWN) else key


def new_sheet(tasks: Sequence[Task], shown_after: int, terms: ShareTerms) -> Sheet:
    """A sheet that is not stored."""
    return Sheet("", {"tasks": [task.given for task in tasks], "shown_after": shown_after, **terms.texts})


def store_sheet(sheet: Sheet, terms: ShareTerms) -> ShareReceipt:
    """Store a sheet; raises InputProblem."""
    state = {"kind": "sheet", **sheet.state}
    return store(Snapshot("", state, (), (), (), {}, core_version=__version__), terms)


def find_sheet(id: str) -> Sheet:
    """The sheet with this id, or in this text of a file. Raises InputProblem, with the status 404, 410 or 422."""
    if id.lstrip().startswith("{"):
        return sheet_of_file(id)
    stored = storage().snapshots.get(id)
    if stored is None or (stored.condition == "kept" and kind_of(stored.snapshot) != "sheet"):
        raise InputProblem(_("There is no sheet at this address. Check that the link is complete."), 404, "sheet")
    if stored.condition != "kept":
        raise InputProblem(_("This sheet is no longer available: it has expired or was deleted."), 410, "sheet")
    return Sheet(stored.id, stored.snapshot.state)


def sheet_of_file(text: str) -> Sheet:
    """The sheet in the text of a file; raises InputProblem."""
    try:
        given = from_json(text)["tasks"]
        values = [each if isinstance(each, str) else json.dumps(each) for each in given]
    except (ValueError, TypeError, LookupError):
        raise InputProblem(_("This is not the file of a sheet: it has no list of tasks."), 422, "sheet") from None
    try:
        return new_sheet(tasks_of_form(values), 0, ShareTerms("", "", None))
    except InputProblem as problem:
        raise replace(problem, field="sheet") from None
