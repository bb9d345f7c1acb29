"""`/steps/race`: two to four tokenizers on one text, step in step, also for a projector."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import regex
import segno
from flask import Blueprint, request, url_for
from flask_babel import gettext as _
from markupsafe import Markup
from werkzeug.wrappers import Response

from webapp.core.algorithms import ALGORITHMS
from webapp.core.traces.lattice import path_back
from webapp.pages.steps import lattice, merging
from webapp.pages.steps.requests import StepsRequest, walkthrough_of
from webapp.pages.walkthrough import engine
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.tokenization.comparison import state as reading
from webapp.tokenization.comparison.state import Comparison, TokenizerChoice
from webapp.tokenization.comparison.views import TokenizerOption, tokenizer_options
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import Result
from webapp.vocabularies import CATALOGUE, well_known
from webapp.vocabularies.library import is_here
from webapp.vocabularies.titles import title_of
from webapp.web.htmx import wants_partial
from webapp.web.json_responses import well_formed
from webapp.web.localization import current_key, number
from webapp.web.problems import problem as problem_response
from webapp.web.templates import Page, render

MOST_LANES = 4
MOST = 80
"""Characters of a text: one line of a projector, and an address that a phone can read from its QR code."""
WORDS = ("结婚的和尚未结婚的", ("fmm:jieba", "bmm:jieba", "max-probability:jieba", "bpe:o200k_base"))
SUBWORDS = ("unbelievable tokenizers", ("bpe:o200k_base", "bpe:bpe-bytes", "wordpiece:wordpiece", "unigram:unigram"))

blueprint = Blueprint("race", __name__)


@dataclass(frozen=True)
class Lane:
    """A tokenizer with its steps. Step 0 is the text character by character, and the last step decides the last token."""

    title: str
    address: str  # of its own steps
    result: Result
    walkthrough: engine.Walkthrough

    @property
    def last(self) -> int:
        """The number of its last step; the frame that shows the result again is none."""
        return len(self.walkthrough.frames) - 1

    def at(self, step: int) -> Mapping[str, Any]:
        """What the template draws of a step."""
        frame = self.walkthrough.frames[step - 1]() if 0 < step <= self.last else None
        cells = (frame and self._unfinished(frame)) or self._decided(step)
        said = engine.emphasized(frame.sentence) if frame else ""
        return {"title": self.title, "address": self.address, "cells": cells, "said": said, "done": step >= self.last}

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
        if "symbols" in part:
            now = [node.piece for node in part["after"] or part["symbols"]]
        elif "columns" in part:
            now = [arc.text for arc in path_back(part["columns"])[::-1]]
        else:
            return []
        cells: list[StepCell] = []
        for one in part["row"]:
            kinds = one.kinds.split()
            if "now" in kinds:
                cells += [cell(piece, "done") for piece in now]
                reached = len("".join(each.text for each in cells[len(cells) - len(now) :]))
                cells += _characters(one.text[reached:]) if "columns" in part else []
            else:
                cells += _characters(one.text) if "rest" in kinds else [one]
        return cells


def _characters(text: str) -> list[StepCell]:
    return [cell(one, "rest") for one in regex.findall(r"\X", text)]


def _race(lanes: Sequence[Lane]) -> engine.Walkthrough:
    """The steps of all lanes; a lane that is done waits for the others."""
    last = max(lane.last for lane in lanes)

    def frame(step: int) -> engine.Frame:
        shown = [lane.at(step) for lane in lanes]
        done = sum(one["done"] for one in shown)
        fewest = min(len(one["cells"]) for one in shown)
        winners = " · ".join(one["title"] for one in shown if len(one["cells"]) == fewest)
        if done == len(lanes):
            sentence = _("Fewest tokens: %(count)s. %(names)s", count=number(fewest), names=winners)
        else:
            sentence = _("%(done)s of %(all)s are done.", done=number(done), all=number(len(lanes)))
        record = {
            "kind": "race",
            "lanes": [
                {
                    "tokenizer": one["title"],
                    "pieces": [well_formed(each.text) for each in one["cells"]],
                    "done": one["done"],
                }
                for one in shown
            ],
        }
        return engine.Frame("steps/_race.html", sentence, record, lambda: {"lanes": shown})

    return engine.Walkthrough([partial(frame, step) for step in range(last + 1)])


@dataclass(frozen=True, kw_only=True)
class RacePage(Page):
    """The text, the choice of tokenizers, and a step of the race; `large` for a projector."""

    template = "steps/race.html"

    race: engine.WalkthroughContext
    comparison: Comparison
    options: Sequence[TokenizerOption]
    most: int  # characters
    large: bool
    code: Markup  # the QR code of the address
    address: str
    other_view: str  # the address of the page for a projector, and of the plain page there


@blueprint.get("/steps/race")
def page() -> Response:
    """Show a step of the race."""
    text, choices = WORDS if current_key() == "zh" else SUBWORDS
    comparison, problems = reading.read(request, _chosen)
    if "with" not in request.args:
        comparison = replace(comparison, choices=tuple(map(TokenizerChoice.parse, choices)))
    if "text" not in request.args:
        comparison = replace(comparison, common=replace(comparison.common, text=text))
    comparison = replace(comparison, choices=comparison.choices[:MOST_LANES])
    if len(comparison.text) > MOST:
        message = _("The text has %(count)s characters; a race is shown for up to %(most)s.")
        problems.append(InputProblem(message % {"count": len(comparison.text), "most": MOST}, 413, "text"))
    large, query = request.args.get("view") == "large", comparison.query()
    plain = f"{url_for('steps.race.page', _external=True)}?{query}"
    pending, shown, lanes = None, None, []
    compared = reading.compare_tokenizers(comparison).rows if not problems else []
    for row, state in zip(compared, comparison.states, strict=False):
        pending = pending or row.pending
        problems += [row.problem] if row.problem else []
        if row.result is not None:
            try:
                lanes.append(Lane(row.title, StepsRequest(state).address(), row.result, walkthrough_of(row.result)))
            except InputProblem as problem:
                problems.append(problem)
    stem = f"{url_for('steps.race.page')}?{query}{'&view=large' * large}"
    written = request.args.get("step", "")
    if lanes and not problems and not pending:
        race = _race(lanes)
        step = min(int(written), len(race) - 1) if written.isascii() and written.isdecimal() and len(written) < 9 else 0
        shown = engine.ShownStep(race, step, lambda at: f"{stem}&step={at}")
    status = max((one.status for one in problems), default=202 if pending else 200)
    if engine.wants_json():
        if shown is None:
            return problem_response(status, " ".join(one.message for one in problems))
        return engine.all_steps_json(shown.walkthrough, {"text": well_formed(comparison.text)})
    context = engine.WalkthroughContext(
        frame=shown, problems=problems, pending=pending, again=request.script_root + request.full_path
    )
    if wants_partial():
        return engine.page(render(context), status, link=shown.address(shown.step) if shown else "")
    entries = [entry for entry in (*CATALOGUE.values(), *well_known()) if is_here(entry)]
    options = tokenizer_options(entries, lambda algorithm: ALGORITHMS[algorithm].has_steps)
    listed = {option.choice for option in options}
    options += [TokenizerOption(each, str(each)[:60]) for each in comparison.choices if each not in listed]
    body = RacePage(
        race=context,
        comparison=comparison,
        options=options,
        most=MOST,
        large=large,
        code=_code(plain) if shown else Markup(),
        address=plain,
        other_view=f"{url_for('steps.race.page')}?{query}" + ("" if large else "&view=large"),
    )
    return engine.page(render(body), status)


def _chosen(choices: Sequence[TokenizerChoice]) -> Sequence[TokenizerChoice]:
    """The lanes that are not empty; raises InputProblem for too many."""
    found = [choice for choice in choices if choice.algorithm]
    if len(found) > MOST_LANES:
        raise InputProblem(_("A race has at most four tokenizers. Remove one."), 422)
    return found


def _code(address: str) -> Markup:
    """The QR code of an address as an inline SVG."""
    return Markup(segno.make(address, micro=False).svg_inline(omitsize=True, svgclass="qr", lineclass=None, light="#fff"))
