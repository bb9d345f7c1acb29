"""N-grams: the words of each sentence with their probabilities, position by position, and the best segmentations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.ngram import NGram
from webapp.core.traces.pretokens import AddedFound
from webapp.pages.steps.lattice_messages import added_token_sentence
from webapp.pages.walkthrough.cells import final_cells
from webapp.pages.walkthrough.ngram_end import (
    MAX_BEST,
    MOST_DRAWN,
    USUAL_BEST,
    NGramEndPart,
    end_json,
    end_part,
    end_sentence,
)
from webapp.pages.walkthrough.ngram_positions import (
    MOST_CANDIDATES,
    NGramPositionPart,
    NGramPositions,
    table_head,
)
from webapp.pages.walkthrough.preparation import pretokens
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.rendering.pictures.figure import Figure, side_by_side
from webapp.tokenization.result import Result
from webapp.web.localization import number


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of an n-gram model on the sentences of a result.

    Raises NoStepsError for an invalid `n`, and for a text whose table is too large.
    """
    model = result.tokenizer.model
    if not isinstance(model, NGram):
        raise NoStepsError(_("This vocabulary has no steps to show."), instead=True)
    n = options.get("n", "") or str(USUAL_BEST)
    if not (n.isascii() and n.isdecimal() and len(n) < 4 and 1 <= int(n) <= MAX_BEST):
        raise NoStepsError(_("The number of best segmentations must be from 1 to %(most)s.", most=MAX_BEST))
    return _NGramWalkthrough(result, model, int(n))


class _NGramWalkthrough:
    template = "steps/_ngram.html"

    def __init__(self, result: Result, model: NGram, n: int) -> None:
        self._result = result
        self._n = n
        self.ids: Sequence[int] = result.encoding.ids
        self._parts: list[NGramPositions | AddedFound] = []
        at = 0
        for found in pretokens(result):
            if isinstance(found, AddedFound):
                self._parts.append(found)
            else:
                self._parts.append(NGramPositions(model, found.text, at))
                at += len(found.text)
        if sum(one.candidates for one in self._positions) > MOST_CANDIDATES:
            message = _(
                "The table of this text has more than %(most)s rows with this vocabulary. Shorten the text.",
                most=number(MOST_CANDIDATES),
            )
            raise NoStepsError(message, 413)
        self._steps = [
            (place, step)
            for place, one in enumerate(self._parts)
            for step in range(1 if isinstance(one, AddedFound) else len(one))
        ]

    @property
    def _positions(self) -> list[NGramPositions]:
        return [one for one in self._parts if isinstance(one, NGramPositions)]

    def __len__(self) -> int:
        return len(self._steps) + 1

    def step_of(self, token: int) -> int:
        """The step of the position where the token ends."""
        left = token
        for place, one in enumerate(self._parts):
            ends = [0] if isinstance(one, AddedFound) else one.token_ends
            if left < len(ends):
                step = 0 if isinstance(one, AddedFound) else one.step_of(ends[left])
                return self._steps.index((place, step)) if (place, step) in self._steps else len(self._steps)
            left -= len(ends)
        return len(self._steps)

    def sentence(self, step: int) -> str:
        if step == len(self._steps):
            return end_sentence(self._positions)
        place, at = self._steps[step]
        part = self._parts[place]
        return added_token_sentence(part) if isinstance(part, AddedFound) else part.sentence(at)

    def part(self, step: int) -> NGramPositionPart | NGramEndPart | None:
        if step < len(self._steps):
            place, at = self._steps[step]
            part = self._parts[place]
            if isinstance(part, NGramPositions):
                return part.part(at)
        return end_part(self._positions, final_cells(self._result), self._n)

    def picture(self, step: int) -> Figure | None:
        """The words and their probabilities; at the end of all sentences."""
        if step == len(self._steps):
            drawings = [drawing for one in self._positions for drawing in one.final_drawings(MOST_DRAWN)]
            return side_by_side([drawing.figure for drawing in drawings], width=1600) if drawings else None
        place, at = self._steps[step]
        part = self._parts[place]
        return part.drawing(at).figure if isinstance(part, NGramPositions) else None

    def record(self, step: int) -> dict[str, Any]:
        if step == len(self._steps):
            return {"kind": "tokens", **end_json(self._positions, self._n)}
        place, at = self._steps[step]
        part = self._parts[place]
        if isinstance(part, AddedFound):
            return {"kind": "added", "id": part.token.id}
        return part.record(at)

    def table(self) -> list[list[object]]:
        """All candidates of all positions, with a row of headings."""
        return [table_head(), *(row for one in self._positions for row in one.table())]
