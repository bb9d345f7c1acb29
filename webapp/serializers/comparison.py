"""Several tokenizers on one text as JSON."""

from __future__ import annotations

from typing import Any

from webapp.core.inference.records import OWN
from webapp.serializers.json import well_formed
from webapp.serializers.tokenization import WANTS, tokenization_stream
from webapp.tokenization.comparison.rows import ComparisonResult, ComparisonRow
from webapp.tokenization.comparison.state import Comparison


def comparison_json(comparison: Comparison, compared: ComparisonResult) -> dict[str, Any]:
    """The request, and a row for each tokenizer; `boundaries` refer to the rows with tokens, in order."""
    agreement = compared.agreement
    places = iter(agreement.each)
    return {
        "text": well_formed(compared.text),
        "options": {name: value for name, value in comparison.options().items() if name != "show"},
        "rows": [
            _row(row) | ({"boundaries": next(places)} if row.encoding is not None else {}) for row in compared.rows
        ],
        "agreed": agreement.agreed,
        "disputed": agreement.disputed,
        "shared_boundaries": agreement.shared,
    }


def _row(row: ComparisonRow) -> dict[str, Any]:
    about: dict[str, Any] = {"algorithm": row.choice.algorithm, "vocabulary": row.choice.vocabulary, "title": row.title}
    if row.choice.inference != OWN:
        about["inference"] = row.choice.inference
    if row.encoding is None:
        assert row.problem is not None
        return about | {"error": {"status": row.problem.status, "detail": row.problem.message}}
    return about | {
        **tokenization_stream(row.encoding, WANTS),
        "unknown": sorted(row.encoding.unknown),
        "vocabulary_size": row.vocabulary_size,
        "seconds": row.seconds,
    }
