"""Matching and WordPiece: windows from the longest to the shortest, and the rows of cells that they lead to.

FMM and BMM show one direction, with the other below it, and at the end where they differ and which one wins;
bidirectional matching shows all decisions of FMM, then all of BMM. WordPiece does the same as FMM on each word; a word
becomes unknown if a piece is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.matching import Matching, Way, verdict
from webapp.core.models.wordpiece import WordPiece
from webapp.core.traces import longest_match
from webapp.core.traces.pretokens import AddedFound
from webapp.pages.walkthrough.cells import (
    StepCell,
    WordSteps,
    cell,
    direction,
    pretokens,
    segmentations_figure,
    words_figure,
)
from webapp.pages.walkthrough.engine import Frame, Walkthrough, say
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure, FigureBox, FigureLabel, FigurePath, Shape, width_of
from webapp.tokenization.result import Result
from webapp.web.json_responses import well_formed
from webapp.web.localization import number

TEMPLATE = "steps/_matching.html"
NAMES: dict[Way, str] = {"forward": "FMM", "backward": "BMM"}


def walkthrough(result: Result, model: Matching, n: int) -> Walkthrough:
    """The steps of maximum matching."""
    text = result.encoding.text
    taken: dict[Way, list[longest_match.TakenWord]] = {
        way: list(longest_match.matching_steps(model.dictionary, text, way, model.keep_runs)) for way in NAMES
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
    taken: Mapping[Way, Sequence[longest_match.TakenWord]]

    def _text(self, span: longest_match.TakenWord | longest_match.TriedWindow) -> str:
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
                "ambiguities": places,
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
        self,
        way: Way,
        taken: Sequence[longest_match.TakenWord],
        now: longest_match.TakenWord | None = None,
        *,
        compared: bool = False,
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

    def _windows(self, now: longest_match.TakenWord) -> list[Window]:
        text = self.result.encoding.text
        start, end = now.tried[0].start, now.tried[0].end
        words = {"word": _("a word: taken"), "no word": _("not a word"), "cuts a run": _("would split a run")}
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

    def _sentence(self, way: Way, taken: longest_match.TakenWord) -> str:
        misses = sum(tried.outcome != "word" for tried in taken.tried)
        return say("matching", "taken", kind=taken.kind, way=way, text=self._text(taken), misses=misses)


# --- WordPiece


def wordpiece_walkthrough(result: Result, model: WordPiece, n: int) -> Walkthrough:
    """The steps of WordPiece on the words of a result."""
    steps = WordSteps("steps/_wordpiece.html")
    for at, found in enumerate(pretokens(result)):
        if isinstance(found, AddedFound):
            steps.add_token(found)
            continue
        decisions = list(longest_match.wordpiece_steps(model, found.text))
        tokens = longest_match.tokens_of(decisions)
        covered = all(decision.kind == "piece" for decision in decisions)
        made = range(len(tokens)) if covered else [len(decisions) - 1] * len(tokens)
        counts = range(1, len(decisions) + 1)
        frames = [partial(_decided, steps, model, found.text, decisions[:count], at) for count in counts]
        steps.add(found.text, [_piece(model, id) for id, _start, _end in tokens], frames, made)
    return steps.walkthrough(result.encoding.ids, partial(_ended, result, model, steps))


def _piece(model: WordPiece, id: int, kind: str = "") -> StepCell:
    return cell(model.pieces[id], "done", "unknown" if id == model.unknown_id else "", kind, id=id)


def _decided(
    steps: WordSteps, model: WordPiece, word: str, decisions: Sequence[longest_match.WordPieceDecision], at: int
) -> Frame:
    """The last of the decisions on a word so far."""
    decision = decisions[-1]
    record = {
        "kind": decision.kind,
        "word": at,
        "text": well_formed(word),
        "start": decision.start,
        "end": decision.end,
        "id": decision.id,
        "tried": [
            {"piece": well_formed(looked.piece), "start": looked.start, "end": looked.end, "id": looked.id}
            for looked in decision.tried
        ],
    }

    sentence = say("wordpiece", "decided", decision=decision, model=model, word=word)

    def windows() -> list[Window]:
        return fold_middle(
            Window(
                length=looked.end - looked.start,
                text=shown_piece(looked.piece),
                after=shown_piece(word[looked.end :]),
                outcome=_("not a piece") if looked.id is None else _("a piece: taken"),
                hit=looked.id is not None,
            )
            for looked in decision.tried
        )

    def values() -> dict[str, Any]:
        cells = [_piece(model, decision.id, "now")]
        if decision.kind == "piece":
            cells = [*(_piece(model, one.id) for one in decisions[:-1]), *cells]
            cells += [cell(word[decision.end :], "rest")] if decision.end < len(word) else []
        prefix = model.continuing_subword_prefix
        return {"row": steps.row(at), "cells": cells, "windows": windows(), "prefix": prefix}

    return Frame(steps.template, sentence, record, values, lambda: windows_figure(windows()))


def _ended(result: Result, model: WordPiece, steps: WordSteps) -> Frame:
    shown = [(shown_piece(text), tokens) for text, tokens in steps.words]
    return Frame(
        steps.template,
        say("wordpiece", "ended", encoding=result.encoding, model=model),
        {"kind": "tokens"},
        lambda: {"ended": True},
        partial(words_figure, shown, title=_("The words and their tokens")),
    )


# --- pictures

TEXT = 18.0
ROW = 34  # from one window to the next
HEAD = 28  # height of the headings
LEFT = 52.0  # of the windows; their lengths are before that
MAX_ROWS = 16
"""Up to so many tries get a row each; of more, those in the middle share a row."""


@dataclass(frozen=True)
class Window:
    """One try: the text in the window, the text `before` and `after` it, and the outcome.

    A `skipped` window is not looked up. `folded` is the number of tries that share the row; they have no text.
    """

    length: int
    before: str = ""
    text: str = ""
    after: str = ""
    outcome: str = ""
    hit: bool = False
    skipped: bool = False
    folded: int = 0


def fold_middle(windows: Iterable[Window]) -> list[Window]:
    """The rows, with those in the middle folded into one if there are more than `MAX_ROWS`.

    >>> [(row.length, row.folded) for row in fold_middle([Window(length) for length in range(20, 0, -1)])][7:9]
    [(13, 0), (12, 5)]
    """
    rows = list(windows)
    if len(rows) <= MAX_ROWS:
        return rows
    half = MAX_ROWS // 2
    hidden = rows[half : len(rows) - half + 1]
    return [*rows[:half], Window(hidden[0].length, folded=len(hidden)), *rows[len(rows) - half + 1 :]]


def windows_figure(windows: Sequence[Window]) -> Figure | None:
    """The windows of a decision, the longest first, aligned where they all begin or end; None if there are none."""
    shown = [window for window in windows if not window.folded]
    if not shown:
        return None
    grid = max(width_of(window.before + window.text + window.after, TEXT) for window in shown) + 20
    at_right = any(window.before for window in shown) or direction(shown[0].text) == "rtl"
    right = LEFT + grid
    shapes: list[Shape] = [FigureLabel(40, 14, _("length"), "quiet", 12, "end")]
    for at, window in enumerate(windows):
        top = float(HEAD + ROW * at)
        y = top + ROW / 2 + 6
        if window.folded:
            more = ngettext("one more length, no match", "%(num)s more lengths, no match", window.folded)
            shapes.append(FigureLabel(40, y - 1, "…", "quiet", 14, "end"))
            shapes.append(FigureLabel(LEFT + 4, y - 1, more, "quiet", 13, "start"))
            continue
        width = width_of(window.text, TEXT) + 12
        x = right - width if at_right else LEFT
        shapes += [
            FigureLabel(40, y, number(window.length), "quiet", 13, "end"),
            FigureBox(x, top + 3, width, ROW - 6, "hit" if window.hit else "miss", 5),
            FigureLabel(x + width / 2, y, window.text, "strong" * window.hit, TEXT, direction=direction(window.text)),
            FigurePath(_mark(window, right + 16, y), "hit" if window.hit else "miss"),
            FigureLabel(right + 38, y, window.outcome, "" if window.hit else "quiet", 13, "start"),
        ]
        if rest := window.before or window.after:
            end = x - 6 if at_right else x + width + 6
            shapes.append(FigureLabel(end, y, rest, "quiet", TEXT, "end" if at_right else "start"))
    total = right + 50 + max(width_of(window.outcome, 13) for window in shown)
    title = _("The windows that were tried, the longest first")
    return Figure("windows", total, HEAD + ROW * len(windows) + 4, tuple(shapes), title)


def _mark(window: Window, x: float, y: float) -> str:
    """The outcome as a path: a tick, a dash for a window that is not looked up, or a cross."""
    if window.hit:
        return f"M{x:g} {y - 5:g}L{x + 4:g} {y:g}L{x + 12:g} {y - 10:g}"
    if window.skipped:
        return f"M{x + 1:g} {y - 5:g}H{x + 11:g}"
    return f"M{x + 1:g} {y - 10:g}L{x + 11:g} {y:g}M{x + 11:g} {y - 10:g}L{x + 1:g} {y:g}"
