"""The ambiguities of a text as JSON and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from webapp.serializers.json import well_formed
from webapp.tokenization.ambiguities import AmbiguityResult, AmbiguousPlace


def ambiguities_json(result: AmbiguityResult, places: Iterable[AmbiguousPlace]) -> dict[str, Any]:
    """The counts of a text's ambiguities and some of the places, with offsets in characters."""
    found = result.found
    return {
        "overlapping": len(found.chains),
        "combinational": found.combinational,
        "combinational_words": found.different,
        "segmented_characters": result.segmented,
        "methods": [{"algorithm": each.algorithm, "vocabulary": each.vocabulary} for each in result.methods],
        "places": [place_json(result, place) for place in places],
    }


def place_json(result: AmbiguityResult, place: AmbiguousPlace) -> dict[str, Any]:
    """One place: its words with their offsets, and the words of each method."""
    text = result.text
    return {
        "kind": place.kind,
        "start": place.start,
        "end": place.end,
        "text": well_formed(text[place.start : place.end]),
        "chain_length": place.chain_length,
        "words": [_word(text, span) for span in place.words],
        "chosen": {
            method.algorithm: [_word(text, span) for span in spans]
            for method, spans in zip(result.methods, place.chosen, strict=bool(place.chosen))
        },
    }


def ambiguity_rows(result: AmbiguityResult, places: Iterable[AmbiguousPlace]) -> Iterator[list[object]]:
    """The header and a row for each place; slashes stand between words.

    The columns of the methods are empty after the part of the text that they segmented.
    """
    text = result.text
    columns = ["kind", "start", "end", "text", "chain_length", "words"]
    yield [*columns, *(method.algorithm for method in result.methods)]
    for place in places:
        chosen = place.chosen or [()] * len(result.methods)
        yield [
            place.kind,
            place.start,
            place.end,
            text[place.start : place.end],
            place.chain_length,
            *(" / ".join(text[start:end] for start, end in spans) for spans in (place.words, *chosen)),
        ]


def _word(text: str, span: tuple[int, int]) -> dict[str, Any]:
    start, end = span
    return {"text": well_formed(text[start:end]), "start": start, "end": end}
