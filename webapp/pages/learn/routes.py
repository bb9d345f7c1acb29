"""The addresses of the course: `/learn` lists the lessons, `/learn/SLUG` is one lesson.

The texts of edited examples and the steps of figures are in the address. An example that is sent with POST is
redirected to its own address if that is short enough.
"""

from __future__ import annotations

from flask import Blueprint, abort, make_response, redirect, request
from werkzeug.wrappers import Response

from webapp.pages.learn.contexts import (
    ExampleAnswerContext,
    FigureContext,
    course_page,
    lesson_page,
)
from webapp.pages.learn.examples import shown_example
from webapp.pages.learn.figures import shown_figure
from webapp.pages.learn.lessons import LESSON_BY_SLUG
from webapp.pages.learn.state import LessonState, address, state_of
from webapp.rendering.markup import inline_markup
from webapp.web.htmx import swappable, wants_partial
from webapp.web.templates import Context, render

blueprint = Blueprint("learn", __name__)
blueprint.add_app_template_filter(inline_markup)


@blueprint.get("/learn")
def index() -> Response:
    """The list of lessons."""
    return _headed(render(course_page()))


@blueprint.get("/learn/<slug>")
def lesson(slug: str) -> Response:
    """One lesson, with the example texts and steps of the address; for htmx one example or figure of it."""
    return _answer(slug)


@blueprint.post("/learn/<slug>")
def submit(slug: str) -> Response:
    """An edited example, redirected to its own address."""
    return _answer(slug)


def _answer(slug: str) -> Response:
    if slug not in LESSON_BY_SLUG:
        abort(404)
    state = state_of(LESSON_BY_SLUG[slug], request.form if request.method == "POST" else request.args)
    key = request.headers.get("HX-Target", "").rpartition("#")[2]
    if wants_partial() and key in state.lesson.by_key:
        shown = shown_example(state, key)
        return _part(ExampleAnswerContext(shown=shown), state, shown.status)
    if wants_partial() and key in state.lesson.figures:
        return _part(FigureContext(shown=shown_figure(state, state.lesson.figures[key])), state)
    examples = {key: shown_example(state, key) for key in state.lesson.by_key}
    status = max(shown.status for shown in examples.values())
    here = state.address
    if request.method == "POST" and status == 200 and here:
        return redirect(here, 303)
    return _headed(render(lesson_page(state, examples)), status)


def _part(context: Context, state: LessonState, status: int = 200) -> Response:
    response = _headed(render(context), status)
    response.headers["HX-Replace-Url"] = state.address or address(state.lesson)
    return response


def _headed(body: str, status: int = 200) -> Response:
    return swappable(make_response(body, status), vary="HX-Target")
