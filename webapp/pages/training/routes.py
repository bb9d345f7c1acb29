"""The addresses of training: `/steps/training/ALGORITHM` shows one step, `…/rounds` a table of all of them."""

from collections.abc import Sequence
from dataclasses import replace

from flask import Blueprint, abort, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.pages.training.request import MOST, MOST_TEXT, TrainingRequest, View
from webapp.pages.training.tables import Table, TrainingWalkthrough
from webapp.pages.training.trainings import MERGES, TRAININGS, Training, default_training, opening_of, read
from webapp.pages.walkthrough import engine
from webapp.pages.walkthrough.cells import quotable
from webapp.rendering.delimited import as_csv
from webapp.rendering.markup import visible
from webapp.rendering.source_listing import SourceListing, source_listing
from webapp.tokenization.forms import InputProblem
from webapp.web.htmx import wants_partial
from webapp.web.json_responses import well_formed
from webapp.web.localization import join_list, number
from webapp.web.problems import problem as problem_response
from webapp.web.security import framed
from webapp.web.templates import Page, render

FIRST_WORDS = 12  # of the corpus, that a sentence lists

blueprint = Blueprint("training", __name__)


class RoundContext(engine.WalkthroughContext):
    """One step of a training, for htmx."""

    state: TrainingRequest  # its text decides the direction of a row of cells
    sampled: bool  # whether the text to encode is taken from the corpus


class TrainingPage(Page):
    """The form, and a step or all rounds; or why there is none."""

    template = "training/page.html"

    shown: RoundContext
    wanted: TrainingRequest
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
    wanted, problems = read(request, algorithm)
    if request.method == "POST" and not problems:
        return redirect(f"{wanted.address(view=view)}#show", 303)
    if request.method == "GET" and "corpus" not in request.args and "packed" not in request.args:
        preset = TRAININGS[wanted.kind].presets[0][1]
        wanted = replace(preset, step=wanted.step, order=wanted.order, smoothing=wanted.smoothing, ties=wanted.ties)
    walkthrough = None
    if not problems and wanted.corpus.strip():
        try:
            walkthrough = TRAININGS[wanted.kind].walkthrough(wanted)
        except InputProblem as problem:
            problems = [problem]
    if walkthrough and view == "page" and (wanted.step or 0) >= len(walkthrough):
        values = {"step": number(wanted.step or 0), "last": number(len(walkthrough) - 1)}
        message = _("There is no step %(step)s: this training has steps 0 to %(last)s.", **values)
        problems = [InputProblem(message, 404, "step")]
    if engine.wants_json() and request.method == "GET":
        return _as_json(wanted, walkthrough, problems)
    if view == "rounds":
        return _rounds(wanted, walkthrough, problems)
    return _step(wanted, walkthrough, problems)


@blueprint.get("/steps/training/<algorithm>/embed")
@framed
def embed(algorithm: str) -> Response:
    """Show the steps alone, in a frame of another site."""
    return training(algorithm, "page")


def _step(wanted: TrainingRequest, walkthrough: TrainingWalkthrough | None, problems: list[InputProblem]) -> Response:
    step, frame = wanted.step or 0, None
    if walkthrough and not problems:
        frame = engine.ShownStep(walkthrough, step, wanted.address)
        if (kind := engine.wanted_picture()) and frame.picture:
            return engine.picture_file(frame.picture, kind, f"training-{wanted.kind}-step-{step}")
    page = _page(wanted, walkthrough, problems, frame=frame)
    body = render(page.shown if wants_partial() else page)
    return engine.page(body, _status(problems), link=wanted.address(step) if frame else "")


def _rounds(wanted: TrainingRequest, walkthrough: TrainingWalkthrough | None, problems: list[InputProblem]) -> Response:
    table = walkthrough.all_rounds() if walkthrough else None
    if table and request.args.get("format") == "csv":
        return engine.download(as_csv(table.lines()), "text/csv", f"rounds-{wanted.kind}.csv")
    if table and (kind := engine.wanted_picture()) and table.figure:
        return engine.picture_file(table.figure, kind, f"rounds-{wanted.kind}")
    return engine.page(render(_page(wanted, walkthrough, problems, "rounds", table=table)), _status(problems))


def _status(problems: Sequence[InputProblem]) -> int:
    return max((one.status for one in problems), default=200)


def _page(
    wanted: TrainingRequest,
    walkthrough: TrainingWalkthrough | None,
    problems: Sequence[InputProblem],
    view: View = "page",
    *,
    frame: engine.ShownStep | None = None,
    table: Table | None = None,
) -> TrainingPage:
    kind = TRAININGS[wanted.kind]
    wrong = {one.field for one in problems}
    offers = []
    if "step" in wrong:
        offers = [(_("Go to the first step"), wanted.address(0))]
        offers += [(_("Go to the last step"), wanted.address(len(walkthrough) - 1))] if walkthrough else []
    if "corpus" in wrong:
        beginning = replace(wanted, corpus=opening_of(wanted.corpus), step=None)
        offers = [(_("Train on its beginning"), beginning.address(view=view))]
    sizes = (wanted.size, walkthrough.size if walkthrough else None, wanted.merges if kind.size is MERGES else None)
    listed = [f"{quotable(word)} × {number(count)}" for word, count in (wanted.counted or {}).items()]
    return TrainingPage(
        shown=RoundContext(
            state=replace(wanted, text=wanted.text_to_encode),
            sampled=wanted.text_to_encode != wanted.text,
            frame=frame,
            problems=problems,
            offers=offers,
        ),
        wanted=wanted,
        training=kind,
        trainings=list(TRAININGS.values()),
        limits=(MOST, MOST_TEXT),
        size=next((size for size in sizes if size is not None), None),
        listing=source_listing(*(kind.reference[1:] if wanted.mark == "none" else kind.reference)),
        listed=join_list(listed[:FIRST_WORDS]) + ("…" if len(listed) > FIRST_WORDS else ""),
        is_list=replace(wanted, as_text=False).counted is not None,
        corpus_line="" if listed else visible(" ".join(wanted.corpus.split())),
        view=view,
        table=table,
    )


def _as_json(
    wanted: TrainingRequest, walkthrough: TrainingWalkthrough | None, problems: list[InputProblem]
) -> Response:
    if problems:
        return problem_response(_status(problems), " ".join(one.message for one in problems))
    if walkthrough is None:
        return problem_response(422, _("There is no corpus to train on."))
    about = {
        "algorithm": wanted.algorithm,
        "kind": wanted.kind,
        "corpus": well_formed(wanted.corpus),
        "counts": {well_formed(word): count for word, count in wanted.counted.items()} if wanted.counted else None,
        "size": wanted.size,
        "text": well_formed(wanted.text_to_encode),
    }
    return engine.all_steps_json(walkthrough, about)
