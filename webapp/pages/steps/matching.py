"""FMM and BMM, one above the other: the window of each, and at the end where they differ and which one wins.

FMM and BMM show one direction, with the other below it; bidirectional matching shows all decisions of FMM, then all of
BMM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from flask_babel import gettext as _

from webapp.core.analysis.ambiguity import kind_of
from webapp.core.models.matching import Matching, Way, verdict
from webapp.core.traces.longest_match import TakenWord, TriedWindow, matching_steps
from webapp.pages.steps.windows import Window, fold_middle, segmentations_figure, windows_figure
from webapp.pages.walkthrough.cells import StepCell, cell
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure
from webapp.tokenization.result import Result
from webapp.web.json_responses import well_formed

TEMPLATE = "steps/_matching.html"
NAMES: dict[Way, str] = {"forward": "FMM", "backward": "BMM"}


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of maximum matching."""
    model = result.tokenizer.model
    assert isinstance(model, Matching)
    text = result.encoding.text
    taken: dict[Way, list[TakenWord]] = {
        way: list(matching_steps(model.dictionary, text, way, model.keep_runs)) for way in NAMES
    }
    decides = verdict(model.dictionary, text, model.keep_runs).direction if model.direction == "both" else None
    ways: tuple[Way, ...] = tuple(NAMES) if model.direction == "both" else (model.direction,)
    show = _Matching(result, model, ways, decides or ways[0], taken)
    steps = [partial(show.step, way, count) for way in ways for count in range(1, len(taken[way]) + 1)]
    made = list(range(len(taken[show.way])))
    if show.way == "backward":
        made = [len(taken["forward"]) * (len(ways) > 1) + at for at in reversed(made)]
    return Walkthrough([*steps, show.end], result.encoding.ids, made)


@dataclass(frozen=True)
class _Matching:
    """The frames: those of the `ways` that are shown, one after the other; `way` is that of the result."""

    result: Result
    model: Matching
    ways: Sequence[Way]
    way: Way
    taken: Mapping[Way, Sequence[TakenWord]]

    def _text(self, span: TakenWord | TriedWindow) -> str:
        return self.result.encoding.text[span.start : span.end]

    def step(self, way: Way, count: int) -> Frame:
        """The decision number `count` of a direction."""
        now = self.taken[way][count - 1]
        windows = partial(self._windows, now)
        counts: dict[Way, int] = dict.fromkeys(NAMES, count)
        if len(self.ways) == 2:  # FMM comes first; with one direction, both take their decisions together
            other: Way = "backward" if way == "forward" else "forward"
            counts[other] = 0 if way == "forward" else len(self.taken[other]) + 1

        def values() -> dict[str, Any]:
            return {
                "direction": way,  # the direction whose windows are shown
                "longest": self.model.dictionary.longest,
                "windows": windows(),
                "taken": [one for one in self._cells(way, self.taken[way][:count]) if one.id is not None],
                "lanes": [self._lane(each, counts[each], selected=each == way) for each in NAMES],
            }

        record = {
            "kind": "taken",
            "direction": way,
            "text": well_formed(self._text(now)),
            "start": now.start,
            "end": now.end,
            "id": now.id,
            "took": now.kind,
            "tried": [{"text": well_formed(self._text(tried)), **asdict(tried)} for tried in now.tried],
        }
        return Frame(TEMPLATE, self._sentence(way, now), record, values, lambda: windows_figure(windows()))

    def end(self) -> Frame:
        """Both segmentations, and the verdict."""
        found, places = self.result.verdict, self.result.disagreements
        rows = {way: self._cells(way, self.taken[way], compared=True) for way in NAMES}

        def values() -> dict[str, Any]:
            return {
                "ended": True,
                "direction": self.way,
                "verdict": verdict(self.model.dictionary, self.result.encoding.text, self.model.keep_runs),
                "taken": [one for one in rows[self.way] if one.id is not None],
                "ambiguities": [(place, kind_of(place)) for place in places],
            }

        def picture() -> Figure | None:
            title = _("The words of FMM and BMM, one above the other")
            named = [(NAMES[way], cells) for way, cells in rows.items()]
            return segmentations_figure(named, title=title) if self.result.encoding.text else None

        sentence = say("matching", "ended", places=len(places), verdict=found)
        record = {
            "kind": "verdict",
            "forward": [one.id for one in self.taken["forward"]],
            "backward": [one.id for one in reversed(self.taken["backward"])],
            "differ": [[place.start, place.end] for place in places],
            "taken": found.direction if found else None,
            "reason": found.reason if found else None,
        }
        return Frame(TEMPLATE, sentence, record, values, picture)

    def _lane(self, way: Way, count: int, *, selected: bool) -> dict[str, Any]:
        """A direction after `count` decisions; of the other one, its sentence."""
        taken = self.taken[way][:count]
        now = taken[-1] if taken and count <= len(self.taken[way]) else None
        sentence = ""
        if not selected:
            sentence = self._sentence(way, now) if now else _("Finished.") if taken else _("Follows after FMM.")
        cells = self._cells(way, taken, now)
        return {"way": way, "name": NAMES[way], "cells": cells, "sentence": sentence, "selected": selected}

    def _cells(
        self, way: Way, taken: Sequence[TakenWord], now: TakenWord | None = None, *, compared: bool = False
    ) -> list[StepCell]:
        """The words taken so far and the rest of the text, in reading order; `compared` marks those that differ."""
        cells = []
        for one in taken:
            differs = any(place.start <= one.start and one.end <= place.end for place in self.result.disagreements)
            kinds = ["done", "" if one.kind in ("word", "space") else "unknown", "now" if one is now else ""]
            cells.append(cell(self._text(one), *kinds, "differs" if compared and differs else "", id=one.id))
        text = self.result.encoding.text
        if way == "forward":
            rest = text[taken[-1].end :] if taken else text
        else:
            rest = text[: taken[-1].start] if taken else text
        cells += [cell(rest, "rest")] if rest else []
        return cells if way == "forward" else cells[::-1]

    def _windows(self, now: TakenWord) -> list[Window]:
        text = self.result.encoding.text
        start, end = now.tried[0].start, now.tried[0].end
        words = {
            "word": _("a word: taken"),
            "no word": _("not a word"),
            "cuts a run": _("would split a run"),
        }
        return fold_middle(
            Window(
                length=tried.end - tried.start,
                before=shown_piece(text[start : tried.start]),
                text=shown_piece(self._text(tried)),
                after=shown_piece(text[tried.end : end]),
                outcome=words[tried.outcome],
                hit=tried.outcome == "word",
                skipped=tried.outcome == "cuts a run",
            )
            for tried in now.tried
        )

    def _sentence(self, way: Way, taken: TakenWord) -> str:
        misses = sum(tried.outcome != "word" for tried in taken.tried)
        return say("matching", "taken", kind=taken.kind, way=way, text=self._text(taken), misses=misses)
