"""Evaluations as JSON, CSV and text, for the page and the API alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from webapp.core.evaluation.report import MethodReport, ScoreReport
from webapp.web.json_responses import well_formed

FIGURES = ("precision", "recall", "f1", "oov_rate", "oov_recall", "iv_recall")
COUNTS = ("gold_words", "output_words")


def evaluation_json(report: ScoreReport, most_errors: int | None = None) -> dict[str, Any]:
    """The report: figures as fractions, counts, kinds of errors, confusions, and the errors with their lines."""
    return {
        "lines": report.line_count,
        "words": report.words,
        "characters": report.characters,
        "training_words": report.training_words,
        "methods": [_method(report, method, most_errors) for method in report.methods],
    }


def _method(report: ScoreReport, method: MethodReport, most_errors: int | None) -> dict[str, Any]:
    algorithm, _colon, vocabulary = method.choice.partition(":")
    head: dict[str, Any] = {
        "name": well_formed(method.name),
        "algorithm": algorithm or None,
        "vocabulary": vocabulary or None,
        "problem": method.problem or None,
    }
    if method.problem:
        return head
    score = method.score
    return head | {
        "figures": {name: getattr(score, name) for name in FIGURES},
        "counts": {name: getattr(score, name) for name in COUNTS},
        "known_from": method.known_from or ("training_words" if report.training_words is not None else None),
        "kinds": method.kinds,
        "confusions": [
            {"gold": _words(gold), "output": _words(output), "kind": kind, "count": count}
            for gold, output, kind, count in method.confusions
        ],
        "errors": [
            {
                "line": report.numbers[error.line],
                "gold": list(map(well_formed, report.lines[error.line][error.start : error.end])),
                "output": _words(error.output),
                "kind": error.kind,
            }
            for error in method.errors[:most_errors]
        ],
        "error_count": method.error_count,
    }


def _words(joined: str) -> list[str]:
    return well_formed(joined).split(" ")


def figure_rows(report: ScoreReport) -> Iterator[tuple[object, ...]]:
    """A row for each method with its figures and counts, the header first."""
    yield ("method", *FIGURES, *COUNTS)
    for method in report.methods:
        if not method.problem:
            figures = (getattr(method.score, name) for name in FIGURES)
            yield (
                method.name,
                *("" if value is None else f"{value:.6f}" for value in figures),
                *(getattr(method.score, name) for name in COUNTS),
            )


def error_rows(report: ScoreReport) -> Iterator[tuple[object, ...]]:
    """A row for each listed error, the header first."""
    yield ("method", "line", "kind", "gold", "output")
    for method in report.methods:
        for error in method.errors:
            gold = " ".join(report.lines[error.line][error.start : error.end])
            yield method.name, report.numbers[error.line], error.kind, gold, error.output


def confusion_rows(report: ScoreReport) -> Iterator[tuple[object, ...]]:
    """A row for each confusion, the header first."""
    yield ("method", "gold", "output", "kind", "count")
    for method in report.methods:
        for confusion in method.confusions:
            yield method.name, *confusion


def official_summary(report: ScoreReport) -> str:
    """The summary of each method as the official script prints it."""
    return "\n".join(
        f"{method.name}\n{method.score.summary(method.name)}" for method in report.methods if not method.problem
    )
