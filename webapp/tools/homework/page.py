"""The page of an exercise: the list of exercises, the verdict, hints, and when the answer may be shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from itertools import pairwise
from typing import Any

from flask import url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from markupsafe import Markup

from webapp.core.homework.check import solution
from webapp.core.homework.exercises import COURSES, EXERCISES, Exercise
from webapp.core.homework.verdicts import AnswerError, Row, Side, Verdict
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import translated
from webapp.tools.homework.records import Record, Work
from webapp.tools.homework.sentences import explanation, headline, note, rule_name
from webapp.tools.homework.sheets import OWN, Sheet
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, tokenizer_of
from webapp.web.addresses import packed, parameters
from webapp.web.localization import current_key, localized, number

SHOWN_AFTER = 5
"""After how many tries the answer to a published exercise is shown."""
UNKNOWN = ("longest", "times")
"""The kinds of exercises whose answer depends on what only the visitor has."""
WORDS = localized(files(__package__), "page.toml")


def in_language(words: Mapping[str, str]) -> str:
    """A text of an exercise in the visitor's language."""
    return words[current_key()]


def place_name(kind: str, place: int | None) -> str:
    """A place in a table: `merge 65`."""
    return str(WORDS["places"][kind]) % {"place": number(place)} if kind in WORDS["places"] and place else ""


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


@dataclass(frozen=True)
class Checked:
    """An exercise with the verdict on an answer; without an exercise the list of all, without an answer no verdict.

    `record` is what the visitor handed in so far, and `document` the same as its form has it. With `reveals_all`, for
    programs, what is right at the first place that differs is always shown.
    """

    given: Any
    exercise: Exercise | None = None
    sheet: Sheet | None = None
    verdict: Verdict | None = None
    record: Record | None = None
    document: str = ""
    record_lost: InputProblem | None = None
    reveals_all: bool = False

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        return headline(self.verdict) if self.verdict else ""

    @cached_property
    def explanation(self) -> list[str]:
        """Where and why the answer differs."""
        return explanation(self.verdict, self.reveals) if self.verdict else []

    @property
    def notes(self) -> list[str]:
        """The remarks."""
        return [note(each) for each in self.verdict.notes] if self.verdict else []

    @property
    def steps(self) -> str | None:
        """The address of the walkthrough that shows the first place that differs; None if it may not be shown."""
        link = self.verdict.link if self.verdict else None
        if link is None or not (self.reveals_all or self.may_solve if link.whole else self.reveals):
            return None
        values: dict[str, Any] = dict(link.values)
        if link.view == "evaluate":
            return url_for("evaluate.page", **values)
        algorithm = values.pop("algorithm")
        if "corpus" in values:
            values |= [parameters(values.pop("corpus"))]
        if "before" in values:
            values["before"] = packed(values["before"])
        if link.view == "training":
            return url_for("training.page", algorithm=algorithm, **values)
        return url_for("steps.page", algorithm=algorithm, **values)

    @property
    def sides(self) -> list[Side]:
        """Both sides of the first place that differs: the visitor's, and the right one if it may be shown."""
        verdict = self.verdict
        return [side for side in (verdict.yours, verdict.right if self.reveals else None) if side] if verdict else []

    @property
    def rows(self) -> Sequence[Row]:
        """The rows around that place; those after it show what is right only where the whole answer may be shown."""
        if self.verdict is None or self.reveals_all or self.may_solve:
            return self.verdict.rows if self.verdict else ()
        shown = (self.verdict.place or 0) if self.reveals else 0
        return [
            row if row.agrees or row.number <= shown else replace(row, right="…", count=None)
            for row in self.verdict.rows
        ]

    @property
    def work(self) -> Work:
        """What was done in the exercise so far."""
        name, title = self.listed.name, in_language(self.listed.exercise.title)
        return self.record.work(name, title) if self.record else Work(name, title)

    @cached_property
    def groups(self) -> list[Group]:
        """The list: the exercises of each course, or the tasks of the sheet."""
        if self.sheet:
            tasks = [self._listed(task.exercise) for task in self.sheet.tasks]
            return [Group(_("Tasks"), "", tasks)]
        groups = []
        for course in COURSES.values():
            tasks = [self._listed(one) for one in EXERCISES.values() if one.course is course]
            groups.append(Group(in_language(course.title), in_language(course.by), tasks))
        return groups

    def _listed(self, exercise: Exercise) -> Listed:
        sheet, id = self.sheet, exercise.id
        address = url_for("homework.page", sheet=(sheet.id or None) if sheet else None, exercise=id)
        return Listed(sheet.named(id) if sheet else id, address, exercise)

    @property
    def listed(self) -> Listed:
        """The exercise as the list has it."""
        assert self.exercise is not None
        return self._listed(self.exercise)

    @property
    def task(self) -> str:
        """What is asked for."""
        assert self.exercise is not None
        values: dict[str, Any] = {"merges": "", "text": "", **self.exercise.parameters}
        values["algorithm"] = WORDS["algorithms"].get(values.get("symbols"), "")
        values["ties"] = WORDS["rules"].get(values.get("ties"), "")
        values["method"] = rule_name(values["method"]) if "method" in values else ""
        return in_language(self.exercise.task) or str(WORDS["tasks"][self.exercise.kind]) % values

    @property
    def material(self) -> list[tuple[str, str]]:
        """The texts of the task, with their titles: those of several lines, and all of an exercise of one's own."""
        assert self.exercise is not None
        values = self.exercise.parameters
        own = not in_language(self.exercise.task) or self.exercise.id.startswith(OWN)
        left_out = {"text"} if "merges" in values else {"gold"} if self.exercise.kind != "score" else set()
        texts = ((title, values.get(name)) for name, title in WORDS["material"].items() if name not in left_out)
        return [(str(title), text) for title, text in texts if isinstance(text, str) and (own or "\n" in text)]

    @property
    def placeholder(self) -> str:
        """What the empty box says."""
        return str(WORDS["placeholders"][self.exercise.kind]) if self.exercise else ""

    @property
    def place_title(self) -> str:
        """The heading of the numbers of places."""
        return str(WORDS["columns"][self.verdict.place_kind]) if self.verdict else ""

    @property
    def whole(self) -> str:
        """What the places are counted among, such as `6 merges`; empty where there is nothing to count."""
        assert self.exercise is not None
        verdict = self.verdict
        if verdict is None or verdict.total < 2 or self.exercise.kind in UNKNOWN:
            return ""
        return str(WORDS["wholes"][verdict.place_kind]) % {"total": number(verdict.total)}

    @property
    def leads_with_place(self) -> bool:
        """Whether the number of the first place that differs is the headline: cells have names, and pieces no order."""
        verdict = self.verdict
        if verdict is None or verdict.outcome != "wrong" or verdict.place_kind in ("cell", "piece"):
            return False
        return bool(self.whole) and 0 < (verdict.place or 0) <= verdict.total

    @property
    def reveals(self) -> bool:
        """Whether the verdict shows what is right where it differs: not if that would be the whole answer."""
        verdict = self.verdict
        if verdict is None or self.reveals_all or self.may_solve:
            return True
        return verdict.total > 1 and verdict.place_kind != "cell"

    @property
    def following(self) -> Listed | None:
        """The exercise after this one."""
        tasks = [task for group in self.groups for task in group.tasks]
        return next((later for one, later in pairwise(tasks) if one.exercise is self.exercise), None)

    @property
    def hints(self) -> list[str]:
        """The hints; the last one, after a wrong answer whose right one is not shown, is how long that is."""
        assert self.exercise is not None
        found = [in_language(hint) for hint in self.exercise.hints]
        if self.verdict and self.verdict.right and not self.reveals and self.verdict.place_kind != "cell":
            length = len("".join(self.verdict.right.text.split()))
            found.append(
                ngettext(
                    "What is right there has %(num)s character.", "What is right there has %(num)s characters.", length
                )
            )
        return found

    @property
    def shown_after(self) -> int:
        """After how many tries the answer is shown; 0 for never."""
        if self.exercise and self.exercise.kind in UNKNOWN:
            return 0
        return self.sheet.shown_after if self.sheet else SHOWN_AFTER

    @property
    def may_solve(self) -> bool:
        """Whether the answer may be shown now."""
        return bool(self.shown_after) and (self.work.count >= self.shown_after or self.work.is_right)

    @cached_property
    def solution(self) -> str:
        """The answer, if it was asked for and may be shown; or which file is missing for it."""
        if self.exercise is None or not (self.may_solve and self.work.solved):
            return ""
        return solution_text(self.exercise, self.given.given)


def solution_text(exercise: Exercise, given: Mapping[str, bytes] | None = None) -> str:
    """The computed answer, or what is missing to compute it; empty where nobody knows it."""
    try:
        return solution(exercise, given, tokenizer_of)
    except AnswerError as error:
        return translated(error.message)
    except (StillFetchingError, UnavailableVocabularyError):
        return _("The vocabulary is still being downloaded. Try again in a moment.")
