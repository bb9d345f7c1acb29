"""N-grams: the words of each sentence with their probabilities, position by position, and the best segmentations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from flask_babel import gettext as _

from webapp.core.models.ngram import NGram
from webapp.core.traces.pretokens import AddedFound
from webapp.pages.walkthrough.engine import Frame, NoStepsError, Walkthrough
from webapp.pages.walkthrough.ngram_end import MAX_BEST, USUAL_BEST, end_json, end_picture, end_sentence, end_values
from webapp.pages.walkthrough.ngram_positions import MOST_CANDIDATES, NGramPositions, table_head
from webapp.pages.walkthrough.preparation import added_sentence, final_cells, pretokens
from webapp.tokenization.result import Result
from webapp.web.localization import number

TEMPLATE = "steps/_ngram.html"


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
    frames: list[Callable[[], Frame]] = []
    made: list[int] = []
    every: list[NGramPositions] = []

    def values() -> Mapping[str, Any]:
        return end_values(every, final_cells(result), int(n))

    at = 0
    for found in pretokens(result):
        if isinstance(found, AddedFound):
            made.append(len(frames))
            record = {"kind": "added", "id": found.token.id}
            frames.append(partial(Frame, TEMPLATE, added_sentence(found), record, values))
            continue
        positions = NGramPositions(model, found.text, at)
        at += len(found.text)
        every.append(positions)
        made += [len(frames) + positions.step_of(end) for end in positions.token_ends]
        frames += [partial(positions.frame, TEMPLATE, step) for step in range(len(positions))]
    if sum(one.candidates for one in every) > MOST_CANDIDATES:
        message = _(
            "The table of this text has more than %(most)s rows with this vocabulary. Shorten the text.",
            most=number(MOST_CANDIDATES),
        )
        raise NoStepsError(message, 413)
    frames.append(
        lambda: Frame(
            TEMPLATE,
            end_sentence(every),
            {"kind": "tokens", **end_json(every, int(n))},
            values,
            lambda: end_picture(every),
        )
    )
    return Walkthrough(
        frames,
        result.encoding.ids,
        made,
        rows=lambda: [table_head(), *(row for one in every for row in one.table())],
    )
