"""FMM and BMM, one above the other: the window of each, and at the end where they differ and which one wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.models.matching import Direction, Disagreement, Matching, verdict
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

NAMES: dict[Direction, str] = {"forward": "FMM", "backward": "BMM"}


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of maximum matching in the direction of the result, with the other direction beside it."""
    model = result.tokenizer.model
    if not isinstance(model, Matching) or model.direction == "both":
        raise NoStepsError(_("This vocabulary has no steps to show."))
    return _MatchingWalkthrough(result, model, model.direction)


@dataclass(frozen=True)
class MatchingLane:
    """One direction at one step: the text as cells, the last decision, and the windows tried for it.

    `reads` says where the direction starts on the page."""

    name: str
    reads: str
    direction: Direction
    cells: list[StepCell]
    sentence: str  # of the other direction; that of the result is above the picture
    selected: bool  # whether it is the direction of the result


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
    direction: Direction  # the direction of the result, whose windows are shown
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
        self._direction: Direction = direction
        self._text = result.encoding.text
        self.ids: Sequence[int] = result.encoding.ids
        self._taken: dict[Direction, list[TakenWord]] = {
            way: list(matching_steps(model.dictionary, self._text, way, model.keep_runs)) for way in NAMES
        }

    def __len__(self) -> int:
        return len(self._taken[self._direction]) + 1

    def sentence(self, step: int) -> str:
        taken = self._taken[self._direction]
        return self._sentence(self._direction, taken[step]) if step < len(taken) else self._end()

    def part(self, step: int) -> MatchingPart:
        ended = step == len(self) - 1
        verdict_of = self._result.verdict
        return MatchingPart(
            ended=ended,
            direction=self._direction,
            about=joined([self._about(), self._skipped_sentence(step)]),
            counts=self._counts() if ended else [],
            figure=self.picture(step),
            windows=[] if ended else self._windows(self._taken[self._direction][step]),
            taken=self._words(step),
            ambiguities=[ambiguity_of(place) for place in self._result.disagreements] if ended else [],
            divisible=self._divisible() if ended else "",
            differ=bool(self._result.disagreements),
            by_default=ended and verdict_of is not None and verdict_of.reason == "backward by default",
            lanes=[self._lane(direction, step, ended) for direction in NAMES],
        )

    def picture(self, step: int) -> Figure | None:
        """The windows of a step; at the end both segmentations."""
        taken = self._taken[self._direction]
        if step < len(taken):
            title = _("The windows that were tried, the longest first")
            return windows_figure(self._windows(taken[step]), title=title)
        rows = [(NAMES[lane.direction], lane.cells) for lane in (self._lane(way, step, True) for way in NAMES)]
        if not any(cells for _name, cells in rows):
            return None
        return segmentations_figure(rows, title=_("The words of FMM and BMM, one above the other"))

    def record(self, step: int) -> dict[str, Any]:
        taken = self._taken[self._direction]
        if step < len(taken):
            return {"kind": "taken", "direction": self._direction, **self._plain(taken[step])}
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
        count = len(self._taken[self._direction])
        return token if self._direction == "forward" else count - 1 - token

    def _lane(self, direction: Direction, step: int, ended: bool) -> MatchingLane:
        taken = self._taken[direction]
        at = min(step, len(taken) - 1)
        now = None if ended or step >= len(taken) else taken[step]
        cells = self._cells(direction, taken if ended else taken[: at + 1], now)
        if direction == "backward":
            cells.reverse()
        sentence = "" if ended else _("Finished.") if now is None else self._sentence(direction, now)
        selected = direction == self._direction
        return MatchingLane(
            NAMES[direction], self._reads(direction), direction, cells, "" if selected else sentence, selected
        )

    def _words(self, step: int) -> list[StepCell]:
        """The words taken so far, in reading order."""
        taken = self._taken[self._direction][: step + 1]
        cells = self._cells(self._direction, taken, None)
        cells = [one for one in cells if one.id is not None]
        return cells if self._direction == "forward" else cells[::-1]

    def _reads(self, direction: Direction) -> str:
        """Where a direction starts, on the page."""
        if reading_direction(self._text) == "ltr":
            return _("from the left") if direction == "forward" else _("from the right")
        if direction == "forward":
            return _("from the start, which is on the right")
        return _("from the end, which is on the left")

    def _cells(self, direction: Direction, taken: Sequence[TakenWord], now: TakenWord | None) -> list[StepCell]:
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

    def _sentence(self, direction: Direction, taken: TakenWord) -> str:
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
        words = [self._text[one.start : one.end] for one in self._taken[self._direction] if one.kind == "word"]
        return divisible_sentence(self._model.dictionary, words)

    def _about(self) -> str:
        """How the window of the result's direction moves."""
        longest = number(self._model.dictionary.longest)
        if self._direction == "forward":
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

    def _skipped_sentence(self, step: int) -> str:
        """What the dash in the table means, if there is one."""
        taken = self._taken[self._direction][step : step + 1]
        if not any(tried.outcome == "cuts a run" for one in taken for tried in one.tried):
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
