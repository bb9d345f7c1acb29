"""`/homework`: exercises of published courses; an answer is checked, and the first place that differs is explained."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Self

from flask import Request
from flask_babel import gettext as _
from pydantic import Field

from webapp.core.homework.check import Answer as HandedIn
from webapp.core.homework.check import check
from webapp.core.homework.exercises import EXERCISES, Exercise
from webapp.core.homework.verdicts import AnswerError, Figures, Outcome, PlaceKind, Row, Side, Verdict
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.tokenization.messages import translated, upload_limit
from webapp.tools.homework.page import Checked, in_language
from webapp.tools.homework.sheets import Sheet, find_sheet
from webapp.tools.inputs import Answer, BodyField, FromForm, InBody, Input, at_most
from webapp.tools.kernel import ApiEntry, Tool
from webapp.vocabularies import tokenizer_of

LONGEST = 8_000_000  # bytes of a typed answer
Contents = Mapping[str, str]
NOTHING: Contents = {}


def _first(values: Sequence[str]) -> str:
    return values[0].strip()[:100]


class HomeworkInput(Input):
    """An exercise and an answer to check: typed, or in files; and files that the answer is computed from."""

    exercise: Annotated[
        str,
        FromForm(choose=_first),
        BodyField(default=...),
        Field(description="The id of the exercise, such as `cs336-bpe-example`."),
    ] = ""
    sheet: Annotated[
        str,
        FromForm(choose=_first),
        Field(description="A teacher’s sheet that has it: the end of its link, or the text of its file."),
    ] = ""
    answer: Annotated[
        str,
        at_most(LONGEST, lambda: _("The answer")),
        Field(description="The answer as text: merges one a line, tokens, ids, a table, tags or a segmented text."),
    ] = ""
    files: Annotated[
        Contents, InBody(), Field(description="Files of the answer by their names, such as `merges.txt`.")
    ] = NOTHING
    given: Annotated[
        Contents,
        InBody(),
        Field(description="Files that the answer is computed from, by their roles, such as `corpus`."),
    ] = NOTHING

    @classmethod
    def read(cls, request: Request) -> tuple[Self, list[InputProblem]]:
        """The answer of a request with the content of its files, as bytes: what they are is checked later."""
        request.max_content_length = upload_limit()  # before anything reads the body: a laboratory's files have 14 MB
        given, problems = super().read(request)
        files = {upload.filename: upload.stream.read() for upload in request.files.getlist("files") if upload.filename}
        roles = {
            name.removeprefix("given/"): upload.stream.read()
            for name, upload in request.files.items()
            if name.startswith("given/") and upload.filename
        }
        answer = as_typed(given.answer)
        return given.model_copy(update={"files": files, "given": roles, "answer": answer}), problems

    @property
    def is_empty(self) -> bool:
        """Whether nothing is handed in."""
        return not (self.answer.strip() or self.files)

    @property
    def page(self) -> Checked:
        """The page without a verdict; the list of all exercises if there is no such exercise or sheet."""
        try:
            return Checked(self, *found(self))
        except InputProblem:
            return Checked(self)

    @property
    def fits_address(self) -> bool:
        """Whether an address can hold it: none of its files would be missing."""
        return not (self.files or self.given) and super().fits_address


class CheckAnswer(Answer):
    """The verdict on an answer."""

    exercise: str
    outcome: Annotated[
        Outcome, Field(description="`other-rule`: right by another rule than the exercise fixes, so not right yet.")
    ]
    message: Annotated[str, Field(description="The verdict in sentences.")]
    place_kind: PlaceKind
    place: Annotated[int | None, Field(description="The first place that differs, counted from 1.")]
    label: str
    why: Annotated[str, Field(description="The code of the reason.")]
    rule: Annotated[str, Field(description="The code of the other rule by which the answer is right.")]
    agreeing: Annotated[int, Field(description="How many places are equal.")]
    total: int
    in_both: Annotated[int | None, Field(description="How many merges or words both have, in whatever order.")]
    yours: Side | None
    right: Side | None
    rows: Sequence[Row]
    notes: Sequence[str]
    figures: Figures | None
    link: Annotated[str | None, Field(description="The address of the page that shows this place.")]


def found(given: HomeworkInput) -> tuple[Exercise | None, Sheet | None]:
    """The exercise and the sheet of an input; raises InputProblem if there is none of that id."""
    if not given.sheet:
        return (exercise_of(given) if given.exercise else None), None
    sheet = find_sheet(given.sheet)
    return (sheet.exercise(given.exercise) if given.exercise else None), sheet


def exercise_of(given: HomeworkInput) -> Exercise:
    """The exercise of an input; raises InputProblem if there is none of that id."""
    exercise = EXERCISES.get(given.exercise)
    if exercise is None:
        message = _("There is no exercise “%(name)s”. Choose one from the list.", name=given.exercise[:40])
        raise InputProblem(message, 404, "exercise")
    return exercise


def judge(exercise: Exercise, given: HomeworkInput) -> Verdict:
    """The verdict on an answer; raises InputProblem for one that cannot be read."""
    contents = [
        {name: content if isinstance(content, bytes) else content.encode() for name, content in each.items()}
        for each in (given.files, given.given)
    ]
    try:
        return check(exercise, HandedIn(given.answer, *contents), tokenizer_of)
    except AnswerError as error:
        field = error.field if error.field == "answer" else f"given/{error.field}"
        raise InputProblem(translated(error.message), 422, field) from None


def checked(given: HomeworkInput) -> Checked:
    """Check an answer to an exercise, and find the first place that differs.

    The right answer is computed by the site's algorithms. An answer may be right by another rule for ties, direction or
    tag set than the exercise fixes: its outcome is `other-rule`, and `rule` names it. A rule that the exercise leaves
    open, such as what the course prints, is `right`. `why` is the code of the reason for the first difference,
    `message` says it in sentences. The page `/homework` lists the exercises with their ids. Those of a teacher's own
    are on a `sheet`, as `own-1`; of one with a link, what is right is shown as on its page.
    """
    exercise, sheet = found(given)
    return Checked(given, exercise, sheet, None if exercise is None or given.is_empty else judge(exercise, given))


def answer(shown: Checked) -> Any:
    """The verdict for programs; the list of exercises if none is chosen."""
    if shown.exercise is None:
        listed = [task.exercise for group in shown.groups for task in group.tasks]
        return {"exercises": {one.id: in_language(one.title) for one in listed}}
    if shown.verdict is None:
        raise InputProblem(_("There is no answer yet. Type it or choose a file."), 422, "answer")
    exercise, verdict = shown.exercise, shown.verdict
    shown = replace(
        shown, reveals_all=not (shown.sheet and shown.sheet.id)
    )  # a teacher decides when an answer is shown
    verdict = replace(verdict, rows=shown.rows, right=verdict.right if shown.reveals else None)
    fields: dict[str, Any] = {
        name: getattr(verdict, name) for name in CheckAnswer.__dataclass_fields__ if hasattr(verdict, name)
    }
    message = " ".join([shown.headline, *shown.explanation])
    fields |= {"exercise": exercise.id, "message": message, "notes": shown.notes, "link": shown.steps}
    return CheckAnswer(**fields)


TOOL = Tool(
    name="homework",
    address="/homework",
    input=HomeworkInput,
    run=checked,
    answer=answer,
    file_name="verdict",
    form_id="handin",
    methods=("GET",),  # what is handed in goes into the visitor's record: `webapp.pages.homework`
    redirected=False,
    api=ApiEntry(
        "/check",
        "CheckBody",
        CheckAnswer,
        {"exercise": "cs336-bpe-example", "answer": "s t\ne st\no w\nl ow\nw est\nn e"},
    ),
)
