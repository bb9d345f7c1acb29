"""`/steps/race`: two to four tokenizers on one text, step in step, also for a projector.

Without `with` and `text` in the address, the page has an example in the language of the reader.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import regex
import segno
from flask import Blueprint, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response

from webapp.core.traces.lattice import path_back
from webapp.pages.steps import lattice, merging
from webapp.pages.steps.requests import StepsRequest, walkthrough_of
from webapp.pages.walkthrough import engine
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.tokenization.comparison import state as reading
from webapp.tokenization.comparison.state import Comparison, TokenizerChoice
from webapp.tokenization.comparison.views import ComparisonPicker
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.web.htmx import wants_partial
from webapp.web.localization import current_key, number
from webapp.web.templates import Page, render

MOST_LANES = 4
MOST = 80
"""Characters of a text: one line of a projector, and an address that a phone can read from its QR code."""
WORDS = ("结婚的和尚未结婚的", ("fmm:jieba", "bmm:jieba", "max-probability:jieba", "bpe:o200k_base"))
SUBWORDS = ("unbelievable tokenizers", ("bpe:o200k_base", "bpe:qwen3", "wordpiece:bert-base-cased", "unigram:t5"))

blueprint = Blueprint("race", __name__)


@dataclass(frozen=True)
class Lane:
    """A tokenizer with its steps. Step 0 is the text character by character, the last one decides the last token."""

    title: str
    address: str  # of its own steps
    result: Result
    walkthrough: engine.Walkthrough

    @property
    def last(self) -> int:
        """The number of its last step, without the frame that shows the result again."""
        return len(self.walkthrough.frames) - 1

    def at(self, step: int) -> dict[str, Any]:
        """What the template draws of a step; a lane that is done waits for the others."""
        frame = self.walkthrough.frames[step - 1]() if 0 < step <= self.last else None
        cells = (self._unfinished(frame) if frame else []) or self._decided(step)
        said = engine.emphasized(frame.sentence) if frame else ""
        names = regex.sub(r": \w+$", "", self.title).split(" · ")  # GPT-4o, without its encoding
        words = self.result.state.finds_words
        unknown = 0 if words else len(self.result.encoding.unknown)
        shown = {"names": names, "address": self.address, "cells": cells, "said": said, "done": step >= self.last}
        return shown | {"words": words, "unknown": unknown, "wins": False}

    def _decided(self, step: int) -> list[StepCell]:
        """The tokens that are decided after a step, and the characters of all others."""
        encoding, made = self.result.encoding, self.walkthrough.made
        cells, reached = [], 0
        for at, (start, end) in enumerate(zip(encoding.starts, encoding.ends, strict=True)):
            if step >= self.last or made[at] < step:
                cells.append(cell(encoding.piece(at), "done"))
            else:
                cells += _characters(encoding.text[max(start, reached) : end])
            reached = end
        return cells

    def _unfinished(self, frame: engine.Frame) -> list[StepCell]:
        """The text while the symbols of a word merge or a lattice is filled; empty for other algorithms."""
        part = frame.values() if frame.template in (merging.TEMPLATE, lattice.TEMPLATE) else {}
        now = [arc.text for arc in path_back(part.get("columns", ()))[::-1]]
        now = now or [node.piece for node in part.get("after") or part.get("symbols", ())]
        cells: list[StepCell] = []
        for one in part["row"] if now else ():
            if one.kinds == "word now":
                pieces = [cell(piece, "done") for piece in now]
                reached = len("".join(piece.text for piece in pieces)) if "columns" in part else len(one.text)
                cells += pieces + _characters(one.text[reached:])
            else:
                cells += _characters(one.text) if "rest" in one.kinds else [one]
        return cells


def _characters(text: str) -> list[StepCell]:
    return [cell(one, "rest") for one in regex.findall(r"\X", text)]


def _race(lanes: Sequence[Lane]) -> engine.Walkthrough:
    """The steps of all lanes."""

    def frame(step: int) -> engine.Frame:
        shown = [lane.at(step) for lane in lanes]
        done = sum(one["done"] for one in shown)
        sentence = _("%(done)s of %(all)s are done.", done=number(done), all=number(len(lanes)))
        if done == len(lanes):
            # One unknown token may stand for any text: it does not win.
            rated = [one for one in shown if not one["unknown"]] or shown
            fewest = min(len(one["cells"]) for one in rated)
            for one in rated:
                one["wins"] = len(one["cells"]) == fewest
            names = _("; ").join(" · ".join(one["names"]) for one in rated if one["wins"])
            sentence = _("Fewest: %(count)s, %(names)s.", count=number(fewest), names=names)
        return engine.Frame("steps/_race.html", sentence, {"kind": "race"}, lambda: {"lanes": shown})

    return engine.Walkthrough([partial(frame, step) for step in range(max(lane.last for lane in lanes) + 1)])


class RacePage(Page):
    """The text, the choice of tokenizers, and a step of the race."""

    template = "steps/race.html"

    race: engine.WalkthroughContext
    comparison: Comparison
    picker: ComparisonPicker
    most: int  # characters
    address: str  # of the race from its start
    code: Markup  # the same as a QR code


@blueprint.get("/steps/race")
def page() -> Response:
    """Show a step of the race."""
    comparison, problems = _read()
    lanes, pending, frame = [], None, None
    for row, state in zip([] if problems else reading.rows_of(comparison), comparison.states, strict=False):
        pending = pending or row.pending
        problems += [row.problem] if row.problem else []
        if row.result is not None:
            try:
                lanes.append(Lane(row.title, StepsRequest(state).address(), row.result, walkthrough_of(row.result)))
            except InputProblem as problem:
                problems.append(problem)
    query = comparison.query() + "&view=large" * (request.args.get("view") == "large")
    if lanes and not problems and not pending:
        race = _race(lanes)
        frame = engine.ShownStep(
            race, engine.step_in_address(race), lambda at: f"{url_for('steps.race.page')}?{query}&step={at}"
        )
    again = request.script_root + request.full_path
    shown = engine.WalkthroughContext(frame=frame, problems=problems, pending=pending, again=again)
    status = max((one.status for one in problems), default=202 if pending else 200)
    if wants_partial():
        return engine.page(render(shown), status, link=frame.address(frame.step) if frame else "")
    picker = ComparisonPicker(uploads_of(request), comparison.choices)
    address = f"{url_for('steps.race.page', _external=True)}?{comparison.query()}"
    code = segno.make(address, micro=False).svg_inline(omitsize=True, svgclass="qr", light="#fff") if frame else ""
    body = RacePage(
        race=shown, comparison=comparison, picker=picker, most=MOST, address=address, code=Markup(code)
    )  # fmt: skip
    return engine.page(render(body), status)


def _read() -> tuple[Comparison, list[InputProblem]]:
    """The lanes and their text, and the problems of the request as a whole."""
    comparison, problems = reading.read(request, lambda choices: [choice for choice in choices if choice.algorithm])
    text, lanes = WORDS if current_key() == "zh" else SUBWORDS
    if "with" not in request.args:
        comparison = replace(comparison, choices=tuple(map(TokenizerChoice.parse, lanes)))
    if "text" not in request.args:
        comparison = replace(comparison, common=replace(comparison.common, text=text))
    if len(comparison.choices) > MOST_LANES:
        problems.append(InputProblem(_("A race has at most four tokenizers. Remove one."), 422))
    if (count := len(comparison.text)) > MOST:
        values = {"count": number(count), "most": number(MOST)}
        message = _("The text has %(count)s characters; a race is shown for up to %(most)s.", **values)
        problems.append(InputProblem(message, 413, "text"))
    return replace(comparison, choices=comparison.choices[:MOST_LANES]), problems
