"""The addresses of training: `/steps/training/ALGORITHM` shows one step, `…/rounds` a table of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask import Blueprint, abort, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.pages.training.forms import opening_of, read
from webapp.pages.training.request import MOST, MOST_TEXT, TrainingRequest, View
from webapp.pages.training.tables import Table, TrainingWalkthrough
from webapp.pages.training.trainings import TRAININGS, Training, default_training
from webapp.pages.walkthrough.cells import quotable
from webapp.pages.walkthrough.engine import (
    NoStepsError,
    ShownStep,
    WalkthroughContext,
    all_steps_json,
    download,
    picture_file,
    wanted_picture,
    wants_json,
)
from webapp.pages.walkthrough.engine import page as answered
from webapp.rendering.delimited import as_csv
from webapp.rendering.markup import visible
from webapp.rendering.source_listing import SourceListing, source_listing
from webapp.tokenization.forms import InputProblem
from webapp.web.htmx import wants_partial
from webapp.web.json_responses import well_formed
from webapp.web.localization import join_list, number
from webapp.web.problems import problem
from webapp.web.templates import Page, render

FIRST_WORDS = 12  # of the corpus, that a sentence lists

blueprint = Blueprint("training", __name__)


@dataclass(frozen=True, kw_only=True)
class RoundContext(WalkthroughContext):
    """One step of a training, for htmx."""

    chosen_templates = ("training/_ngrams.html", "training/_sections.html")

    state: TrainingRequest  # its text decides the direction of a row of cells
    sampled: bool  # whether the text to encode is taken from the corpus


@dataclass(frozen=True, kw_only=True)
class TrainingPage(Page):
    """The form, and a step or all rounds; or why there is none."""

    template = "training/page.html"

    shown: RoundContext
    asked: TrainingRequest
    training: Training  # the kind of training that is shown
    trainings: Sequence[Training]
    limits: tuple[int, int]  # characters of the corpus and of the text to tokenize
    size: int | None  # what the form shows; None if it depends on a corpus and there is none
    listing: SourceListing  # the reference trainer
    listed: str  # the words of the corpus with their counts, if it was read as a list of them
    is_list: bool  # whether it could be read as one
    corpus_line: str  # the corpus as one line; empty if `listed` says what it is
    view: View
    table: Table | None  # of all rounds; None for a step, with problems, or without a corpus


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
    """Redirect the addresses of word bigrams to those of n-grams, which count sentence by sentence first."""
    query = request.query_string.decode()
    return redirect(f"{url_for(f'training.{view}', algorithm='ngram')}{'?' if query else ''}{query}", 308)


@blueprint.route("/steps/training/<algorithm>", methods=["GET", "POST"], defaults={"view": "page"}, endpoint="page")
@blueprint.route(
    "/steps/training/<algorithm>/rounds", methods=["GET", "POST"], defaults={"view": "rounds"}, endpoint="rounds"
)
def training(algorithm: str, view: View) -> Response:
    """One step of a training, or all its rounds as a table; a form is redirected to its own address."""
    if default_training(algorithm) is None:
        abort(404)
    asked, problems = read(request, algorithm)
    if request.method == "POST" and not problems:
        return redirect(f"{asked.address(view=view)}#show", 303)
    if request.method == "GET" and "corpus" not in request.args and "packed" not in request.args:
        preset = TRAININGS[asked.kind].presets[0][1]
        asked = replace(preset, step=asked.step, order=asked.order, smoothing=asked.smoothing)
    walkthrough = None
    if not problems and asked.corpus.strip():
        try:
            walkthrough = TRAININGS[asked.kind].walkthrough(asked)
        except NoStepsError as error:
            problems = [InputProblem(error.message, error.status, "size")]
    if walkthrough and view == "page" and (asked.step or 0) >= len(walkthrough):
        values = {"step": number(asked.step or 0), "last": number(len(walkthrough) - 1)}
        message = _("There is no step %(step)s: this training has steps 0 to %(last)s.", **values)
        problems = [InputProblem(message, 404, "step")]
    if wants_json() and request.method == "GET":
        return _as_json(asked, walkthrough, problems)
    if view == "rounds":
        return _rounds(asked, walkthrough, problems)
    return _step(asked, walkthrough, problems)


def _step(asked: TrainingRequest, walkthrough: TrainingWalkthrough | None, problems: list[InputProblem]) -> Response:
    step, frame = asked.step or 0, None
    if walkthrough and not problems:
        frame = ShownStep(walkthrough, step, asked.address)
        if (kind := wanted_picture()) and frame.picture:
            return picture_file(frame.picture, kind, f"training-{asked.kind}-step-{step}")
    page = _page(asked, walkthrough, problems, frame=frame)
    body = render(page.shown if wants_partial() else page)
    return answered(body, _status(problems), link=asked.address(step) if frame else "")


def _rounds(asked: TrainingRequest, walkthrough: TrainingWalkthrough | None, problems: list[InputProblem]) -> Response:
    table = walkthrough.all_rounds() if walkthrough else None
    if table and request.args.get("format") == "csv":
        return download(as_csv(table.lines()), "text/csv", f"rounds-{asked.kind}.csv")
    if table and (kind := wanted_picture()) and table.figure:
        return picture_file(table.figure, kind, f"rounds-{asked.kind}")
    return answered(render(_page(asked, walkthrough, problems, "rounds", table=table)), _status(problems))


def _status(problems: Sequence[InputProblem]) -> int:
    return max((one.status for one in problems), default=200)


def _page(
    asked: TrainingRequest,
    walkthrough: TrainingWalkthrough | None,
    problems: Sequence[InputProblem],
    view: View = "page",
    *,
    frame: ShownStep | None = None,
    table: Table | None = None,
) -> TrainingPage:
    kind = TRAININGS[asked.kind]
    wrong = {one.field for one in problems}
    offers = []
    if "step" in wrong:
        offers = [(_("Go to the first step"), asked.address(0))]
        offers += [(_("Go to the last step"), asked.address(len(walkthrough) - 1))] if walkthrough else []
    if "corpus" in wrong:
        beginning = replace(asked, corpus=opening_of(asked.corpus), step=None)
        offers = [(_("Train on its beginning"), beginning.address(view=view))]
    sizes = (asked.size, walkthrough.size if walkthrough else None, kind.usual_size)
    listed = [f"{quotable(word)} × {number(count)}" for word, count in (asked.counted or {}).items()]
    return TrainingPage(
        shown=RoundContext(
            state=replace(asked, text=asked.text_to_encode),
            sampled=asked.text_to_encode != asked.text,
            frame=frame,
            problems=problems,
            offers=offers,
        ),
        asked=asked,
        training=kind,
        trainings=list(TRAININGS.values()),
        limits=(MOST, MOST_TEXT),
        size=next((size for size in sizes if size is not None), None),
        listing=source_listing(*kind.reference),
        listed=join_list(listed[:FIRST_WORDS]) + ("…" if len(listed) > FIRST_WORDS else ""),
        is_list=replace(asked, as_text=False).counted is not None,
        corpus_line="" if listed else visible(" ".join(asked.corpus.split())),
        view=view,
        table=table,
    )


def _as_json(asked: TrainingRequest, walkthrough: TrainingWalkthrough | None, problems: list[InputProblem]) -> Response:
    if problems:
        return problem(_status(problems), " ".join(one.message for one in problems))
    if walkthrough is None:
        return problem(422, _("There is no corpus to train on."))
    about = {
        "algorithm": asked.algorithm,
        "kind": asked.kind,
        "corpus": well_formed(asked.corpus),
        "counts": {well_formed(word): count for word, count in asked.counted.items()} if asked.counted else None,
        "size": asked.size,
        "text": well_formed(asked.text_to_encode),
    }
    return all_steps_json(walkthrough, about)
