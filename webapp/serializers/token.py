"""One token of a vocabulary as JSON, and whether a text gives it."""

from __future__ import annotations

import unicodedata
from typing import Any

from webapp.core.analysis.reachability import Reach
from webapp.core.analysis.token_list import TokenList
from webapp.core.tokenizer import Tokenizer
from webapp.jobs.surveys import StoredSurvey
from webapp.serializers.json import json_piece, well_formed
from webapp.serializers.vocabulary import token_json
from webapp.vocabularies import CatalogueEntry
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.token_facts import TokenFacts

MOST_CHARACTERS = 64
MOST_BYTES = 256


def token_page_json(entry: CatalogueEntry, tokenizer: Tokenizer, facts: TokenFacts) -> dict[str, Any]:
    """A token, as on its page."""
    tokens = description_of(tokenizer).tokens
    text = facts.text or ""
    return {
        "vocabulary": entry.name,
        **token_json(tokens, facts.id),
        "spelling": well_formed(facts.spelling),
        "bytes": facts.data[:MOST_BYTES].hex(" "),
        "length_bytes": len(facts.data),
        "characters": [
            {"code_point": f"U+{ord(character):04X}", "name": unicodedata.name(character, "")}
            for character in text[:MOST_CHARACTERS]
        ],
        "added": facts.added is not None,
        "unknown": facts.is_unknown,
        "marks": [{"kind": mark.kind, "spelling": mark.spelling, "byte": mark.byte} for mark in facts.marks],
        "rank": facts.merge.rank if facts.merge else None,
        "merged_from": [facts.merge.left, facts.merge.right] if facts.merge else None,
        "score": facts.score[0] if facts.score else None,
        "score_place": facts.score[1] + 1 if facts.score else None,
        "frequency": facts.frequency,
        "tag": facts.tag or None,
        "reach": reach_json(facts.reach),
        "forms": [{"text": well_formed(form), "id": id} for form, id in facts.forms],
        "contained_in": list(facts.within),
        "contained_in_total": facts.within_total,
        "neighbours": [*facts.before, *facts.after],
    }


def reach_json(reach: Reach) -> dict[str, Any]:
    """Whether a text gives a token: the text that does, or the token's own, and its tokens."""
    return {
        "state": reach.state,
        "reason": reach.reason,
        "proved": reach.certain,
        "text": well_formed(reach.text),
        "ids": list(reach.ids),
        "same_as": reach.same_as,
        "part_of": reach.part_of,
    }


def survey_json(survey: StoredSurvey) -> dict[str, Any]:
    """The figures of a survey."""
    return {
        "counted": survey.counted,
        "unreachable": survey.total,
        "reasons": survey.reasons,
        "parts_of_others": survey.parts,
        "states": survey.states,
    }


def reachability_json(tokens: TokenList, reach: Reach) -> dict[str, Any]:
    """An unreachable token of a list."""
    at = tokens.place_of(reach.id)
    return {"id": reach.id, "piece": None if at is None else json_piece(tokens.pieces[at]), **reach_json(reach)}
