"""Edits that a stage of the pipeline makes to a text, and their composition over all stages.

An edit replaces a span of the text before a stage. The tracker composes the edits of consecutive stages to changes of
the original text, and forgets those that a later stage undoes: a space that becomes `▁` and a space again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple
from unicodedata import normalize

from webapp.core.text.alignment import AlignedText

StageName = Literal["input", "added tokens", "normalizer", "pre-tokenizer", "model", "post-processor", "decoder"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the pipeline: its kind, the usual name of the component, and which of its rules, if it has several."""

    stage: StageName
    component: str = ""
    rule: str = ""


class StageEdit(NamedTuple):
    """A span of the text before a stage, and what the stage makes of it."""

    start: int
    end: int
    text: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between a text and the decoded text: the span in each, what was there, and what became of it.

    `steps` are the stages that changed it, each with the result. `at` is the index of the one that is named as the
    cause: the first after which the original characters do not come back.
    """

    start: int
    end: int
    decoded_start: int
    decoded_end: int
    before: str
    after: str
    steps: tuple[tuple[Stage, str], ...]
    at: int

    @property
    def stage(self) -> Stage:
        """The stage that is named as the cause."""
        return self.steps[self.at][0]


@dataclass(slots=True)
class Region:
    """A changed span: its range in the original text and in the current one, and its text after each change."""

    start: int
    end: int
    low: int
    high: int
    values: list[tuple[int, Stage, str]]


class ChangeTracker:
    """Composes the edits of consecutive stages.

    >>> tracker = ChangeTracker("É !")
    >>> accents, case = Stage("normalizer", "StripAccents"), Stage("normalizer", "Lowercase")
    >>> tracker.apply([StageEdit(0, 1, "E", accents), StageEdit(1, 2, "", Stage("pre-tokenizer", "BertPreTokenizer"))])
    >>> tracker.apply([StageEdit(0, 1, "e", case), StageEdit(1, 1, " ", Stage("decoder", "WordPiece"))])
    >>> tracker.text, [(region.start, region.end, region.values[-1][2]) for region in tracker.regions]
    ('e !', [(0, 1, 'e')])
    """

    def __init__(self, text: str) -> None:
        self.original = text
        self.text = text
        self.regions: list[Region] = []
        self._stages = 0

    def apply(self, edits: Sequence[StageEdit]) -> None:
        """Apply the edits of one stage, which are in order and do not overlap."""
        if not edits:
            return
        self._stages += 1
        old, regions = self.text, self.regions
        kept: list[Region] = []
        shift = 0  # new place minus old place
        back = 0  # original place minus old place
        for group, changes in _groups(regions, edits):
            if not changes:
                for region in group:
                    region.low += shift
                    region.high += shift
                    back = region.end - (region.high - shift)
                kept += group
                continue
            low = min([changes[0].start, *(region.low for region in group[:1])])
            high = max([max(edit.end for edit in changes), *(region.high for region in group)])
            start = low + back
            if group:
                back = group[-1].end - group[-1].high
            end = high + back
            new = applied(old[low:high], changes, low)
            original = self.original[start:end]
            if new != original:
                values = self._values(group, low, high)
                if not values or values[-1][2] != new:
                    values.append((self._stages, _cause(changes), new))
                kept.append(Region(start, end, low + shift, low + shift + len(new), values))
            shift += len(new) - (high - low)
        self.text = applied(old, edits)
        self.regions = kept

    def changes(self) -> list[Change]:
        """The differences between the original text and the current one, in order."""
        found = []
        for run in self._without_undone():
            original = self.original[run.start : run.end]
            steps = tuple((stage, value) for _, stage, value in run.values)
            found.append(
                Change(run.start, run.end, run.low, run.high, original, steps[-1][1], steps, _cause_at(original, steps))
            )
        return found

    def _without_undone(self) -> list[Region]:
        """The regions without neighbours that together change nothing: one inserts a space, the next removes one."""
        kept: list[Region] = []
        for region in self.regions:
            last = kept[-1] if kept else region
            touches = last is not region and last.end == region.start and last.high == region.low
            if touches and self.original[last.start : region.end] == self.text[last.low : region.high]:
                kept.pop()
            else:
                kept.append(region)
        return kept

    def _values(self, group: Sequence[Region], low: int, high: int) -> list[tuple[int, Stage, str]]:
        """The texts of a span of the current text after each stage that changed any part of it."""
        if len(group) == 1 and (group[0].low, group[0].high) == (low, high):
            return group[0].values
        stages = {number: stage for region in group for number, stage, _ in region.values}
        values: list[tuple[int, Stage, str]] = []
        for number in sorted(stages):
            parts = []
            position = low
            for region in group:
                parts.append(self.text[position : region.low])
                before = [value for at, _, value in region.values if at <= number]
                parts.append(before[-1] if before else self.original[region.start : region.end])
                position = region.high
            parts.append(self.text[position:high])
            values.append((number, stages[number], "".join(parts)))
        return values


def applied(text: str, edits: Sequence[StageEdit], shift: int = 0) -> str:
    """The text after edits, whose places are `shift` characters further.

    >>> applied("abc", [StageEdit(11, 12, "XY", Stage("model"))], 10)
    'aXYc'
    """
    parts: list[str] = []
    position = 0
    for start, end, new, _ in edits:
        parts += (text[position : start - shift], new)
        position = end - shift
    parts.append(text[position:])
    return "".join(parts)


def aligned_edits(before: str, after: AlignedText, stage: Stage) -> list[StageEdit]:
    """The edits of a step that returns a text aligned with `before`.

    >>> from webapp.core.text.normalizers import NFKC
    >>> text = "ﬁ，"
    >>> [edit[:3] for edit in aligned_edits(text, NFKC().align(AlignedText.of(text)), Stage("normalizer", "NFKC"))]
    [(0, 1, 'fi'), (1, 2, ',')]
    """
    places = after.starts
    edits: list[StageEdit] = []
    position = at = 0  # the first characters before and after that are in no edit and not equal yet
    text = after.text

    def close(end: int, until: int) -> None:
        if position < end or at < until:
            edits.extend(_blocks(text, position, end, at, until, places, stage))

    for index, (place, character) in enumerate(zip(places, text, strict=True)):
        if place >= position and before[place : place + 1] == character:
            close(place, index)
            position, at = place + 1, index + 1
    close(len(before), len(text))
    return edits


def difference(before: str, after: str, stage: Stage, shift: int = 0) -> list[StageEdit]:
    """The edits between two texts: each character that differs if they are as long, else what is between equal ends.

    >>> [edit[:3] for edit in difference("▁a▁", " a ", Stage("decoder"))]
    [(0, 1, ' '), (2, 3, ' ')]
    >>> [edit[:3] for edit in difference("abc", "ac", Stage("decoder"))]
    [(1, 2, '')]
    """
    if before == after:
        return []
    if len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True), shift)
        return [StageEdit(at, at + 1, new, stage) for at, (old, new) in pairs if old != new]
    most = min(len(before), len(after))
    left = next((at for at in range(most) if before[at] != after[at]), most)
    right = next((at for at in range(most - left) if before[-1 - at] != after[-1 - at]), most - left)
    return [StageEdit(shift + left, shift + len(before) - right, after[left : len(after) - right], stage)]


def _blocks(
    after: str, start: int, end: int, first: int, last: int, places: Sequence[int], stage: Stage
) -> Iterator[StageEdit]:
    """Edits for a span without equal characters: one for each character before, with what it became."""
    if start == end or first == last:
        yield StageEdit(start, end, after[first:last], stage)
        return
    made: list[list[int]] = [[] for _ in range(end - start)]
    for index in range(first, last):
        made[min(max(places[index] - start, 0), end - start - 1)].append(index)
    if [index for each in made for index in each] != list(range(first, last)):
        yield StageEdit(start, end, after[first:last], stage)
        return
    # A character that became nothing belongs to the one before it, as in a composition.
    begins = [at for at, each in enumerate(made) if each or not at]
    for left, right in pairwise((*begins, end - start)):
        each = made[left]
        yield StageEdit(start + left, start + right, after[each[0] : each[-1] + 1] if each else "", stage)


def _groups(regions: Sequence[Region], edits: Sequence[StageEdit]) -> Iterator[tuple[list[Region], list[StageEdit]]]:
    """Yield the regions and the edits in order, those that overlap together."""
    i = j = 0
    while i < len(regions) or j < len(edits):
        group: list[Region] = []
        changes: list[StageEdit] = []
        low = high = -1
        while True:
            ranges = []
            if i < len(regions):
                ranges.append((regions[i].low, regions[i].high, 0))
            if j < len(edits):
                ranges.append((edits[j].start, edits[j].end, 1))
            if not ranges:
                break
            start, end, is_edit = min(ranges)
            if low >= 0 and not (start < high or start == end == low == high):
                break
            low, high = (start, end) if low < 0 else (low, max(high, end))
            if is_edit:
                changes.append(edits[j])
                j += 1
            else:
                group.append(regions[i])
                i += 1
        yield group, changes


def _cause(edits: Sequence[StageEdit]) -> Stage:
    """The stage of edits that are one change: the rule that loses text, if any, before one that only adds marks."""
    return next((edit.stage for edit in edits if edit.stage.rule != "marks"), edits[0].stage)


def _cause_at(original: str, steps: Sequence[tuple[Stage, str]]) -> int:
    """The index of the first stage after which the characters of the original are not all there any more.

    Another normalization form and `▁` for a space count as the same characters, unless that is all that changed.
    """
    plain = _plain(original)
    if not plain or _plain(steps[-1][1]) == plain:
        return 0
    there = [at for at, (_, value) in enumerate(steps[:-1]) if _has_all(_plain(value), plain)]
    return there[-1] + 1 if there else 0


def _plain(text: str) -> str:
    return normalize("NFC", text).replace("▁", " ")


def _has_all(text: str, characters: str) -> bool:
    """Whether a text has these characters in their order, perhaps with others between them."""
    rest = iter(text)
    return all(character in rest for character in characters)
