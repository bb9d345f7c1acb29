"""The result of a training: its figures beside those of other vocabularies, files and code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flask import url_for
from flask_babel import gettext as _

from webapp.core.algorithms import UNREADABLE
from webapp.core.analysis.measures import MeasureId
from webapp.core.training.record import TrainingRecord, command_line, python_code
from webapp.jobs import Job
from webapp.rendering.markup import visible
from webapp.tokenization.measures.definitions import DEFINITIONS
from webapp.tokenization.measures.measured import shown
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.library import is_here

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
    """A vocabulary on the held-out text: characters per token, and `MEASURED` as text.

    Trainings before they were measured have no measures.
    """

    title: str
    name: str
    size: int | None
    value: float
    own: bool = False
    measures: Sequence[str] = ()


@dataclass(frozen=True)
class FinishedTraining:
    """The vocabulary, where to use it, and how it compares."""

    entry: CatalogueEntry
    record: TrainingRecord
    file: str  # to download
    use: Mapping[str, str]  # the choices of the playground with which it was measured
    is_usable: bool  # not with PickyBPE, of which only the stored file is left
    others: Sequence[CatalogueEntry]  # those of `COMPARED_WITH` that are here
    gpt_4: Sequence[CatalogueEntry]
    api: str
    longest: Sequence[str]
    compared: Sequence[ComparedVocabulary]
    measured: Sequence[tuple[MeasureId, str]]  # the measures that `compared` has, with their titles
    command: str
    python: str

    def chosen_with(self, others: Sequence[CatalogueEntry]) -> list[str]:
        """The vocabulary and others as the page of comparisons names them, each with its first algorithm."""
        return [f"{entry.algorithms[0]}:{entry.name}" for entry in (self.entry, *others)]


def finished_of(job: Job) -> FinishedTraining | None:
    """The result of a finished job; None if its vocabulary was deleted."""
    entry = find(job.vocabulary) if job.vocabulary else None
    if entry is None:
        return None
    record = TrainingRecord.from_json(job.record)
    plan = record.plan
    counts_ngrams = plan.trainer == "ngram"
    file = NGRAMS_FILE if counts_ngrams else FILE
    use: dict[str, str] = {"order": plan.order, "smoothing": plan.smoothing} if counts_ngrams else {}
    is_measured = bool(record.held_out.get("own_measures"))
    return FinishedTraining(
        entry=entry,
        record=record,
        file=file,
        use=use,
        is_usable=UNREADABLE not in entry.algorithms,
        others=[other for name in COMPARED_WITH if (other := find(name)) and is_here(other)],
        gpt_4=[gpt_4] if (gpt_4 := find(GPT_4)) else [],
        api=_api_call(entry.algorithms[0], entry.name, use),
        longest=_longest(entry.name),
        compared=_compared(record, entry),
        measured=[(measure, str(DEFINITIONS[measure].title)) for measure in MEASURED] if is_measured else [],
        command=command_line(record),
        python=python_code(record, file),
    )


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


def _measures(found: Mapping[str, float | None] | None) -> list[str]:
    """The values of `MEASURED` as text; none for a record without them."""
    return [shown(measure, found.get(measure)) for measure in MEASURED] if found else []


def _compared(record: TrainingRecord, entry: CatalogueEntry) -> list[ComparedVocabulary]:
    """The trained vocabulary among the others, the most characters per token first."""
    own, held_out = record.characters_per_token, record.held_out
    if not own:
        return []
    measures = held_out.get("measures", {})
    mine = ComparedVocabulary(
        _("Yours"), entry.name, entry.size, own, own=True, measures=_measures(held_out.get("own_measures"))
    )
    rows = [
        ComparedVocabulary(title_of(other), name, other.size, float(value), measures=_measures(measures.get(name)))
        for name, value in held_out.get("others", {}).items()
        if (other := find(name))
    ]
    return sorted([mine, *rows], key=lambda row: -row.value)
