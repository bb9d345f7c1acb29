"""The addresses of training: `/steps/training/ALGORITHM` shows one round of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flask import Blueprint, abort, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp.pages.training import merges, unigram
from webapp.pages.training.bigrams import BigramWalkthrough
from webapp.pages.training.contexts import RoundContext, TrainingPage
from webapp.pages.training.forms import ALGORITHMS, MOST, MOST_TEXT, TrainingRequest, bounds, opening_of, read
from webapp.pages.training.presets import presets, usual
from webapp.pages.walkthrough.frames import StepFrame, all_steps_json, wants_json
from webapp.pages.walkthrough.frames import page as answered
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.pages.walkthrough.whole_algorithm import TRAINING
from webapp.serializers.json import well_formed
from webapp.tokenization.forms import InputProblem
from webapp.web.htmx import wants_partial
from webapp.web.localization import number
from webapp.web.problems import problem as told
from webapp.web.templates import render

blueprint = Blueprint("training", __name__)


@blueprint.get("/steps/training")
def index() -> Response:
    """The first of them."""
    return redirect(url_for("training.page", algorithm=ALGORITHMS[0]))


@blueprint.get("/steps/training/<algorithm>")
def page(algorithm: str) -> Response:
    """One step of a training on the corpus of the address."""
    return _answer(algorithm)


@blueprint.post("/steps/training/<algorithm>")
def submit(algorithm: str) -> Response:
    """The form: sent on to its own address, where it has one."""
    return _answer(algorithm)


def _answer(algorithm: str) -> Response:
    if algorithm not in ALGORITHMS:
        abort(404)
    asked, problems = read(request, algorithm)
    if request.method == "POST" and not problems:
        return redirect(f"{asked.address()}#show", 303)
    if request.method == "GET" and "corpus" not in request.args and "packed" not in request.args:
        asked = replace(usual(asked.kind), step=asked.step)
    frame, offers = None, []
    if not problems and asked.corpus.strip():
        try:
            frame = _frame(asked, _show(asked))
        except NoStepsError as error:
            problems = [InputProblem(error.message, error.status, "size")]
        except _NoSuchStepError as error:
            problems = [InputProblem(str(error), 404, "step")]
            offers = [(_("To the first step"), asked.address(0)), (_("To the last step"), asked.address(error.last))]
    if not offers and any(one.field == "step" for one in problems):
        offers = [(_("To the first step"), asked.address(0))]
    if any(one.field == "corpus" for one in problems):
        offers = [(_("Train on its beginning"), asked.with_corpus(opening_of(asked.corpus)).address())]
    if wants_json() and request.method == "GET":
        return _twin(asked, frame, problems)
    shown = RoundContext(state=asked, frame=frame, problems=problems, offers=offers)
    body = render(shown if wants_partial() else _page_context(asked, shown))
    status = max((one.status for one in problems), default=200)
    return answered(body, status, link=asked.address(frame.step) if frame else "")


def _page_context(asked: TrainingRequest, shown: RoundContext) -> TrainingPage:
    least, most = bounds(asked)
    return TrainingPage(
        shown=shown,
        asked=asked,
        kinds=_kinds(asked),
        presets=presets(asked.kind),
        longest=MOST,
        longest_text=MOST_TEXT,
        least=least,
        most=most,
        titles=_titles(),
        listing=TRAINING[asked.kind],
    )


def _show(asked: TrainingRequest) -> Walkthrough:
    if asked.kind == "bigrams":
        return BigramWalkthrough(asked)
    show: Walkthrough = unigram.walkthrough(asked) if asked.kind == "unigram" else merges.walkthrough(asked)
    return show


class _NoSuchStepError(Exception):
    """A step that there is not; `last` is the last one."""

    def __init__(self, message: str, last: int) -> None:
        super().__init__(message)
        self.last = last


def _frame(asked: TrainingRequest, show: Walkthrough) -> StepFrame:
    step, last = asked.step or 0, len(show) - 1
    if step > last:
        message = _(
            "There is no step %(step)s: this training has the steps 0 to %(last)s.",
            step=number(step),
            last=number(last),
        )
        raise _NoSuchStepError(message, last)
    return StepFrame(show, step, asked.address)


def _titles() -> Mapping[str, str]:
    return {
        "bpe": _("BPE over characters"),
        "bpe-bytes": _("BPE over bytes"),
        "wordpiece": _("WordPiece"),
        "unigram": _("Unigram"),
        "bigrams": _("Word bigrams"),
    }


def _kinds(asked: TrainingRequest) -> list[tuple[str, str, str]]:
    """The ways to learn: kind, title, and the address where it learns from the same corpus."""
    ways = [("bpe", ""), ("bpe", "bytes"), ("wordpiece", ""), ("unigram", ""), ("bigrams", "")]
    others = [
        TrainingRequest(algorithm, symbols=symbols, corpus=asked.corpus, text=asked.text) for algorithm, symbols in ways
    ]
    return [(other.kind, _titles()[other.kind], other.address()) for other in others]


def _twin(asked: TrainingRequest, frame: StepFrame | None, problems: list[InputProblem]) -> Response:
    if problems:
        return told(max(one.status for one in problems), " ".join(one.message for one in problems))
    if frame is None:
        return told(422, _("There is no corpus to learn from."))
    about = {
        "algorithm": asked.algorithm,
        "kind": asked.kind,
        "corpus": well_formed(asked.corpus),
        "size": asked.size,
        "text": well_formed(asked.text),
    }
    return all_steps_json(frame.walkthrough, about)
