"""Measures of tokenizers as JSON and as rows of a table, for the page, the API and the command line alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask_babel import gettext as _

from webapp.core.analysis.gold_boundaries import BoundaryAgreement
from webapp.core.analysis.measures import MEASURES, TextMeasures
from webapp.tokenization.comparison.rows import ComparisonRow
from webapp.tokenization.measures.article import ArticleMeasures
from webapp.tokenization.measures.measured import Measured, MeasuredTokenizer

WORDS = "Unicode Standard Annex 29; runs of Han characters by maximum probability with jieba's dictionary, without HMM"


def measures_json(measured: Measured, text: str) -> dict[str, Any]:
    """The text in figures, and the measures of each tokenizer; null where there is nothing to divide by."""
    return {
        "characters": len(text),
        "bytes": len(text.encode("utf-8", "replace")),
        "words": measured.words,
        "han_words": measured.han,
        "words_by": WORDS,
        "tokenizers": [_tokenizer(each) for each in measured.tokenizers],
    }


def _tokenizer(each: MeasuredTokenizer) -> dict[str, Any]:
    row = each.row
    about: dict[str, Any] = {
        "algorithm": row.choice.algorithm,
        "vocabulary": row.choice.vocabulary,
        "problem": _problem(row),
    }
    if each.of_text is not None:
        about |= text_measures_json(each.of_text)
    if each.of_article is not None:
        about["languages"] = article_json(each.of_article)
    if each.of_gold is not None:
        about["gold"] = boundaries_json(each.of_gold)
    return about


def _problem(row: ComparisonRow) -> str | None:
    if row.pending:
        return _("The vocabulary is still being downloaded. Try again in a moment.")
    return row.problem.message if row.problem else None


def text_measures_json(found: TextMeasures) -> dict[str, Any]:
    """The measures of a text."""
    return {
        "tokens": found.tokens,
        "different_tokens": found.different,
        "vocabulary_size": found.vocabulary_size,
        "characters_per_token": found.characters_per_token,
        "bytes_per_token": found.bytes_per_token,
        "fertility": found.fertility,
        "whole_words": found.whole_words,
        "unknown": found.unknown,
        "renyi_efficiency": found.renyi_efficiency,
        "vocabulary_used": found.vocabulary_used,
    }


def article_json(found: ArticleMeasures) -> dict[str, Any]:
    """Premiums by language and the Gini coefficient on the parallel article."""
    return {"premiums": dict(found.premiums), "gini": found.gini, "left_out": list(found.lossy)}


def boundaries_json(found: BoundaryAgreement) -> dict[str, Any]:
    """The agreement with a gold segmentation."""
    return {
        "gold_boundaries": found.gold,
        "boundaries": found.found,
        "both": found.both,
        "precision": found.precision,
        "recall": found.recall,
        "f1": found.f1,
    }


def measure_rows(measured: Measured) -> Iterator[tuple[object, ...]]:
    """A row for each tokenizer with all its measures, the header first."""
    yield ("algorithm", "vocabulary", *(measure.replace("-", "_") for measure in MEASURES))
    for each in measured.tokenizers:
        choice = each.row.choice
        yield (choice.algorithm, choice.vocabulary, *(each.value(measure) for measure in MEASURES))
