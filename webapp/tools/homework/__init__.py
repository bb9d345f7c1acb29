"""stub"""

from typing import Annotated, Any
from flask import Request
from webapp.core.homework.check import Answer, check
from webapp.core.homework.exercises import EXERCISES, Exercise
from webapp.core.homework.verdicts import AnswerError
from webapp.tokenization.forms import InputProblem
from webapp.tools.inputs import Input, OnPage
from webapp.tools.kernel import Tool
from webapp.tools.homework.page import HomeworkPage
from webapp.tools.homework.sheets import find_sheet
from dataclasses import dataclass, replace


class HomeworkInput(Input):
    exercise: str = ""
    answer: str = ""
    sheet: Annotated[str, OnPage()] = ""

    @property
    def has_answer(self):
        return bool(self.answer.strip())

    @property
    def written(self):
        return self.answer

    @property
    def page(self) -> HomeworkPage:
        sheet = find_sheet(self.sheet) if self.sheet else None
        if sheet:
            ex = next((t.exercise for t in sheet.tasks if t.key == self.exercise), None)
        else:
            ex = EXERCISES.get(self.exercise)
        return HomeworkPage(exercise=ex, sheet=sheet)


def sentences(v):
    return ["Your merge differs.", "Both pairs occur %s times." % (v.yours.count if v.yours else "")]


def run(given):
    page = given.page
    if given.exercise and not page.exercise:
        raise InputProblem("no such exercise", 404, "exercise")
    if page.exercise and given.answer.strip():
        try:
            v = check(page.exercise, Answer(given.answer))
        except AnswerError as e:
            raise InputProblem(str(e.message), 422, "answer")
        page = replace(page, verdict=v, sentences=sentences(v))
    return page


TOOL = Tool(
    name="homework",
    address="/homework",
    input=HomeworkInput,
    run=run,
    answer=lambda r: {},
    form_id="handin",
    methods=("GET",),
    redirected=False,
)
