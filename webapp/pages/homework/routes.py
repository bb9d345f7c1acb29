"""`/homework` takes hand-ins; a report of them, its check, and the sheets that teachers set.

The pages of the exercises are the tool `webapp.tools.homework`. What a visitor handed in is in their browser, as a
signed record (`webapp.tools.homework.records`) that every form sends along.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import segno
from flask import Blueprint, Response, make_response, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.homework.exercises import EXERCISES
from webapp.pages.homework.own import as_value, fields_from, fields_of, parameters_of
from webapp.pages.homework.reports import Reports, read_reports
from webapp.rendering.delimited import as_csv
from webapp.storage import ShareReceipt
from webapp.tokenization.forms import InputProblem, as_typed, moved
from webapp.tokenization.snapshots import ShareTerms, read_terms
from webapp.tools.homework import TOOL, HomeworkInput, found
from webapp.tools.homework.page import WORDS, Checked, Group, in_language, marked_word, place_name, solution_text
from webapp.tools.homework.records import (
    LONGEST_NAME,
    ForgedError,
    Record,
    Try,
    UnreadableError,
    handed_in,
    new_record,
    opened,
    signed,
)
from webapp.tools.homework.sentences import rule_name
from webapp.tools.homework.sheets import MOST_TASKS, Sheet, Task, find_sheet, new_sheet, store_sheet, tasks_of_form
from webapp.tools.kernel import page_of
from webapp.web.errors import forbid_foreign
from webapp.web.htmx import attachment, unstored
from webapp.web.json_responses import well_formed
from webapp.web.rates import stores
from webapp.web.templates import Page, render

blueprint = Blueprint("homework_pages", __name__, url_prefix="/homework")
PREDICTIONS = ("right", "wrong")
SHOWN_AFTER = ("1", "3", "5", "10", "0")
OTHER_BUTTONS = {"hint", "solve", "resume", "lang", "theme"}
"""Buttons of the form that hand in nothing."""


class ReportPage(Page):
    """What was handed in, to print, and to download with a name."""

    template = "homework/report.html"

    report: Record
    student: str
    sheet: Sheet | None
    record: str  # the whole record, for the form
    problems: Mapping[str, InputProblem]
    longest_name: int


class ReportsPage(Page):
    """The reports of several students in a table."""

    template = "homework/reports.html"

    reports: Reports
    sheet: Sheet | None
    problems: Mapping[str, InputProblem]


class SheetPage(Page):
    """A teacher's sheet: while it is put together, and with its link."""

    template = "homework/sheet.html"

    tasks: Sequence[Task]
    groups: Sequence[Group]
    own: Mapping[str, str]
    typed: Mapping[str, Any]  # title, note and when answers are shown
    copied: Sheet | None  # the sheet that is changed: its answers stay hidden
    problems: Mapping[str, InputProblem]
    receipt: ShareReceipt | None = None
    link: str = ""
    code: Markup = Markup("")
    wanted: ShareTerms | None = None


@blueprint.app_context_processor
def variables() -> dict[str, object]:
    """What the templates of homework have besides their contexts."""
    if request.blueprint not in ("homework", "homework_pages"):
        return {}
    return {
        "in_language": in_language,
        "place_name": place_name,
        "rule_name": rule_name,
        "marked_word": marked_word,
        "solution_of": solution_text,
        "own_kinds": WORDS["kinds"],
        "tie_rules": WORDS["rules"],
    }


@blueprint.post("")
def hand_in() -> BaseResponse:
    """Check an answer, or open a hint, the solution or another exercise; the record goes back with what happened."""
    given, problems = HomeworkInput.read(request)
    record, lost = _record()
    if "open" in request.args:
        given = given.model_copy(update={"answer": ""})
    page = given.page
    try:
        found(given)
        if page.exercise and not problems:
            page = _checked(given, replace(page, record=record))
    except InputProblem as problem:
        problems = [problem]
    record = page.record or record
    page = replace(page, record=record, document=signed(record) if record.works else "", record_lost=lost)
    return unstored(page_of(TOOL, given, page, problems))


def _checked(given: HomeworkInput, page: Checked) -> Checked:
    """The page with the verdict on what was handed in, and with the record of it; raises InputProblem."""
    assert page.record is not None
    assert page.exercise is not None
    counts = OTHER_BUTTONS.isdisjoint(request.form) and "open" not in request.args
    if counts and given.is_empty:
        raise InputProblem(_("There is no answer yet. Type it or choose a file."), 422, "answer")
    record = page.record
    try:
        page = replace(TOOL.attempt(given), record=record)
    except InputProblem:
        if counts:
            raise
    work, number = page.work, request.form.get("hint", 0, int)
    work = replace(
        work,
        hints=max(work.hints, min(number, len(page.hints), work.hints + 1)),
        solved=work.solved or ("solve" in request.form and page.may_solve),
    )
    if page.verdict and counts:
        verdict, predicted = page.verdict, request.form.get("predicted", "")
        attempt = Try(
            time="",
            outcome=verdict.outcome,
            predicted=predicted if predicted in PREDICTIONS else "",
            kind=verdict.place_kind,
            place=verdict.place,
            rule=verdict.rule,
        )
        work = handed_in(work, _written(given), attempt)
    return replace(page, record=record.having(work))


@blueprint.route("/report", methods=["GET", "POST"])
def report() -> BaseResponse:
    """Show what was handed in; with a name, as a signed file for the teacher."""
    record, lost = _record()
    problems = {"record": lost} if lost else {}
    sheet = _sheet(request.values.get("sheet", ""), problems)
    student = " ".join(as_typed(request.form.get("student")).split())
    names = {sheet.named(task.key): task.exercise for task in sheet.tasks} if sheet else None
    made = record.report(student, sheet.id if sheet else "", list(names) if names is not None else None)
    if "download" in request.form:
        if not student or len(student) > LONGEST_NAME:
            message = _("Write your name, in at most %(most)s characters.", most=LONGEST_NAME)
            problems["student"] = InputProblem(message, 422, "student")
        elif not made.works:
            problems["record"] = InputProblem(_("Nothing has been handed in yet."), 409)
        else:
            return _file(signed(made, indent=1), "application/json", "report.json")
    page = ReportPage(
        report=made,
        student=student,
        sheet=sheet,
        record=signed(record) if record.works else "",
        problems=problems,
        longest_name=LONGEST_NAME,
        form_id="report",
    )
    return _private(page, problems)


@blueprint.route("/reports", methods=["GET", "POST"])
def reports() -> BaseResponse:
    """Check the signatures of reports, and show them in a table or as CSV."""
    problems: dict[str, InputProblem] = {}
    sheet = _sheet(request.values.get("sheet", ""), problems)
    order = {sheet.named(task.key): in_language(task.exercise.title) for task in sheet.tasks} if sheet else {}
    read = Reports((), order, sheet.id if sheet else "")
    try:
        read = replace(read, read=read_reports(request.form.getlist("report"), request.files.getlist("files")))
    except InputProblem as problem:
        problems["files"] = problem
    if "csv" in request.form and read.read:
        return _file(as_csv(read.rows()), "text/csv", "reports.csv")
    return _private(ReportsPage(reports=read, sheet=sheet, problems=problems, form_id="reports"), problems)


@blueprint.route("/sheet", methods=["GET", "POST"])
def sheet() -> BaseResponse:
    """Put a sheet together, or a copy of one: add exercises, change their order, change or remove some."""
    own, problems = fields_of(request.form), dict[str, InputProblem]()
    copied = _sheet(request.values.get("copy", ""), problems)
    values = moved(request.form, request.values.getlist("task")[: MOST_TASKS + 1])
    values += [each for each in request.values.getlist("add")[: len(EXERCISES)] if each not in values]
    if copied and request.method == "GET":
        values = [task.written for task in copied.tasks]
    tasks: list[Task] = []
    try:
        tasks = tasks_of_form(values)
        changed = request.form.get("change", 0, int)
        if 0 < changed <= len(tasks) and not isinstance(parameters := tasks[changed - 1].given, str):
            own = fields_from(parameters) | {"place": str(changed)}
            del tasks[changed - 1]
        if "own" in request.form:
            values.insert(request.form.get("own_place", len(values) + 1, int) - 1, as_value(parameters_of(own)))
            tasks = tasks_of_form(values)
            own = fields_of({})
    except InputProblem as problem:
        problems[problem.field] = problem
    return _private(_sheet_page(tasks, own, problems, copied), problems)


@blueprint.post("/sheet/link")
@stores
def create() -> BaseResponse:
    """Store a sheet, and show its link and the deletion link, which is shown only here; or download it as a file."""
    forbid_foreign()
    terms, wrong = read_terms(request.form)
    problems = {problem.field: problem for problem in wrong}
    tasks: list[Task] = []
    receipt = None
    try:
        tasks = tasks_of_form(request.form.getlist("task")[: MOST_TASKS + 1])
        if not tasks:
            raise InputProblem(_("There is no exercise on the sheet yet. Add at least one."), 422, "add")
        if fields_of(request.form)["text"].strip():
            raise InputProblem(
                _("This exercise is not on the sheet yet. Add it, or empty this field."), 422, "own_text"
            )
        shown_after = request.form.get("shown_after", "")
        if shown_after not in SHOWN_AFTER:
            raise InputProblem(_("Choose after how many tries the answer is shown."), 422, "shown_after")
        if not problems:
            made = new_sheet(tasks, int(shown_after), terms)
            if "file" in request.form:
                return _file(json.dumps(made.state, ensure_ascii=False, indent=1), "application/json", "sheet.json")
            receipt = store_sheet(made, terms)
    except InputProblem as problem:
        problems[problem.field] = problem
    copied = _sheet(request.form.get("copy", ""), {})
    page = _sheet_page(tasks, fields_of(request.form), problems, copied, receipt)
    response = _private(replace(page, wanted=terms), problems)
    if receipt:
        response.status_code = 201
        response.headers["Location"] = page.link
    return response


def _written(given: HomeworkInput) -> str:
    """The answer as text, the files after what was typed."""
    contents = (
        str(content, "utf-8", "replace") if isinstance(content, bytes) else content for content in given.files.values()
    )
    return "\n".join(filter(None, (given.answer, *contents)))


def _record() -> tuple[Record, InputProblem | None]:
    """The record in the form, or a new one and why the form's was not accepted."""
    document = request.form.get("record", "")
    try:
        return (opened(document) if document.strip() else new_record()), None
    except (ForgedError, UnreadableError):
        message = _(
            "Your earlier progress was not written by this site, or was changed since. It starts again from nothing."
        )
        return new_record(), InputProblem(message, 422, "record")


def _sheet(id: str, problems: dict[str, InputProblem]) -> Sheet | None:
    """The sheet with this id, if there is an id; a problem instead if there is no such sheet."""
    try:
        return find_sheet(id) if id else None
    except InputProblem as problem:
        problems["sheet"] = problem
        return None


def _sheet_page(
    tasks: Sequence[Task],
    own: Mapping[str, str],
    problems: Mapping[str, InputProblem],
    copied: Sheet | None,
    receipt: ShareReceipt | None = None,
) -> SheetPage:
    link = url_for("homework.page", sheet=receipt.id, _external=True) if receipt else ""
    code = segno.make(link, micro=False).svg_inline(omitsize=True, svgclass="qr", light="#fff") if link else ""
    return SheetPage(
        tasks=tasks,
        groups=Checked(None).groups,
        own=own,
        typed=copied.state if copied and request.method == "GET" else request.form,
        copied=copied,
        problems=problems,
        receipt=receipt,
        link=link,
        code=Markup(code),
        form_id="sheet",
        status=201 if receipt else None,  # no language switch, which would lose the deletion link
    )


def _private(page: Page, problems: Mapping[str, InputProblem]) -> Response:
    """A page for its visitor alone."""
    response = make_response(render(page), max((problem.status for problem in problems.values()), default=200))
    response.headers["X-Robots-Tag"] = "noindex"
    return unstored(response)


def _file(content: str, media_type: str, name: str) -> Response:
    return attachment(Response(well_formed(content), mimetype=media_type), name)
