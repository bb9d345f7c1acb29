"""The addresses of the course: `/learn` lists the lessons, `/learn/SLUG` is one lesson.

The texts of edited examples and the steps of figures are in the address. An example that is sent with POST is
redirected to its own address if that is short enough.
"""

from __future__ import annotations

from flask import Blueprint, abort, make_response, redirect, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from webapp.pages.learn.contexts import (
    CoursePage,
    DiagramContext,
    ExampleAnswerContext,
    ExampleContext,
    FigureContext,
    LessonPage,
    ProseContext,
    QuestionContext,
)
from webapp.pages.learn.examples import shown_example
from webapp.pages.learn.figures import ShownFigure, shown_figure
from webapp.pages.learn.lesson import Lesson, LessonDiagram
from webapp.pages.learn.lessons import LESSON_BY_SLUG, LESSONS, PARTS
from webapp.pages.learn.links import LessonLinks
from webapp.pages.learn.outline import outline
from webapp.pages.learn.questions import QUESTIONS
from webapp.pages.learn.state import LessonState, address, state_of
from webapp.rendering.inline_markup import inline_markup
from webapp.rendering.source_listing import source_listing
from webapp.web.htmx import swappable, wants_partial
from webapp.web.localization import current_key
from webapp.web.templates import Context, render

blueprint = Blueprint("learn", __name__)
blueprint.add_app_template_filter(inline_markup)


@blueprint.get("/learn")
def index() -> Response:
    """The list of lessons."""
    return _headed(render(CoursePage(lessons=[(lesson, outline(lesson).minutes) for lesson in LESSONS], parts=PARTS)))


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
    if wants_partial() and key in state.lesson.figure_by_key:
        return _part(FigureContext(shown=shown_figure(state, state.lesson.figure_by_key[key])), state)
    examples = {key: shown_example(state, key) for key in state.lesson.by_key}
    status = max(shown.status for shown in examples.values())
    here = state.address
    if request.method == "POST" and status == 200 and here:
        return redirect(here, 303)
    prose = ProseContext(
        lesson=state.lesson,
        prose=f"learn/{current_key()}/{slug}.html",
        example=lambda key: Markup(render(ExampleContext(shown=examples[key]))),
        figure=lambda key: _figure(shown_figure(state, state.lesson.figure_by_key[key])),
        diagram=lambda key: _diagram(state.lesson.diagram_by_key[key]),
        ask=lambda key: _question(state.lesson, key),
        links=LessonLinks(state.lesson),
    )
    return _headed(render(_page(state.lesson, Markup(render(prose)))), status)


def _page(lesson: Lesson, prose: Markup) -> LessonPage:
    place = LESSONS.index(lesson)
    about = outline(lesson)
    return LessonPage(
        lesson=lesson,
        prose=prose,
        lessons=LESSONS,
        number_of=place + 1,
        previous=LESSONS[place - 1] if place else None,
        following=LESSONS[place + 1] if place + 1 < len(LESSONS) else None,
        sections=about.sections,
        minutes=about.minutes,
        listing=source_listing(*lesson.reference) if lesson.reference else None,
    )


def _figure(shown: ShownFigure) -> Markup:
    body = Markup(render(FigureContext(shown=shown)))
    return Markup('<figure class="walk" id="{}">{}</figure>').format(shown.key, body)


def _diagram(diagram: LessonDiagram) -> Markup:
    picture = diagram.draw()
    return Markup(render(DiagramContext(key=diagram.key, picture=picture, caption=str(diagram.caption))))


def _question(lesson: Lesson, key: str) -> Markup:
    questions = QUESTIONS[current_key()][lesson.slug]
    number = list(questions).index(key) + 1
    return Markup(render(QuestionContext(key=key, question=questions[key], number=number)))


def _part(context: Context, state: LessonState, status: int = 200) -> Response:
    response = _headed(render(context), status)
    response.headers["HX-Replace-Url"] = state.address or address(state.lesson)
    return response


def _headed(body: str, status: int = 200) -> Response:
    return swappable(make_response(body, status), vary="HX-Target")
