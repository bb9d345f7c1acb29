"""The addresses of training: `/steps/training/ALGORITHM` shows one step, `…/rounds` a table of all of them."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from flask import Blueprint, abort, redirect, request, url_for
from flask import Response as FlaskResponse
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.pages.training.forms import read
from webapp.pages.training.ngrams import first_steps
from webapp.pages.training.request import View
from webapp.pages.training.trainings import TRAININGS, default_training
from webapp.pages.training.views import TrainingAttempt, attempt, page_context, shown_step
from webapp.pages.walkthrough.engine import (
    ShownStep,
    all_steps_json,
    download,
    picture_file,
    wanted_picture,
    wants_json,
)
from webapp.pages.walkthrough.engine import page as answered
from webapp.rendering.delimited import as_csv
from webapp.serializers.json import well_formed
from webapp.web.htmx import private, wants_partial
from webapp.web.problems import problem as told
from webapp.web.templates import render

blueprint = Blueprint("training", __name__)


@blueprint.app_template_global()
def training_links() -> list[tuple[str, str]]:
    """The title and address of each kind of training, for pages that list them."""
    return [(str(training.title), training.request.link()) for training in TRAININGS.values()]


@blueprint.get("/steps/training")
def index() -> Response:
    """Redirect to the first kind of training."""
    return redirect(url_for("training.page", algorithm=next(iter(TRAININGS.values())).algorithm))


@blueprint.route("/steps/training/bigrams", methods=["GET", "POST"], defaults={"view": "page"})
@blueprint.route("/steps/training/bigrams/rounds", methods=["GET", "POST"], defaults={"view": "rounds"})
def bigrams(view: View) -> Response:
    """Redirect the addresses of word bigrams, whose steps began with the complete counts, to those of n-grams."""
    asked, _problems = read(request, "ngram")
    if not ("corpus" in request.args or "packed" in request.args):
        asked = replace(TRAININGS["ngram"].presets[0][1], step=asked.step)
    query = request.args.copy()
    if asked.step is not None:
        query["step"] = str(asked.step + first_steps(asked) - 1)
    address = url_for(f"training.{view}", algorithm="ngram")
    return redirect(f"{address}?{urlencode(list(query.items(multi=True)))}" if query else address, 308)


@blueprint.get("/steps/training/<algorithm>")
def page(algorithm: str) -> Response:
    """One step of a training on the corpus of the address."""
    return _answer(algorithm, "page")


@blueprint.post("/steps/training/<algorithm>")
def submit(algorithm: str) -> Response:
    """The form: redirected to its own address if it has no problems."""
    return _answer(algorithm, "page")


@blueprint.get("/steps/training/<algorithm>/rounds")
def rounds(algorithm: str) -> Response:
    """All rounds of a training as a table: a page, CSV, tab-separated text, or all steps as JSON."""
    return _answer(algorithm, "rounds")


@blueprint.post("/steps/training/<algorithm>/rounds")
def submit_rounds(algorithm: str) -> Response:
    """The form of that page."""
    return _answer(algorithm, "rounds")


def _answer(algorithm: str, view: View) -> Response:
    if default_training(algorithm) is None:
        abort(404)
    asked, problems = read(request, algorithm)
    if request.method == "POST" and not problems:
        return redirect(f"{asked.address(view=view)}#show", 303)
    if request.method == "GET" and "corpus" not in request.args and "packed" not in request.args:
        preset = TRAININGS[asked.kind].presets[0][1]
        asked = replace(preset, step=asked.step, order=asked.order, smoothing=asked.smoothing)
    training = attempt(asked, problems, view)
    if wants_json() and request.method == "GET":
        return _as_json(training)
    if view == "rounds":
        return _rounds(training)
    frame = ShownStep(training.walkthrough, asked.step or 0, asked.address) if training.walkthrough else None
    if frame and (kind := wanted_picture()) and (figure := frame.picture):
        return picture_file(figure, kind, f"training-{asked.kind}-step-{frame.step}")
    shown = shown_step(training, frame)
    body = render(shown if wants_partial() else page_context(training, shown, view))
    return answered(body, training.status, link=asked.address(frame.step) if frame else "")


def _rounds(training: TrainingAttempt) -> Response:
    """The table of all rounds in the requested format."""
    table = training.walkthrough.all_rounds() if training.walkthrough else None
    form = request.args.get("format")
    if table and form == "csv":
        return download(as_csv(table.lines()), "text/csv", f"rounds-{training.asked.kind}.csv")
    if table and form == "tsv":
        return private(FlaskResponse(table.tsv, mimetype="text/plain"))
    if table and (kind := wanted_picture()):
        return picture_file(table.figure, kind, f"rounds-{training.asked.kind}")
    return answered(render(page_context(training, shown_step(training, None), "rounds", table)), training.status)


def _as_json(training: TrainingAttempt) -> Response:
    asked, problems = training.asked, training.problems
    if problems:
        return told(training.status, " ".join(one.message for one in problems))
    if training.walkthrough is None:
        return told(422, _("There is no corpus to train on."))
    about = {
        "algorithm": asked.algorithm,
        "kind": asked.kind,
        "corpus": well_formed(asked.corpus),
        "counts": {well_formed(word): count for word, count in asked.counted.counts.items()} if asked.counted else None,
        "size": asked.size,
        "text": well_formed(asked.text_to_encode),
    }
    return all_steps_json(training.walkthrough, about)
