"""The exercises: those of published courses, from `exercises.toml`, and those that a teacher sets.

An exercise says which kind of answer it asks for and the parameters from which the right answer is computed. Its texts
are in both languages: a mapping from `en` and `zh`.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from webapp.core.homework.verdicts import AnswerError
from webapp.core.trainers.ties import TIE_RULES
from webapp.core.vocabulary_error import Phrase, shown

Words = Mapping[str, str]
"""A text in each language."""

ACCEPTS: Mapping[str, tuple[str, ...]] = {
    "merges": (".txt", ".json", ".model"),
    **dict.fromkeys(("vocabulary", "longest", "tokens", "ids"), (".json", ".txt")),
    **dict.fromkeys(("segmentation", "dictionary", "score", "times"), (".txt", ".utf8")),
}
"""The endings of files that the kinds of exercises take; the others are typed."""


@dataclass(frozen=True)
class Course:
    """A published course: who gives it, and where its tasks are."""

    id: str
    title: Words
    by: Words
    source: str


@dataclass(frozen=True)
class Need:
    """A file that a student has and the site has not, such as a course's corpus; `sha256` says which one it must be."""

    role: str
    file: str
    source: str = ""
    sha256: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Exercise:
    """An exercise; `kind` names the function that judges it, `parameters` are its arguments."""

    id: str
    course: Course
    title: Words
    about: Words
    task: Words
    kind: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    hints: tuple[Words, ...] = ()
    needs: tuple[Need, ...] = ()
    place: str = ""
    """Where the task is in the course: a section or a step."""

    @property
    def accepts(self) -> tuple[str, ...]:
        """The endings of files that an answer may have; empty if it is only typed."""
        return ACCEPTS.get(self.kind, ())


def _read() -> tuple[dict[str, Course], dict[str, Exercise]]:
    document = tomllib.loads(files(__package__).joinpath("exercises.toml").read_text(encoding="utf-8"))
    courses = {id: Course(id, **course) for id, course in document["courses"].items()}
    shared = document["shared"]
    found = {}
    for id, table in document["exercises"].items():
        parameters = {**shared.get(table.pop("shared", ""), {}), **table.pop("parameters", {})}
        table["needs"] = tuple(Need(**need) for need in table.get("needs", ()))
        table["hints"] = tuple(table.get("hints", ()))
        found[id] = Exercise(id, courses[table.pop("course")], parameters=parameters, **table)
    return courses, found


COURSES, EXERCISES = _read()

OWN_COURSE = Course("own", {"en": "Set by the teacher", "zh": "教师自拟"}, {"en": "", "zh": ""}, "")
LONGEST_CORPUS = 2_000  # characters to train on: the most of which a walkthrough shows rounds
LONGEST_TEXT = 20_000  # characters of sentences to segment, and of a dictionary
MOST_MERGES = 200
MOST_COUNT = 1_000_000
ALGORITHMS = ("bpe", "bpe-bytes", "wordpiece", "fmm", "bmm", "bidirectional", "max-probability")
ASKED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("bpe", "bpe-bytes", "wordpiece"), ("merges", "tokens")),
    **dict.fromkeys(("fmm", "bmm", "bidirectional", "max-probability"), ("segmentation", "tags")),
}
"""What may be asked for of each algorithm, the usual first."""
METHODS = {"fmm": "forward", "bmm": "backward"}
SYMBOLS = {"bpe": "characters", "bpe-bytes": "bytes", "wordpiece": "wordpiece"}


class ParameterError(AnswerError):
    """A parameter of one's own exercise that is missing or wrong; `field` is its name."""


def own_exercise(parameters: Mapping[str, Any], id: str = "own") -> Exercise:
    """Return the exercise that a teacher sets; raises ParameterError.

    `parameters`: `text` (the corpus to train on, or the sentences to segment, one a line), `algorithm` (one of
    `ALGORITHMS`), `asked` (one of `ASKED`), `ties` (a `TieRule`), `merges` (their number), `word` (what to encode if
    tokens are asked for), `dictionary` (a word a line, perhaps with a frequency), `title`, `task`, `hints` (a list).

    >>> exercise = own_exercise({"text": "low lower", "algorithm": "bpe", "merges": 2, "ties": "greater"})
    >>> exercise.kind, exercise.parameters["merges"]
    ('merges', 2)
    """
    algorithm = _choice(parameters, "algorithm", ALGORITHMS)
    asked = _choice(parameters, "asked", ASKED[algorithm])
    trains = "merges" in ASKED[algorithm]
    text = _text(parameters, "text", LONGEST_CORPUS if trains else LONGEST_TEXT)
    if trains:
        ties = _choice(parameters, "ties", TIE_RULES)
        values = {"corpus": text, "symbols": SYMBOLS[algorithm], "ties": ties, "merges": parameters.get("merges", 10)}
        if type(values["merges"]) is not int or not 1 <= values["merges"] <= MOST_MERGES:
            message = Phrase("Choose a number of merges from %(least)s to %(most)s.", least=1, most=MOST_MERGES)
            raise ParameterError(message, "merges")
        if asked == "tokens":
            values["text"] = _text(parameters, "word", 200)
    else:
        dictionary = _text(parameters, "dictionary", LONGEST_TEXT)
        values = {"text": text, "method": METHODS.get(algorithm, algorithm), "dictionary": dictionary}
    title, task = (_text(parameters, name, 1_000, optional=True) for name in ("title", "task"))
    hints = parameters.get("hints", ())
    if not isinstance(hints, list | tuple) or len(hints) > 10 or not all(isinstance(hint, str) for hint in hints):
        raise ParameterError(Phrase("Hints are a list of at most ten texts."), "hints")
    shown_hints = tuple(_both(hint[:1_000]) for hint in hints)
    return Exercise(id, OWN_COURSE, _both(title or algorithm), _both(""), _both(task), asked, values, shown_hints)


def _both(text: str) -> Words:
    return {"en": text, "zh": text}


def _choice(parameters: Mapping[str, Any], name: str, values: tuple[str, ...]) -> str:
    value = parameters.get(name, values[0])
    if value not in values:
        known = ", ".join(values)
        message = Phrase(
            "“%(value)s” is not a value of “%(name)s”. Use one of these: %(values)s.",
            value=shown(value),
            name=name,
            values=known,
        )
        raise ParameterError(message, name)
    return str(value)


def _text(parameters: Mapping[str, Any], name: str, most: int, *, optional: bool = False) -> str:
    value = parameters.get(name, "")
    if not isinstance(value, str) or (not optional and not value.strip()):
        raise ParameterError(Phrase("Write a text here."), name)
    if len(value) > most:
        message = Phrase("The text has %(count)s characters; the limit is %(most)s.", count=len(value), most=most)
        raise ParameterError(message, name)
    return value
