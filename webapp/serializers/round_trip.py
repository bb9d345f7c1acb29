"""What decoding changes in a text, as JSON."""

from __future__ import annotations

from typing import Any

from webapp.core.analysis.round_trip import RoundTripReport
from webapp.core.analysis.stage_edits import Change, Stage
from webapp.serializers.json import well_formed

MOST_CHANGES = 1_000


def round_trip_json(report: RoundTripReport) -> dict[str, Any]:
    """The decoded text, how many changes there are, and the first of them."""
    return {
        "decoded": well_formed(report.decoded),
        "equal": report.equal,
        "number_of_changes": len(report.changes),
        "changes": [_change(change) for change in report.changes[:MOST_CHANGES]],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "start": change.start,
        "end": change.end,
        "decoded_start": change.decoded_start,
        "decoded_end": change.decoded_end,
        "before": well_formed(change.before),
        "after": well_formed(change.after),
        **_stage(change.stage),
        "steps": [{**_stage(stage), "after": well_formed(after)} for stage, after in change.steps],
    }


def _stage(stage: Stage) -> dict[str, str]:
    return {"stage": stage.stage, "component": stage.component, "rule": stage.rule}
