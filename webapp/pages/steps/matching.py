"""FMM and BMM, one above the other: the window of each, and at the end where they differ and which one wins.

FMM and BMM show one direction, with the other beside it; bidirectional matching shows all decisions of FMM, then all of
BMM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.matching import Direction, Disagreement, Matching, Way, verdict
from webapp.core.traces.matching import TakenWord, TriedWindow, matching_steps
from webapp.pages.steps.ambiguity import Ambiguity, ambiguity_of, divisible_sentence
from webapp.pages.steps.windows import Window, fold_middle
from webapp.pages.steps.windows_drawing import segmentations_figure, windows_figure
from webapp.pages.walkthrough.cells import StepCell, cell, quotable
from webapp.pages.walkthrough.cells import direction as reading_direction
from webapp.pages.walkthrough.walkthrough import NoStepsError, Walkthrough
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined, verdict_sentence
from webapp.tokenization.result import Result
from webapp.web.localization import number

NAMES: dict[Way, str] = {"forward": "FMM", "backward": "BMM"}


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of maximum matching."""
    model = result.tokenizer.model
    if not isinstance(model, Matching):
        raise NoStepsError(_("This vocabulary has no steps to show."))
    return _MatchingWalkthrough(result, model, model.direction)


@dataclass(frozen=True)
class MatchingLane:
    """One direction at one step: the text as cells, the last decision, and the windows tried for it.

    `reads` says where the direction starts on the page."""

    name: str
    reads: str
    direction: Way
    cells: list[StepCell]
    sentence: str  # of the other direction; that of the result is above the picture
    selected: bool  # whether its window is shown


@dataclass(frozen=True)
class RuleCount:
    """A criterion of the bidirectional rule: the counts of both directions, and whether it decides."""

    title: str
    forward: int
    backward: int
    decides: bool
    remark: str


@dataclass(frozen=True, kw_only=True)
class MatchingPart:
    """The values for `steps/_matching.html`."""

    ended: bool  # whether this is the last step
    direction: Way  # the direction whose windows are shown; at the end that of the result
    about: str  # how the window moves
    lanes: Sequence[MatchingLane]
    counts: Sequence[RuleCount] = ()  # at the end
    figure: Figure | None = None  # the windows tried; at the end both segmentations
    windows: Sequence[Window] = ()
    taken: Sequence[StepCell] = ()  # the words so far, in reading order
    ambiguities: Sequence[Ambiguity] = ()  # at the end
    divisible: str = ""  # at the end: the sentence about words that consist of words
    differ: bool  # whether the two directions differ
    by_default: bool  # whether none of the criteria decides


class _MatchingWalkthrough:
    template = "steps/_matching.html"

    def __init__(self, result: Result, model: Matching, direction: Direction) -> None:
        self._result = result
        self._model = model
        self._ways: tuple[Way, ...] = tuple(NAMES) if direction == "both" else (direction,)
        self._text = result.encoding.text
        self.ids: Sequence[int] = result.encoding.ids
        self._taken: dict[Way, list[TakenWord]] = {
            way: list(matching_steps(model.dictionary, self._text, way, model.keep_runs)) for way in NAMES
        }
        self._result_way: Way = (
            direction if direction != "both" else verdict(model.dictionary, self._text, model.keep_runs).direction
        )

    def __len__(self) -> int:
        return sum(len(self._taken[way]) for way in self._ways) + 1

    def sentence(self, step: int) -> str:
        way, taken = self._at(step)
        return self._end() if taken is None else self._sentence(way, taken)

    def _at(self, step: int) -> tuple[Way, TakenWord | None]:
        """The direction of a step and its decision; in the last step that of the result, and None."""
        for way in self._ways:
            if step < len(self._taken[way]):
                return way, self._taken[way][step]
            step -= len(self._taken[way])
        return self._result_way, None

    def _decided(self, way: Way, step: int) -> int:
        """How many decisions of a direction there are after a step, at most all."""
        before = len(self._taken["forward"]) if len(self._ways) == 2 and way == "backward" else 0
        return min(max(step + 1 - before, 0), len(self._taken[way]))

    def part(self, step: int) -> MatchingPart:
        way, now = self._at(step)
        ended = now is None
        verdict_of = self._result.verdict
        return MatchingPart(
            ended=ended,
            direction=way,
            about=joined([self._about(way), self._skipped_sentence(now)]),
            counts=self._counts() if ended else [],
            figure=self.picture(step),
            windows=[] if now is None else self._windows(now),
            taken=self._words(step),
            ambiguities=[ambiguity_of(place) for place in self._result.disagreements] if ended else [],
            divisible=self._divisible() if ended else "",
            differ=bool(self._result.disagreements),
            by_default=ended and verdict_of is not None and verdict_of.reason == "backward by default",
            lanes=[self._lane(each, step) for each in NAMES],
        )

    def picture(self, step: int) -> Figure | None:
        """The windows of a step; at the end both segmentations."""
        _way, now = self._at(step)
        if now is not None:
            title = _("The windows that were tried, the longest first")
            return windows_figure(self._windows(now), title=title)
        rows = [(NAMES[way], self._lane(way, step).cells) for way in NAMES]
        if not any(cells for _name, cells in rows):
            return None
        return segmentations_figure(rows, title=_("The words of FMM and BMM, one above the other"))

    def record(self, step: int) -> dict[str, Any]:
        way, now = self._at(step)
        if now is not None:
            return {"kind": "taken", "direction": way, **self._plain(now)}
        verdict = self._result.verdict
        return {
            "kind": "verdict",
            "forward": [one.id for one in self._taken["forward"]],
            "backward": [one.id for one in reversed(self._taken["backward"])],
            "differ": [[place.start, place.end] for place in self._result.disagreements],
            "taken": verdict.direction if verdict else None,
            "reason": verdict.reason if verdict else None,
        }

    def step_of(self, token: int) -> int:
        way = self._result_way
        taken = token if way == "forward" else len(self._taken[way]) - 1 - token
        return taken + sum(len(self._taken[each]) for each in self._ways[: self._ways.index(way)])

    def _lane(self, way: Way, step: int) -> MatchingLane:
        ended = step == len(self) - 1
        taken = self._taken[way] if ended else self._taken[way][: self._decided(way, step)]
        decides = not ended and bool(taken) and self._decided(way, step - 1) < len(taken)
        now = taken[-1] if decides else None
        cells = self._cells(way, taken, now)
        if way == "backward":
            cells.reverse()
        selected = way == self._at(step)[0]
        sentence = ""
        if not selected and not ended:
            sentence = self._sentence(way, now) if now else _("Finished.") if taken else _("Follows after FMM.")
        return MatchingLane(NAMES[way], self._reads(way), way, cells, sentence, selected)

    def _words(self, step: int) -> list[StepCell]:
        """The words that the direction shown has taken so far, in reading order."""
        way, now = self._at(step)
        taken = self._taken[way] if now is None else self._taken[way][: self._decided(way, step)]
        cells = [one for one in self._cells(way, taken, None) if one.id is not None]
        return cells if way == "forward" else cells[::-1]

    def _reads(self, direction: Way) -> str:
        """Where a direction starts, on the page."""
        if reading_direction(self._text) == "ltr":
            return _("from the left") if direction == "forward" else _("from the right")
        if direction == "forward":
            return _("from the start, which is on the right")
        return _("from the end, which is on the left")

    def _cells(self, direction: Way, taken: Sequence[TakenWord], now: TakenWord | None) -> list[StepCell]:
        """The words taken so far, in the order of taking, and the rest of the text."""
        cells = []
        for one in taken:
            kinds = ["done", "" if one.kind in ("word", "space") else "unknown", "now" if one is now else ""]
            if now is None and self._differs(one):
                kinds.append("differs")
            cells.append(cell(self._text[one.start : one.end], *kinds, id=one.id))
        if direction == "forward":
            rest = self._text[taken[-1].end :] if taken else self._text
        else:
            rest = self._text[: taken[-1].start] if taken else self._text
        return [*cells, cell(rest, "rest")] if rest else cells

    def _differs(self, one: TakenWord) -> bool:
        places: list[Disagreement] = self._result.disagreements
        return any(place.start <= one.start and one.end <= place.end for place in places)

    def _windows(self, now: TakenWord) -> list[Window]:
        start, end = now.tried[0].start, now.tried[0].end
        words = {
            "word": _("a word: taken"),
            "no word": _("not a word"),
            "cuts a run": _("would split a run"),
        }
        rows = [
            Window(
                length=tried.end - tried.start,
                before=shown_piece(self._text[start : tried.start]),
                text=shown_piece(self._text[tried.start : tried.end]),
                after=shown_piece(self._text[tried.end : end]),
                outcome=words[tried.outcome],
                hit=tried.outcome == "word",
                skipped=tried.outcome == "cuts a run",
            )
            for tried in now.tried
        ]
        return fold_middle(rows)

    def _sentence(self, direction: Way, taken: TakenWord) -> str:
        text = quotable(self._text[taken.start : taken.end])
        misses = sum(tried.outcome != "word" for tried in taken.tried)
        forward = direction == "forward"
        if taken.kind == "run":
            return _(
                "“%(text)s” is a run of Latin letters and digits, and such runs are never split. It is not in the "
                "dictionary, so it is one out-of-vocabulary token.",
                text=text,
            )
        if taken.kind == "space":
            return _("“%(text)s” is white space between words: it is kept as a token, but it is not a word.", text=text)
        if taken.kind == "character":
            if forward:
                return _(
                    "No word of the dictionary starts here, not even “%(text)s” alone: the character becomes an "
                    "out-of-vocabulary token.",
                    text=text,
                )
            return _(
                "No word of the dictionary ends here, not even “%(text)s” alone: the character becomes an "
                "out-of-vocabulary token.",
                text=text,
            )
        if not misses:
            return _("The first and longest window, “%(text)s”, is a word of the dictionary: it is taken.", text=text)
        if forward:
            return ngettext(
                "One longer window is not a word. “%(text)s” is the longest word that starts here, so it is taken.",
                "%(count)s longer windows are not words. “%(text)s” is the longest word that starts here, so it is "
                "taken.",
                misses,
                count=number(misses),
                text=text,
            )
        return ngettext(
            "One longer window is not a word. “%(text)s” is the longest word that ends here, so it is taken.",
            "%(count)s longer windows are not words. “%(text)s” is the longest word that ends here, so it is taken.",
            misses,
            count=number(misses),
            text=text,
        )

    def _end(self) -> str:
        if not self._result.disagreements:
            return _("Both directions segment this text the same way, so there is nothing to decide.")
        places = ngettext(
            "The two directions differ at one place, which is ambiguous.",
            "The two directions differ at %(num)s places, which are ambiguous.",
            len(self._result.disagreements),
        )
        return joined([places, verdict_sentence(self._result)])

    def _divisible(self) -> str:
        words = [self._text[one.start : one.end] for one in self._taken[self._result_way] if one.kind == "word"]
        return divisible_sentence(self._model.dictionary, words)

    def _about(self, way: Way) -> str:
        """How the window of a direction moves."""
        longest = number(self._model.dictionary.longest)
        if way == "forward":
            return _(
                "The window starts with the length of the longest word of the dictionary, %(longest)s characters, or "
                "with the rest of the text if that is shorter, and drops its last character until it holds a word.",
                longest=longest,
            )
        return _(
            "The window starts with the length of the longest word of the dictionary, %(longest)s characters, or with "
            "the rest of the text if that is shorter, and drops its first character until it holds a word.",
            longest=longest,
        )

    def _skipped_sentence(self, now: TakenWord | None) -> str:
        """What the dash in the table means, if there is one."""
        if now is None or not any(tried.outcome == "cuts a run" for tried in now.tried):
            return ""
        return _("A dash: the window would split a run of Latin letters and digits, so it is not looked up.")

    def _counts(self) -> list[RuleCount]:
        """The criteria of the bidirectional rule, in order, with the one that decides marked."""
        found = verdict(self._model.dictionary, self._text, self._model.keep_runs)
        winner = "FMM" if found.direction == "forward" else "BMM"
        decides = _("decides: %(winner)s", winner=winner)
        equal = _("equal")
        words = found.differ and found.reason == "fewer words"
        singles = found.differ and found.reason == "fewer single characters"
        return [
            RuleCount(_("Words"), found.forward_words, found.backward_words, words, decides if words else equal),
            RuleCount(
                _("Single characters"),
                found.forward_single_characters,
                found.backward_single_characters,
                singles,
                decides if singles else "" if words else equal,
            ),
        ]

    def _plain(self, taken: TakenWord) -> dict[str, Any]:
        def text_of(tried: TriedWindow | TakenWord) -> str:
            return well_formed(self._text[tried.start : tried.end])

        return {
            "text": text_of(taken),
            "start": taken.start,
            "end": taken.end,
            "id": taken.id,
            "took": taken.kind,
            "tried": [
                {"text": text_of(tried), "start": tried.start, "end": tried.end, "outcome": tried.outcome}
                for tried in taken.tried
            ],
        }
