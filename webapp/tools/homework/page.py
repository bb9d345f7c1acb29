"""The page of an exercise: the list of exercises, the verdict, hints, and when the answer may be shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from urllib.parse import urlencode

from flask import url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from markupsafe import Markup

from webapp.core.homework.check import solution
from webapp.core.homework.exercises import COURSES, EXERCISES, Exercise
from webapp.core.homework.verdicts import Verdict
from webapp.tokenization.forms import InputProblem
from webapp.tools.homework.records import Record, Work
from webapp.tools.homework.sheets import Sheet
from webapp.web.localization import current_key, number

SHOWN_AFTER = 5
"""After how many tries the answer to a published exercise is shown."""
PLACES = {
    "merge": _l("merge %(place)s"),
    "piece": _l("piece %(place)s"),
    "token": _l("token %(place)s"),
    "id": _l("id %(place)s"),
    "tag": _l("tag %(place)s"),
    "sentence": _l("sentence %(place)s"),
    "word": _l("word %(place)s"),
    "cell": _l("cell %(place)s"),
    "character": _l("character %(place)s"),
}
"""What a place of an answer is called, by its kind."""


def place_name(kind: str, place: int | None) -> str:
    """A place in a table: `merge 65`."""
    return str(PLACES[kind]) % {"place": number(place)} if kind in PLACES and place else ""


def marked_word(word: str, pair: str) -> Markup:
    """A word whose symbols spaces separate, joined, with its first occurrence of a pair marked.

    >>> marked_word("p e o p le", "o p")
    Markup('pe<mark>op</mark>le')
    """
    symbols, both = word.split(" "), tuple(pair.split(" "))
    at = next((at for at, each in enumerate(pairwise(symbols)) if each == both), None)
    if at is None:
        return Markup("{}").format("".join(symbols))
    before, after = "".join(symbols[:at]), "".join(symbols[at + 2 :])
    return Markup("{}<mark>{}</mark>{}").format(before, "".join(both), after)


@dataclass(frozen=True)
class Listed:
    """An exercise in the list: its name in records, and its address."""

    name: str
    address: str
    exercise: Exercise


@dataclass(frozen=True)
class Group:
    """The exercises of a course, or those of a sheet."""

    title: str
    by: str
    tasks: Sequence[Listed]

    def done(self, record: Record | None) -> int:
        """How many of them are right."""
        return sum(record.work(task.name).is_right for task in self.tasks) if record else 0


@dataclass(frozen=True, kw_only=True)
class HomeworkPage:
    """An exercise, or the list of all if there is none, with what a visitor handed in."""

    exercise: Exercise | None
    sheet: Sheet | None = None
    verdict: Verdict | None = None
    record: Record | None = None
    document: str = ""
    record_lost: InputProblem | None = None
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()
    link: str = ""
    expected: str = ""
    placeholder: str = ""
    link_title: str = ""
    place_title: str = ""
    count_title: str = ""
    material: Sequence[tuple[str, str]] = ()
    is_open: bool = False

    def plain(self, x): return x

    @property
    def name(self) -> str:
        """The name of the exercise in records."""
        assert self.exercise is not None
        return self.sheet.named(self.exercise.id) if self.sheet else self.exercise.id

    @property
    def work(self) -> Work:
        """What was done in the exercise so far."""
        assert self.exercise is not None
        new = Work(self.name, self.exercise.title[current_key()])
        return self.record.work(self.name, new.title) if self.record else new

    @cached_property
    def groups(self) -> list[Group]:
        """The list: the exercises of each course, or the tasks of the sheet."""
        if self.sheet:
            tasks = [self._listed(task.exercise) for task in self.sheet.tasks]
            return [Group(_("Tasks"), "", tasks)]
        key = current_key()
        return [
            Group(
                course.title[key],
                course.by[key],
                [self._listed(one) for one in EXERCISES.values() if one.course is course],
            )
            for course in COURSES.values()
        ]

    def _listed(self, exercise: Exercise) -> Listed:
        if self.sheet:
            return Listed(self.sheet.named(exercise.id), address_of(exercise.id, self.sheet.id), exercise)
        return Listed(exercise.id, address_of(exercise.id), exercise)

    @property
    def address(self) -> str:
        """The address of the exercise, without an answer."""
        return address_of(self.exercise.id if self.exercise else "", self.sheet.id if self.sheet else "")

    @property
    def accepts(self) -> str:
        """The files that an answer may be in, for the button; empty if it is only typed."""
        return ", ".join(self.exercise.accepts) if self.exercise else ""

    @property
    def following(self) -> Listed | None:
        """The exercise after this one."""
        tasks = [task for group in self.groups for task in group.tasks]
        return next((later for one, later in pairwise(tasks) if one.exercise is self.exercise), None)

    @property
    def shown_after(self) -> int:
        """After how many tries the answer is shown; 0 for never."""
        return self.sheet.shown_after if self.sheet else SHOWN_AFTER

    @property
    def may_solve(self) -> bool:
        """Whether the answer may be shown now."""
        return bool(self.shown_after) and (self.work.count >= self.shown_after or self.work.is_right)

    @property
    def solution(self) -> str:
        """The answer, if it was asked for and may be shown."""
        return solution(self.exercise) if self.exercise and self.may_solve and self.work.solved else ""


def address_of(exercise: str, sheet: str = "") -> str:
    """The address of an exercise; of the list of exercises without one."""
    pairs = [(name, value) for name, value in (("sheet", sheet), ("exercise", exercise)) if value]
    return url_for("homework.page") + (f"?{urlencode(pairs)}" if pairs else "")
