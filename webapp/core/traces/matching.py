"""Maximum matching, window by window: each length that is tried, and the word, character or run that is taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Direction, runs_of

Outcome = Literal["word", "no word", "cuts a run"]
Kind = Literal["word", "character", "run"]


@dataclass(frozen=True, slots=True)
class TriedWindow:
    """A window on the text, and what came of looking it up; one that would cut a run is not looked up."""

    start: int
    end: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class TakenWord:
    """One decision: the windows tried for it, longest first, and what was taken in the end.

    `kind` says whether that is a word of the dictionary, a character that is left over, or a run of Latin letters and
    digits that is kept whole; the last two have the id of everything that is out of vocabulary.
    """

    id: int
    start: int
    end: int
    kind: Kind
    tried: tuple[TriedWindow, ...]


def matching_steps(
    dictionary: Dictionary, text: str, direction: Direction, keep_runs: bool = True
) -> Iterator[TakenWord]:
    """The decisions in the order in which they are made: from the left forward, from the right backward.

    The window is as long as the longest word of the dictionary, or as what is left of the text, and one character
    shorter with each try. `Matching` gives the same words; it only leaves out lengths that no word can have.

    >>> dictionary = Dictionary(["研究", "研究生", "生命"])
    >>> for taken in matching_steps(dictionary, "研究生命", "forward"):
    ...     print(taken.kind, [("研究生命"[tried.start : tried.end], tried.outcome) for tried in taken.tried])
    word [('研究生', 'word')]
    character [('命', 'no word')]
    >>> [taken.id for taken in matching_steps(dictionary, "研究生命", "backward")]
    [2, 0]
    """
    runs = runs_of(text) if keep_runs else []
    forward = direction == "forward"
    at = 0 if forward else len(text)
    while at < len(text) if forward else at > 0:
        left = len(text) - at if forward else at
        taken = _decided(dictionary, text, at, min(left, max(dictionary.longest, 1)), forward, runs)
        yield taken
        at = taken.end if forward else taken.start


def _decided(
    dictionary: Dictionary, text: str, at: int, longest: int, forward: bool, runs: list[tuple[int, int]]
) -> TakenWord:
    """The decision for the window that begins at `at`, or ends there."""
    tried: list[TriedWindow] = []
    for length in range(longest, 0, -1):
        start, end = (at, at + length) if forward else (at - length, at)
        border = end if forward else start
        run = next(((first, last) for first, last in runs if first < border < last), None)
        if run is not None:
            tried.append(TriedWindow(start, end, "cuts a run"))
            if length == 1:
                start, end = (at, run[1]) if forward else (run[0], at)
                return TakenWord(dictionary.unknown_id, start, end, "run", tuple(tried))
            continue
        id = dictionary.ids.get(text[start:end])
        if id is not None:
            return TakenWord(id, start, end, "word", (*tried, TriedWindow(start, end, "word")))
        tried.append(TriedWindow(start, end, "no word"))
    start, end = (at, at + 1) if forward else (at - 1, at)
    return TakenWord(dictionary.unknown_id, start, end, "character", tuple(tried))
