"""The ambiguities of a text on the page of FMM and BMM: where they differ, and words that consist of words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.core.analysis.ambiguity import Divisible, crossing_words, divisible_words, kind_of
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Disagreement
from webapp.pages.walkthrough.cells import quotable
from webapp.tokenization.messages import joined
from webapp.web.localization import join_list

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
