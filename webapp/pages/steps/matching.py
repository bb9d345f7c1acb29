"""FMM and BMM, one above the other: the window of each, and at the end where they differ and which one wins.

FMM and BMM show one direction, with the other beside it; bidirectional matching shows all decisions of FMM, then all of
BMM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.analysis.ambiguity import Divisible, crossing_words, divisible_words, kind_of
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Disagreement, Matching, Way, verdict
from webapp.core.traces.matching import TakenWord, TriedWindow, matching_steps
from webapp.pages.steps.windows import Window, fold_middle, segmentations_figure, windows_figure
from webapp.pages.walkthrough.cells import StepCell, cell, quotable
from webapp.pages.walkthrough.cells import direction as reading_direction
from webapp.pages.walkthrough.engine import Frame, NoStepsError, Walkthrough
from webapp.rendering.markup import shown_piece
from webapp.rendering.pictures.figure import Figure
from webapp.serializers.json import well_formed
from webapp.tokenization.messages import joined, verdict_sentence
from webapp.tokenization.result import Result
from webapp.web.localization import join_list, number

TEMPLATE = "steps/_matching.html"
NAMES: dict[Way, str] = {"forward": "FMM", "backward": "BMM"}


def walkthrough(result: Result, options: Mapping[str, str]) -> Walkthrough:
    """The steps of maximum matching."""
    model = result.tokenizer.model
    if not isinstance(model, Matching):
        raise NoStepsError(_("This vocabulary has no steps to show."))
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

    @property
    def _text(self) -> str:
        return self.result.encoding.text

    def step(self, way: Way, count: int) -> Frame:
        """The decision number `count` of a direction."""
        now = self.taken[way][count - 1]
        windows = self._windows(now)
        # With both directions FMM comes first; with one, both take their decisions together.
        step = count + len(self.taken["forward"]) * (len(self.ways) == 2 and way == "backward")

        def values() -> dict[str, Any]:
            cells = [one for one in self._cells(way, self.taken[way][:count], None) if one.id is not None]
            return {
                "ended": False,
                "direction": way,  # the direction whose windows are shown
                "about": joined([self._about(way), self._skipped_sentence(now)]),
                "windows": windows,
                "taken": cells if way == "forward" else cells[::-1],  # the words so far, in reading order
                "lanes": [self._lane(each, step, selected=each == way) for each in NAMES],
            }

        def text_of(tried: TriedWindow | TakenWord) -> str:
            return well_formed(self._text[tried.start : tried.end])

        record = {
            "kind": "taken",
            "direction": way,
            "text": text_of(now),
            "start": now.start,
            "end": now.end,
            "id": now.id,
            "took": now.kind,
            "tried": [{"text": text_of(tried), **asdict(tried)} for tried in now.tried],
        }
        title = _("The windows that were tried, the longest first")
        return Frame(TEMPLATE, self._sentence(way, now), record, values, lambda: windows_figure(windows, title=title))

    def end(self) -> Frame:
        """Both segmentations, and the verdict."""
        found, places = self.result.verdict, self.result.disagreements
        segmentations = [(NAMES[way], self._ordered(way, self.taken[way], None)) for way in NAMES]

        def values() -> dict[str, Any]:
            words = [self._text[one.start : one.end] for one in self.taken[self.way] if one.kind == "word"]
            return {
                "ended": True,
                "direction": self.way,
                "counts": self._counts(),
                "windows": (),
                "taken": [one for one in dict(segmentations)[NAMES[self.way]] if one.id is not None],
                "ambiguities": [ambiguity_of(place) for place in places],
                "divisible": divisible_sentence(self.model.dictionary, words),
                "differ": bool(places),
                "by_default": found is not None and found.reason == "backward by default",
            }

        def picture() -> Figure | None:
            title = _("The words of FMM and BMM, one above the other")
            return segmentations_figure(segmentations, title=title) if self._text else None

        sentence = _("Both directions segment this text the same way, so there is nothing to decide.")
        if places:
            count = ngettext(
                "The two directions differ at one place, which is ambiguous.",
                "The two directions differ at %(num)s places, which are ambiguous.",
                len(places),
            )
            sentence = joined([count, verdict_sentence(self.result)])
        record = {
            "kind": "verdict",
            "forward": [one.id for one in self.taken["forward"]],
            "backward": [one.id for one in reversed(self.taken["backward"])],
            "differ": [[place.start, place.end] for place in places],
            "taken": found.direction if found else None,
            "reason": found.reason if found else None,
        }
        return Frame(TEMPLATE, sentence, record, values, picture)

    def _lane(self, way: Way, step: int, *, selected: bool) -> dict[str, Any]:
        """A direction after `step` steps: the text as cells, and where it starts; of the other one, its sentence."""
        before = len(self.taken["forward"]) if len(self.ways) == 2 and way == "backward" else 0
        taken = self.taken[way][: max(step - before, 0)]
        now = taken[-1] if taken and step - before <= len(self.taken[way]) else None
        sentence = ""
        if not selected:
            sentence = self._sentence(way, now) if now else _("Finished.") if taken else _("Follows after FMM.")
        return {
            "name": NAMES[way],
            "reads": self._reads(way),
            "cells": self._ordered(way, taken, now),
            "sentence": sentence,
            "selected": selected,  # whether its windows are shown
        }

    def _reads(self, way: Way) -> str:
        """Where a direction starts, on the page."""
        if reading_direction(self._text) == "ltr":
            return _("from the left") if way == "forward" else _("from the right")
        if way == "forward":
            return _("from the start, which is on the right")
        return _("from the end, which is on the left")

    def _ordered(self, way: Way, taken: Sequence[TakenWord], now: TakenWord | None) -> list[StepCell]:
        """The words taken so far and the rest of the text, in reading order."""
        cells = self._cells(way, taken, now)
        return cells if way == "forward" else cells[::-1]

    def _cells(self, way: Way, taken: Sequence[TakenWord], now: TakenWord | None) -> list[StepCell]:
        """The words taken so far, in the order of taking, and the rest of the text."""
        cells = []
        for one in taken:
            kinds = ["done", "" if one.kind in ("word", "space") else "unknown", "now" if one is now else ""]
            if now is None and any(
                place.start <= one.start and one.end <= place.end for place in self.result.disagreements
            ):
                kinds.append("differs")
            cells.append(cell(self._text[one.start : one.end], *kinds, id=one.id))
        if way == "forward":
            rest = self._text[taken[-1].end :] if taken else self._text
        else:
            rest = self._text[: taken[-1].start] if taken else self._text
        return [*cells, cell(rest, "rest")] if rest else cells

    def _windows(self, now: TakenWord) -> list[Window]:
        start, end = now.tried[0].start, now.tried[0].end
        words = {
            "word": _("a word: taken"),
            "no word": _("not a word"),
            "cuts a run": _("would split a run"),
        }
        return fold_middle(
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
        )

    def _sentence(self, way: Way, taken: TakenWord) -> str:
        text = quotable(self._text[taken.start : taken.end])
        misses = sum(tried.outcome != "word" for tried in taken.tried)
        forward = way == "forward"
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

    def _about(self, way: Way) -> str:
        """How the window of a direction moves."""
        longest = number(self.model.dictionary.longest)
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

    def _skipped_sentence(self, now: TakenWord) -> str:
        """What the dash in the table means, if there is one."""
        if not any(tried.outcome == "cuts a run" for tried in now.tried):
            return ""
        return _("A dash: the window would split a run of Latin letters and digits, so it is not looked up.")

    def _counts(self) -> list[dict[str, Any]]:
        """The criteria of the bidirectional rule, in order, with the one that decides marked."""
        found = verdict(self.model.dictionary, self._text, self.model.keep_runs)
        winner = "FMM" if found.direction == "forward" else "BMM"
        decides = _("decides: %(winner)s", winner=winner)
        equal = _("equal")
        words = found.differ and found.reason == "fewer words"
        singles = found.differ and found.reason == "fewer single characters"
        rows = (
            (_("Words"), found.forward_words, found.backward_words, words, equal),
            (
                _("Single characters"),
                found.forward_single_characters,
                found.backward_single_characters,
                singles,
                "" if words else equal,
            ),
        )
        return [
            {"title": title, "forward": fmm, "backward": bmm, "decides": here, "remark": decides if here else otherwise}
            for title, fmm, bmm, here, otherwise in rows
        ]


MAX_DIVISIBLE = 6  # words that the sentence names


@dataclass(frozen=True)
class Ambiguity:
    """A place where the directions differ: its text, its kind, the words of both, and why it is of that kind."""

    text: str
    kind: str
    forward: tuple[str, ...]
    backward: tuple[str, ...]
    reason: str


def ambiguity_of(place: Disagreement) -> Ambiguity:
    """The ambiguity at a place where FMM and BMM differ."""
    overlapping = kind_of(place) == "overlapping"
    return Ambiguity(
        "".join(place.forward),
        _("overlapping ambiguity") if overlapping else _("combinational ambiguity"),
        place.forward,
        place.backward,
        _reason(place),
    )


def divisible_sentence(dictionary: Dictionary, words: Sequence[str]) -> str:
    """Which of the words may be combinational ambiguities, which comparing the directions does not show."""
    hidden = _("A combinational ambiguity does not show here: both directions take the longer word.")
    found: list[Divisible] = divisible_words(dictionary, words)
    if not found:
        return hidden
    examples = [f"{quotable(one.word)} = {' + '.join(map(quotable, one.parts))}" for one in found[:MAX_DIVISIBLE]]
    return joined(
        [
            hidden,
            ngettext(
                "This text has one candidate, a word that consists of other words of the dictionary: %(examples)s.",
                "This text has %(num)s candidates, words that consist of other words of the dictionary: %(examples)s.",
                len(found),
                examples=join_list(examples) + ("…" if len(found) > MAX_DIVISIBLE else ""),
            ),
        ]
    )


def _reason(place: Disagreement) -> str:
    pair = crossing_words(place)
    if pair is None:
        return _("One direction takes as one word what the other splits into words.")
    forward, backward = (quotable(word) for word in pair)
    return _(
        "“%(forward)s” and “%(backward)s” share characters, and neither contains the other.",
        forward=forward,
        backward=backward,
    )
