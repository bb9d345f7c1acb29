"""The steps of an inference that is not the vocabulary's own rule: what fitted, was dropped or was drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.inference.dropout import MergesWithDropout
from webapp.core.inference.samples import UnigramSamples
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.pages.steps.inference_steps import InferenceStep, drop_steps, piece_steps, sample_steps
from webapp.pages.walkthrough.cells import StepCell, final_cells
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.rendering.pictures.figure import Figure, FigureCell, FigureColumn, table_figure
from webapp.tokenization.inferences import how_it_works, inference_title
from webapp.tokenization.result import Result
from webapp.web.localization import number


@dataclass(frozen=True, kw_only=True)
class InferencePart:
    """The values for `steps/_inference.html`."""

    ended: bool  # whether this is the last step
    cells: Sequence[StepCell]
    title: str  # of the inference
    about: str
    figure: Figure | None = None
    columns: Sequence[FigureColumn] = ()
    rows: Sequence[Sequence[str]] = ()
    chosen: Sequence[int] = ()
    more: int = 0


def walkthrough(result: Result) -> Walkthrough:
    """The steps of the inference of a result.

    Raises NoStepsError for a vocabulary without merges, probabilities or pieces to look up.
    """
    options, model = result.state.inference_options, result.tokenizer.model
    random = Random(options.get("seed", 0))
    if options["inference"] == "dropout" and isinstance(model, BPE | RankBPE | ScoredBPE):
        steps = drop_steps(result, MergesWithDropout(model, options["dropout"]), random)
    elif options["inference"] == "sample" and isinstance(model, Unigram | SentencePieceUnigram):
        steps = sample_steps(result, UnigramSamples(model, options["alpha"]), random)
    elif options["inference"] in ("longest", "fewest"):
        steps = piece_steps(result, fewest=options["inference"] == "fewest")
    else:
        raise NoStepsError(_("This vocabulary has no steps to show."))
    return _InferenceWalkthrough(result, options["inference"], steps)


class _InferenceWalkthrough:
    template = "steps/_inference.html"

    def __init__(self, result: Result, inference: str, steps: Sequence[InferenceStep]) -> None:
        self._result = result
        self._inference = inference
        self._steps = steps
        self.ids: Sequence[int] = result.encoding.ids

    def __len__(self) -> int:
        return len(self._steps) + 1

    def step_of(self, token: int) -> int:
        """The last step that leads to a token or to one before it; samples are drawn from the right."""
        before = [at for at, step in enumerate(self._steps) if step.token <= token]
        if not before:
            return 0
        nearest = max(self._steps[at].token for at in before)
        return max(at for at in before if self._steps[at].token == nearest)

    def sentence(self, step: int) -> str:
        if step < len(self._steps):
            return self._steps[step].sentence
        count = len(self.ids)
        return ngettext("One token.", "%(count)s tokens.", count, count=number(count))

    def part(self, step: int) -> InferencePart:
        title, about = inference_title(self._inference), how_it_works(self._inference)
        if step == len(self._steps):
            return InferencePart(ended=True, cells=final_cells(self._result), title=title, about=about)
        now = self._steps[step]
        return InferencePart(
            ended=False,
            cells=now.cells,
            title=title,
            about=about,
            figure=self.picture(step),
            columns=now.columns,
            rows=[[_as_text(each) for each in row] for row in now.rows],
            chosen=now.chosen,
            more=now.more,
        )

    def picture(self, step: int) -> Figure | None:
        """The possibilities of a step."""
        if step == len(self._steps) or not self._steps[step].rows:
            return None
        return table_figure("inference", "", self._steps[step].columns, self._steps[step].rows)

    def record(self, step: int) -> dict[str, Any]:
        if step == len(self._steps):
            return {"kind": "tokens"}
        return dict(self._steps[step].record)


def _as_text(shown: FigureCell) -> str:
    return shown if isinstance(shown, str) else " ".join(piece.text for piece in shown)
