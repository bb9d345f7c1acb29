"""The addresses of the course: `/learn` lists the lessons, `/learn/SLUG` is one lesson.

The texts of edited examples are in the address. They are sent as a form, because a text box holds more than an address,
and redirected to their own address if it is short enough.
"""

from __future__ import annotations

from collections.abc import Mapping

from flask import Blueprint, abort, make_response, redirect, request
from markupsafe import Markup
from werkzeug.wrappers import Response

from webapp.pages.learn.contexts import CoursePage, ExampleContext, ExampleTokensContext, LessonPage
from webapp.pages.learn.examples import ShownExample, address, link, shown_example, texts_of
from webapp.pages.learn.lessons import LESSONS, Lesson
from webapp.rendering.source_listing import source_listing
from webapp.web.htmx import swappable, wants_partial
from webapp.web.localization import current_key
from webapp.web.templates import render

blueprint = Blueprint("learn", __name__)

SLUGS = [lesson.slug for lesson in LESSONS]


@blueprint.get("/learn")
def index() -> Response:
    """The list of lessons."""
    return _headed(render(CoursePage(lessons=LESSONS)))


@blueprint.get("/learn/<slug>")
def lesson(slug: str) -> Response:
    """One lesson, with the example texts of the address."""
    return _answer(slug)


@blueprint.post("/learn/<slug>")
def submit(slug: str) -> Response:
    """An edited example: redirected to its own address, or for htmx the example alone."""
    return _answer(slug)


def _answer(slug: str) -> Response:
    if slug not in SLUGS:
        abort(404)
    lesson = LESSONS[SLUGS.index(slug)]
    texts = texts_of(lesson, request.form if request.method == "POST" else request.args)
    key = request.headers.get("HX-Target", "").rpartition("#")[2]
    if wants_partial() and key in lesson.by_key:
        shown = shown_example(lesson, lesson.by_key[key], texts)
        response = _headed(render(ExampleTokensContext(shown=shown)), shown.status)
        response.headers["HX-Replace-Url"] = link(lesson, texts) or address(lesson)
        return response
    examples = {example.key: shown_example(lesson, example, texts) for example in lesson.examples}
    status = max(shown.status for shown in examples.values())
    here = link(lesson, texts)
    if request.method == "POST" and status == 200 and here:
        return redirect(here, 303)
    return _headed(_page(lesson, examples), status)


def _page(lesson: Lesson, examples: Mapping[str, ShownExample]) -> str:
    place = LESSONS.index(lesson)
    context = LessonPage(
        lesson=lesson,
        number_of=place + 1,
        total=len(LESSONS),
        previous=LESSONS[place - 1] if place else None,
        following=LESSONS[place + 1] if place + 1 < len(LESSONS) else None,
        listing=source_listing(*lesson.reference) if lesson.reference else None,
        prose=f"learn/{current_key()}/{lesson.slug}.html",
        example=lambda key: Markup(render(ExampleContext(shown=examples[key]))),
    )
    return render(context)


def _headed(body: str, status: int = 200) -> Response:
    return swappable(make_response(body, status), vary="HX-Target")
