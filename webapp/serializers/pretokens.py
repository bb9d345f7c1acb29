"""The pre-tokens of a text as JSON."""

from __future__ import annotations

from typing import Any

from webapp.core.analysis.pretoken_view import PretokenStage, PretokenView, SplitDifference, differences
from webapp.serializers.json import well_formed

MOST_DIFFERENCES = 1_000


def pretokens_json(view: PretokenView, own: PretokenView | None = None) -> dict[str, Any]:
    """The normalized text, the stages with their pre-tokens, and with `own` where the two split differently."""
    found = differences(view, own) if own else []
    return {
        "normalized": well_formed(view.normalized),
        "stages": [_stage(stage) for stage in view.stages],
        "own": _stage(own.stages[-1]) if own else None,
        "number_of_differences": len(found) if own else None,
        "differences": [_difference(each) for each in found[:MOST_DIFFERENCES]] if own else None,
    }


def _stage(stage: PretokenStage) -> dict[str, Any]:
    pattern = stage.pattern
    counts = stage.counts()
    return {
        "component": stage.component,
        "pattern": pattern.source if pattern else None,
        "behavior": stage.behavior,
        "alternatives": [
            {"number": number, "source": source, "count": counts[number - 1]}
            for number, source in enumerate(pattern.alternatives, 1)
        ]
        if pattern
        else [],
        "pretokens": [
            {
                "text": well_formed(each.text),
                "start": each.original_start,
                "end": each.original_end,
                "normalized_start": each.start,
                "normalized_end": each.end,
                "alternative": None if each.alternative is None else each.alternative + 1,
                "tokens": each.tokens,
                "added": each.added is not None,
            }
            for each in stage.pretokens
        ],
    }


def _difference(found: SplitDifference) -> dict[str, Any]:
    return {
        "normalized_start": found.start,
        "normalized_end": found.end,
        "vocabulary": [well_formed(part) for part in found.first],
        "own": [well_formed(part) for part in found.second],
    }
