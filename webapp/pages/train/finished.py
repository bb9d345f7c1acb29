"""The result of a training: its figures beside those of other vocabularies, files and code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import url_for
from flask_babel import gettext as _

from webapp.core.algorithms import UNREADABLE
from webapp.core.analysis.measures import MeasureId
from webapp.core.training.record import TrainingRecord, command_line, python_code
from webapp.jobs import Job
from webapp.rendering.markup import visible
from webapp.tokenization.measures.definitions import DEFINITIONS
from webapp.tokenization.measures.table import shown
from webapp.tokenization.messages import joined
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.library import is_here
from webapp.web.localization import join_list, number, percent

LONGEST_SHOWN = 12
LONGEST_PIECE = 40  # characters
FILE = "tokenizer.json"
NGRAMS_FILE = "ngrams.json"
GPT_4 = "cl100k_base"
MEASURED: tuple[MeasureId, ...] = ("fertility", "whole-words", "renyi-efficiency", "vocabulary-used")
"""The measures beside characters per token."""
COMPARED_WITH = (GPT_4, "bpe-bytes")  # as far as they are here


@dataclass(frozen=True)
class ComparedVocabulary:
    """A vocabulary on the held-out text: characters per token, with the length of its bar in percent, and measures."""

    title: str
    address: str
    size: int | None
    value: float
    percent: float
    own: bool = False
    measures: Sequence[str] = ()  # `MEASURED`; empty for trainings before they were measured


@dataclass(frozen=True)
class OrderFigures:
    """How many n-grams of an order there are, and the perplexity of the model up to it, and of the built-in one."""

    order: int
    ngrams: int
    perplexity: float | None
    built_in: float | None


@dataclass(frozen=True)
class FinishedTraining:
    """The vocabulary, where to use it, and how it compares."""

    entry: CatalogueEntry
    pieces: int
    characters_per_token: float | None  # on the held-out text
    held_out: int  # characters
    playground: str
    compare: str
    compare_with_gpt_4: str
    vocabulary: str
    is_usable: bool  # not with PickyBPE, of which only the stored file is left
    download: str  # of tokenizer.json
    languages: str
    api: str
    longest: Sequence[str]
    compared: Sequence[ComparedVocabulary]
    measured: Sequence[tuple[MeasureId, str]]  # the measures that `compared` has, with their titles
    command: str
    python: str
    orders: Sequence[OrderFigures] = ()  # of n-grams
    built_in: bool = False  # whether the figures of the built-in model are known too
    about_perplexity: str = ""
    removed: str = ""  # which n-grams are not in the model; empty if all are


def finished_of(job: Job) -> FinishedTraining | None:
    """The result of a finished job; None if its vocabulary was deleted."""
    entry = find(job.vocabulary) if job.vocabulary else None
    if entry is None:
        return None
    record = TrainingRecord.from_json(job.record)
    is_usable = UNREADABLE not in entry.algorithms
    counts_ngrams = record.plan.trainer == "ngram"
    file = NGRAMS_FILE if counts_ngrams else FILE
    ngrams = job.record.get("held_out", {}).get("ngrams", {}) if counts_ngrams else {}
    here = [name for name in COMPARED_WITH if (other := find(name)) and is_here(other)]
    algorithm = entry.algorithms[0]
    return FinishedTraining(
        entry=entry,
        pieces=record.pieces,
        characters_per_token=record.characters_per_token,
        held_out=int(job.record.get("held_out", {}).get("characters", 0)),
        playground=url_for("playground.page", **{**_use(record), "algorithm": algorithm, "vocabulary": entry.name}),  # type: ignore[arg-type]
        compare=_comparison(entry.name, *here),
        compare_with_gpt_4=_comparison(entry.name, GPT_4),
        vocabulary=url_for("vocabularies.vocabulary", name=entry.name),
        is_usable=is_usable,
        download=url_for("vocabularies.download", name=entry.name, file=file),
        languages=url_for("languages.page", **{"with": [entry.name, *here]}),  # type: ignore[arg-type]
        api=_api_call(algorithm, entry.name, _use(record)),
        longest=_longest(entry.name),
        compared=_compared(job, entry, record.characters_per_token),
        measured=[(measure, str(DEFINITIONS[measure].title)) for measure in MEASURED] if _is_measured(job) else [],
        command=command_line(record),
        python=python_code(record, file),
        orders=_orders(ngrams),
        built_in=bool(ngrams.get("built_in")),
        about_perplexity=_about_perplexity(ngrams),
        removed=_removed(ngrams),
    )


def _use(record: TrainingRecord) -> dict[str, str]:
    """The choices of the playground with which an n-gram model was measured."""
    plan = record.plan
    return {"order": plan.order, "smoothing": plan.smoothing} if plan.trainer == "ngram" else {}


def _orders(ngrams: Mapping[str, Any]) -> list[OrderFigures]:
    perplexity = ngrams.get("perplexity", {})
    built_in = ngrams.get("built_in", {}).get("perplexity", {})
    return [
        OrderFigures(order, size, perplexity.get(str(order)), built_in.get(str(order)))
        for order, size in enumerate(ngrams.get("sizes", ()), 1)
    ]


def _about_perplexity(ngrams: Mapping[str, Any]) -> str:
    if not ngrams.get("perplexity"):
        return _("No text was long enough to be set aside, so that nothing was measured.") if ngrams else ""
    figures = {"count": number(ngrams.get("held_out_words", 0)), "own": percent(ngrams.get("unknown", 0))}
    if not ngrams.get("built_in"):
        return _("Lower is better. Measured on %(count)s words, of which your model does not know %(own)s.", **figures)
    return _(
        "Lower is better. Measured on %(count)s words, of which your model does not know %(own)s and the built-in one "
        "%(other)s: each of these counts as one unknown word, so compare models only if the shares are alike.",
        **figures,
        other=percent(ngrams["built_in"].get("unknown", 0)),
    )


def _removed(ngrams: Mapping[str, Any]) -> str:
    parts = []
    if ngrams.get("forgotten"):
        parts.append(
            _(
                "%(count)s n-grams that occurred less than %(least)s times were dropped while counting, because the "
                "corpus has too many.",
                count=number(ngrams["forgotten"]),
                least=number(ngrams.get("forgotten_below", 0)),
            )
        )
    if ngrams.get("removed"):
        parts.append(
            _(
                "%(count)s rare n-grams were removed at the end; kept are counts from %(least)s on.",
                count=number(ngrams["removed"]),
                least=join_list([number(each) for each in ngrams.get("minimum_counts", ())]),
            )
        )
    return joined(parts)


def _comparison(*names: str) -> str:
    """The address of a comparison of vocabularies, each with its first algorithm."""
    entries = [entry for name in names if (entry := find(name))]
    choices = [f"{entry.algorithms[0]}:{entry.name}" for entry in entries]
    return url_for("compare.page", **{"with": choices})  # type: ignore[arg-type]


def _api_call(algorithm: str, name: str, choices: Mapping[str, str]) -> str:
    """A call of the API that tokenizes a text with the vocabulary."""
    text = "人生如梦境" if algorithm == "ngram" else "Hello world"
    body = json.dumps({"text": text, "algorithm": algorithm, "vocabulary": name, **choices}, ensure_ascii=False)
    address = url_for("playground.page", _external=True).rstrip("/")
    return f"curl -s {address}/api/v1/tokenize -H 'Content-Type: application/json' \\\n  -d '{body}'"


def _longest(name: str) -> list[str]:
    try:
        found = description_of(tokenizer_of(name))
    except (StillFetchingError, UnavailableVocabularyError, KeyError):
        return []
    places = (found.tokens.place_of(id) for id in found.portrait.longest_words or found.portrait.longest)
    pieces = (_readable(found.tokens.pieces[at]) for at in places if at is not None)
    return [piece for piece in pieces if len(piece) <= LONGEST_PIECE][:LONGEST_SHOWN]


def _readable(piece: str | bytes) -> str:
    """A piece as text, with its spaces."""
    return visible(piece if isinstance(piece, str) else piece.decode(errors="replace"))


def _is_measured(job: Job) -> bool:
    return bool(job.record.get("held_out", {}).get("own_measures"))


def _measures(found: Mapping[str, float | None] | None) -> list[str]:
    """The values of `MEASURED` as text; none for a record without them."""
    return [shown(measure, found.get(measure)) for measure in MEASURED] if found else []


def _compared(job: Job, entry: CatalogueEntry, own: float | None) -> list[ComparedVocabulary]:
    """The trained vocabulary among the others, the most characters per token first."""
    if not own:
        return []
    held_out = job.record.get("held_out", {})
    others, measures = held_out.get("others", {}), held_out.get("measures", {})
    found = [(other, float(value)) for name, value in others.items() if (other := find(name))]
    most = max([own, *(value for _other, value in found)])
    rows = [
        ComparedVocabulary(
            title=title_of(other),
            address=url_for("vocabularies.vocabulary", name=other.name),
            size=other.size,
            value=value,
            percent=round(100 * value / most, 1),
            measures=_measures(measures.get(other.name)),
        )
        for other, value in found
    ]
    mine = ComparedVocabulary(
        title=_("Yours"),
        address=url_for("vocabularies.vocabulary", name=entry.name),
        size=entry.size,
        value=own,
        percent=round(100 * own / most, 1),
        own=True,
        measures=_measures(held_out.get("own_measures")),
    )
    return sorted([mine, *rows], key=lambda row: -row.value)
