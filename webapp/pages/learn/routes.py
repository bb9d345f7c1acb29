"""`/learn` lists the lessons, `/learn/SLUG` is one lesson.

The texts of edited examples and the steps of figures are in the address. An example that is sent with POST is
redirected to its own address if that is short enough.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from flask import Blueprint, abort, make_response, redirect, request
from flask_babel.speaklater import LazyString
from markupsafe import Markup
from werkzeug.wrappers import Response

from webapp.pages.learn.examples import (
    LessonLinks,
    LessonState,
    ShownExample,
    ShownFigure,
    address,
    merges_of,
    shown_example,
    shown_figure,
    state_of,
)
from webapp.pages.learn.lessons import DIAGRAMS, LESSON_BY_SLUG, ORDERS, Lesson, Question, course
from webapp.rendering.markup import inline_markup
from webapp.rendering.pictures.figure import Figure
from webapp.rendering.source_listing import SourceListing, source_listing
from webapp.tokenization.result import AnyMerge
from webapp.web.htmx import swappable, wants_partial
from webapp.web.localization import current_key
from webapp.web.templates import Context, Page, render


class CoursePage(Page):
    """The list of lessons in their parts."""

    template = "learn/index.html"

    parts: Mapping[LazyString, Sequence[Lesson]]
    order: str


class ProseContext(Context):
    """The text of a lesson, a separate template in each language, with its parts by their keys."""

    template = "learn/_prose.html"

    lesson: Lesson
    text: str  # the name of the template with the lesson's text
    language: str
    examples: Mapping[str, ShownExample]
    shown_figure: Callable[[str], ShownFigure]
    merges_of: Callable[[Sequence[str]], Sequence[Sequence[AnyMerge]]]  # of some examples, round by round
    diagrams: Mapping[str, Callable[[], Figure]]
    questions: Mapping[str, Question]
    links: LessonLinks


class LessonPage(Page):
    """A lesson."""

    template = "learn/page.html"

    lesson: Lesson
    prose: Markup
    sections: Sequence[tuple[str, str]]  # ids and titles
    lessons: Sequence[Lesson]
    order: str
    number_of: int  # counted from 1
    listing: SourceListing | None  # the reference algorithm


class ExampleAnswerContext(Context):
    """What changes in an example with its text, for htmx."""

    template = "learn/_answer.html"

    shown: ShownExample


class FigureContext(Context):
    """A figure with one of its steps, for htmx."""

    template = "learn/_figure.html"

    shown: ShownFigure


blueprint = Blueprint("learn", __name__)
blueprint.add_app_template_filter(inline_markup)


@blueprint.url_defaults
def _keep_order(_endpoint: str, values: dict[str, Any]) -> None:
    """Keep the chosen order in links from lesson to lesson."""
    if request.args.get("order") in ORDERS:
        values.setdefault("order", request.args["order"])


@blueprint.get("/learn")
def index() -> Response:
    """The list of lessons."""
    return _headed(CoursePage(parts=course(_order()), order=_order()))


@blueprint.route("/learn/<slug>", methods=["GET", "POST"])
def lesson(slug: str) -> Response:
    """One lesson, with the example texts and steps of the address; for htmx one example or figure of it."""
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
    return _headed(_lesson_page(state, examples), status)


def _order() -> str:
    """The order of the lessons: that of the address, or that of the language."""
    order = request.args.get("order")
    return order if order in ORDERS else "words" if current_key() == "zh" else "subwords"


def _lesson_page(state: LessonState, examples: Mapping[str, ShownExample]) -> LessonPage:
    lesson, language = state.lesson, current_key()
    lessons = list(chain(*course(_order()).values()))
    prose = render(
        ProseContext(
            lesson=lesson,
            text=f"learn/{language}/{lesson.slug}.html",
            language=language,
            examples=examples,
            shown_figure=lambda key: shown_figure(state, lesson.figures[key]),
            merges_of=lambda keys: merges_of(lesson, keys),
            diagrams=DIAGRAMS,
            questions=lesson.questions[language],
            links=LessonLinks(lesson),
        )
    )
    headings = re.findall(r'<h2 id="(?!ask-)([^"]+)">(.*?)</h2>', prose)
    return LessonPage(
        lesson=lesson,
        prose=Markup(prose),
        sections=[(id, Markup(title).striptags()) for id, title in headings],
        lessons=lessons,
        order=_order(),
        number_of=lessons.index(lesson) + 1,
        listing=source_listing(*lesson.reference) if lesson.reference else None,
    )


def _part(context: Context, state: LessonState, status: int = 200) -> Response:
    response = _headed(context, status)
    response.headers["HX-Replace-Url"] = state.address or address(state.lesson)
    return response


def _headed(context: Context, status: int = 200) -> Response:
    return swappable(make_response(render(context), status), vary="HX-Target")
