"""The course's addresses: `/learn` lists the lessons, `/learn/SLUG` is one, its examples edited as the address says."""

from __future__ import annotations

from flask import Blueprint, Response, abort, make_response, render_template, request
from markupsafe import Markup

from webapp.learn.examples import address, show, texts_of
from webapp.learn.lessons import LESSONS, titles
from webapp.localization import current_key

blueprint = Blueprint("learn", __name__)

SLUGS = [lesson.slug for lesson in LESSONS]


@blueprint.get("/learn")
def index() -> str:
    """The lessons in order."""
    return render_template("learn/index.html", lessons=LESSONS, titles=titles())


@blueprint.get("/learn/<slug>")
def lesson(slug: str) -> Response:
    """One lesson; to htmx the one example that was edited."""
    if slug not in SLUGS:
        abort(404)
    place = SLUGS.index(slug)
    chosen = LESSONS[place]
    texts = texts_of(chosen, request.args)
    key = request.headers.get("HX-Target", "").rpartition("#")[2]
    if request.headers.get("HX-Request-Type") == "partial" and key in chosen.by_key:
        shown = show(chosen, chosen.by_key[key], texts)
        status = max((problem.status for problem in shown.problems), default=200)
        response = make_response(render_template("learn/_tokens.html", shown=shown), status)
        response.headers["HX-Replace-Url"] = address(chosen, texts)
    else:
        examples = {example.key: show(chosen, example, texts) for example in chosen.examples}
        status = max((problem.status for one in examples.values() for problem in one.problems), default=200)
        page = render_template(
            "learn/page.html",
            lesson=chosen,
            titles=titles(),
            number_of=place + 1,
            total=len(LESSONS),
            previous=LESSONS[place - 1] if place else None,
            following=LESSONS[place + 1] if place + 1 < len(LESSONS) else None,
            words=f"learn/{current_key()}/{slug}.html",
            example=lambda key: Markup(render_template("learn/_example.html", shown=examples[key])),
        )
        response = make_response(page, status)
    response.vary.add("HX-Request-Type")
    response.headers["Cache-Control"] = "private, no-cache"
    return response
