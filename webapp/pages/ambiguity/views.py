"""The list of ambiguities for the page: each in its context, with what the methods chose."""

from __future__ import annotations

from collections.abc import Sequence

from flask_babel import gettext as _
from flask_babel import ngettext

from webapp.pages.ambiguity.contexts import ShownChoice, ShownPlace, ShownWord
from webapp.tokenization.ambiguities import AmbiguityResult, AmbiguousPlace, Method
from webapp.tokenization.messages import ambiguity_name, joined
from webapp.web.localization import join_list, number

CONTEXT = 12  # characters before and after a place
LONGEST_SHOWN = 60  # characters of a place
WORDS_SHOWN = 12


def shown_place(result: AmbiguityResult, place: AmbiguousPlace) -> ShownPlace:
    """A place of the list."""
    text = result.text
    line_start = text.rfind("\n", max(0, place.start - CONTEXT), place.start) + 1
    line_end = text.find("\n", place.end, place.end + CONTEXT)
    before = text[max(line_start, place.start - CONTEXT, 0) : place.start]
    after = text[place.end : place.end + CONTEXT if line_end < 0 else line_end]
    return ShownPlace(
        ambiguity_name(place.kind),
        place.start,
        before,
        _shortened(text[place.start : place.end]),
        after,
        _explanation(text, place),
        [
            ShownChoice(join_list(each.name for each in methods), _words(text, place, spans))
            for spans, methods in _grouped(result, place)
        ],
    )


def summary_of(result: AmbiguityResult) -> str:
    """How many ambiguities of each kind the text has, and how much of it the methods segmented, in some sentences."""
    chains, found = result.found.chains, result.found
    overlapping = (
        ngettext(
            "One overlapping ambiguity (交集型).",
            "%(count)s overlapping ambiguities (交集型).",
            len(chains),
            count=number(len(chains)),
        )
        if chains
        else _("No overlapping ambiguity (交集型).")
    )
    segmented = (
        _(
            "The list is that of the whole text; the methods segmented its first %(count)s characters.",
            count=number(result.segmented),
        )
        if result.segmented < len(result.text)
        else ""
    )
    if not found.combinational:
        return joined([overlapping, _("No combinational ambiguity (组合型)."), segmented])
    combinational = ngettext(
        "One combinational ambiguity (组合型).",
        "%(count)s combinational ambiguities (组合型) of %(different)s different words.",
        found.combinational,
        count=number(found.combinational),
        different=number(found.different),
    )
    return joined([overlapping, combinational, segmented])


def _explanation(text: str, place: AmbiguousPlace) -> str:
    words = [text[start:end] for start, end in place.words[:WORDS_SHOWN]]
    if place.kind == "combinational":
        return f"{text[place.start : place.end]} = {' + '.join(words)}"
    more = "…" if len(place.words) > WORDS_SHOWN else ""
    length = _("chain length %(count)s", count=number(place.chain_length or 0))
    return f"{' × '.join(words)}{more} · {length}"


def _grouped(result: AmbiguityResult, place: AmbiguousPlace) -> list[tuple[Sequence[tuple[int, int]], list[Method]]]:
    """The methods by what they chose, in the order of the first of each."""
    groups: dict[tuple[tuple[int, int], ...], list[Method]] = {}
    for method, spans in zip(result.methods, place.chosen, strict=bool(place.chosen)):
        groups.setdefault(tuple(spans), []).append(method)
    return list(groups.items())


def _words(text: str, place: AmbiguousPlace, spans: Sequence[tuple[int, int]]) -> list[ShownWord]:
    words = [
        ShownWord(_shortened(text[start:end]), start < place.start or end > place.end)
        for start, end in spans[: 2 * WORDS_SHOWN]
    ]
    return words + ([ShownWord("…", False)] if len(spans) > 2 * WORDS_SHOWN else [])


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
