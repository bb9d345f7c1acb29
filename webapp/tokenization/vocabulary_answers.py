"""Vocabularies as JSON: the entry in the list, the statistics, the tokens, and one token."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webapp.core.analysis.pipeline_summary import PipelineStep, pipeline_summary
from webapp.core.analysis.reachability import Reach
from webapp.core.analysis.token_list import TokenList
from webapp.core.tokenizer import Tokenizer
from webapp.jobs.surveys import StoredSurvey
from webapp.tokenization.answers import skipped_json
from webapp.vocabularies import CatalogueEntry, title_of
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.token_facts import TokenFacts
from webapp.web.json_responses import json_piece, named, well_formed

PAGE = 100  # tokens per page


def entry_json(entry: CatalogueEntry) -> dict[str, Any]:
    """The entry of a vocabulary in the list; `size` is null if it depends on the text."""
    return {
        "name": entry.name,
        "title": title_of(entry),
        **named(entry, "algorithms", "origin", "size", "family", "licence", "source"),
    }


def vocabulary_json(entry: CatalogueEntry, tokenizer: Tokenizer) -> dict[str, Any]:
    """The statistics and the pipeline of a vocabulary, the same as on its page."""
    description = description_of(tokenizer)
    portrait = description.portrait
    pipeline = pipeline_summary(tokenizer)
    return {
        **entry_json(entry),
        **skipped_json(tokenizer),
        "size": portrait.size,
        "mean_length": round(portrait.mean_length, 4),
        "lengths": portrait.lengths,
        "kinds": portrait.kinds,
        "longest": [token_json(description.tokens, id) for id in portrait.longest],
        "longest_words": [token_json(description.tokens, id) for id in portrait.longest_words],
        "unknown_id": tokenizer.model.unknown_id,
        "added_tokens": [
            named(token, "id", "content", "special")
            for token in sorted(tokenizer.added_tokens, key=lambda token: token.id)
        ],
        "pipeline": {
            "normalizer": _names(pipeline.normalizer),
            "pretokenizer": _names(pipeline.pretokenizer),
            "model": pipeline.model.name,
            "decoder": _names(pipeline.decoder),
        },
    }


@dataclass(frozen=True)
class NoPageError(LookupError):
    """The page does not exist; `last` is the number of the last one."""

    last: int


def tokens_json(tokenizer: Tokenizer, query: str, page: int) -> dict[str, Any]:
    """One page of the tokens that contain `query`, or of all tokens; raises NoPageError if it does not exist."""
    tokens = description_of(tokenizer).tokens
    matches = tokens.find(query) if query else tokens.ids
    last = max(1, -(-len(matches) // PAGE))
    if not 1 <= page <= last:
        raise NoPageError(last)
    shown = matches[(page - 1) * PAGE : page * PAGE]
    return {
        "query": query,
        "found": len(matches),
        "page": page,
        "pages": last,
        "tokens": [token_json(tokens, id) for id in shown],
    }


def token_json(tokens: TokenList, id: int) -> dict[str, Any]:
    """One token: its piece in the vocabulary, and its text, which is null for a part of a character."""
    at = tokens.place_of(id)
    if at is None:
        raise KeyError(id)
    text = tokens.texts[at]
    return {
        "id": id,
        "piece": json_piece(tokens.pieces[at]),
        "text": None if text is None else well_formed(text),
        "special": id in tokens.special,
    }


def _names(steps: Sequence[PipelineStep]) -> list[str]:
    return [step.name for step in steps]


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
        "marks": [named(mark, "kind", "spelling", "byte") for mark in facts.marks],
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
        **named(reach, "state", "reason"),
        "proved": reach.certain,
        **named(reach, "text", "ids", "same_as", "part_of"),
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
