"""The addresses of training: `/steps/training/ALGORITHM` shows one step of a training."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, abort, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.pages.training.contexts import RoundContext, TrainingPage
from webapp.pages.training.forms import opening_of, read
from webapp.pages.training.request import MOST, MOST_TEXT, TrainingRequest
from webapp.pages.training.trainings import TRAININGS, default_training
from webapp.pages.walkthrough.frames import StepFrame, all_steps_json, wants_json
from webapp.pages.walkthrough.frames import page as answered
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.rendering.source_listing import source_listing
from webapp.serializers.json import well_formed
from webapp.tokenization.forms import InputProblem
from webapp.web.htmx import wants_partial
from webapp.web.localization import number
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


@blueprint.get("/steps/training/<algorithm>")
def page(algorithm: str) -> Response:
    """One step of a training on the corpus of the address."""
    return _answer(algorithm)


@blueprint.post("/steps/training/<algorithm>")
def submit(algorithm: str) -> Response:
    """The form: redirected to its own address if it has no problems."""
    return _answer(algorithm)


def _answer(algorithm: str) -> Response:
    if default_training(algorithm) is None:
        abort(404)
    asked, problems = read(request, algorithm)
    if request.method == "POST" and not problems:
        return redirect(f"{asked.address()}#show", 303)
    if request.method == "GET" and "corpus" not in request.args and "packed" not in request.args:
        asked = replace(TRAININGS[asked.kind].presets[0][1], step=asked.step)
    frame, offers = None, []
    if not problems and asked.corpus.strip():
        try:
            frame = _frame(asked, TRAININGS[asked.kind].walkthrough(asked))
        except NoStepsError as error:
            problems = [InputProblem(error.message, error.status, "size")]
        except _NoSuchStepError as error:
            problems = [InputProblem(str(error), 404, "step")]
            offers = [
                (_("Go to the first step"), asked.address(0)),
                (_("Go to the last step"), asked.address(error.last)),
            ]
    if not offers and any(one.field == "step" for one in problems):
        offers = [(_("Go to the first step"), asked.address(0))]
    if any(one.field == "corpus" for one in problems):
        offers = [(_("Train on its beginning"), asked.with_corpus(opening_of(asked.corpus)).address())]
    if wants_json() and request.method == "GET":
        return _as_json(asked, frame, problems)
    shown = RoundContext(state=asked, frame=frame, problems=problems, offers=offers)
    body = render(shown if wants_partial() else _page_context(asked, shown))
    status = max((one.status for one in problems), default=200)
    return answered(body, status, link=asked.address(frame.step) if frame else "")


def _page_context(asked: TrainingRequest, shown: RoundContext) -> TrainingPage:
    training = TRAININGS[asked.kind]
    return TrainingPage(
        shown=shown,
        asked=asked,
        training=training,
        corpus_label=str(training.corpus_label) % {"most": number(MOST)},
        kinds=_kinds(asked),
        longest_text=MOST_TEXT,
        listing=source_listing(*training.reference),
    )


class _NoSuchStepError(Exception):
    """There is no such step; `last` is the last one."""

    def __init__(self, message: str, last: int) -> None:
        super().__init__(message)
        self.last = last


def _frame(asked: TrainingRequest, show: Walkthrough) -> StepFrame:
    step, last = asked.step or 0, len(show) - 1
    if step > last:
        message = _(
            "There is no step %(step)s: this training has steps 0 to %(last)s.",
            step=number(step),
            last=number(last),
        )
        raise _NoSuchStepError(message, last)
    return StepFrame(show, step, asked.address)


def _kinds(asked: TrainingRequest) -> list[tuple[str, str, str]]:
    """Each kind of training: its id, its title, and the address where it trains on the same corpus."""
    return [
        (kind, str(training.title), replace(training.request, corpus=asked.corpus, text=asked.text).address())
        for kind, training in TRAININGS.items()
    ]


def _as_json(asked: TrainingRequest, frame: StepFrame | None, problems: list[InputProblem]) -> Response:
    if problems:
        return told(max(one.status for one in problems), " ".join(one.message for one in problems))
    if frame is None:
        return told(422, _("There is no corpus to train on."))
    about = {
        "algorithm": asked.algorithm,
        "kind": asked.kind,
        "corpus": well_formed(asked.corpus),
        "size": asked.size,
        "text": well_formed(asked.text),
    }
    return all_steps_json(frame.walkthrough, about)
