"""Trains as an address asks, or says why that is impossible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flask_babel import gettext as _

from webapp.pages.training.forms import opening_of
from webapp.pages.training.request import TrainingRequest, View
from webapp.pages.training.rounds_table import TrainingWalkthrough
from webapp.pages.training.trainings import TRAININGS
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.tokenization.forms import InputProblem
from webapp.web.localization import number


@dataclass(frozen=True)
class TrainingAttempt:
    """A request that was carried out: its steps, or its problems with the links that solve them."""

    asked: TrainingRequest
    walkthrough: TrainingWalkthrough | None = None
    problems: Sequence[InputProblem] = ()
    offers: Sequence[tuple[str, str]] = ()

    @property
    def status(self) -> int:
        """The HTTP status of the page."""
        return max((one.status for one in self.problems), default=200)


def attempt(asked: TrainingRequest, problems: Sequence[InputProblem], view: View) -> TrainingAttempt:
    """The training, unless the request has problems."""
    walkthrough, offers = None, []
    if not problems and asked.corpus.strip():
        try:
            walkthrough = TRAININGS[asked.kind].walkthrough(asked)
            if view == "page":
                _check_step(asked, walkthrough)
        except NoStepsError as error:
            problems = [InputProblem(error.message, error.status, "size")]
        except _NoSuchStepError as error:
            problems = [InputProblem(str(error), 404, "step")]
            offers = [
                (_("Go to the first step"), asked.address(0)),
                (_("Go to the last step"), asked.address(error.last)),
            ]
    fields = {one.field for one in problems}
    if not offers and "step" in fields:
        offers = [(_("Go to the first step"), asked.address(0))]
    if "corpus" in fields:
        offers = [(_("Train on its beginning"), asked.with_corpus(opening_of(asked.corpus)).address(view=view))]
    if "counts" in fields:
        offers = [(_("Read it as plain text"), replace(asked, as_text=True, step=None).address(view=view))]
    return TrainingAttempt(asked, None if problems else walkthrough, problems, offers)


class _NoSuchStepError(Exception):
    """There is no such step; `last` is the last one."""

    def __init__(self, message: str, last: int) -> None:
        super().__init__(message)
        self.last = last


def _check_step(asked: TrainingRequest, show: Walkthrough) -> None:
    """Raise _NoSuchStepError if the walkthrough does not have the requested step."""
    step, last = asked.step or 0, len(show) - 1
    if step > last:
        message = _(
            "There is no step %(step)s: this training has steps 0 to %(last)s.",
            step=number(step),
            last=number(last),
        )
        raise _NoSuchStepError(message, last)
