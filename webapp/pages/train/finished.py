"""The result of a training: its figures beside those of other vocabularies, files and code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from flask import url_for
from flask_babel import gettext as _

from webapp.core.training.record import TrainingRecord, command_line, python_code
from webapp.jobs import Job
from webapp.rendering.markup import visible
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.library import is_here

LONGEST_SHOWN = 12
LONGEST_PIECE = 40  # characters
FILE = "tokenizer.json"
GPT_4 = "cl100k_base"
COMPARED_WITH = (GPT_4, "bpe-bytes")  # as far as they are here


@dataclass(frozen=True)
class ComparedVocabulary:
    """A vocabulary's characters per token on the held-out text, with the length of its bar in percent."""

    title: str
    address: str
    size: int | None
    value: float
    percent: float
    own: bool = False


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
    download: str  # of tokenizer.json; empty for PickyBPE, which that format cannot express
    languages: str
    api: str
    longest: Sequence[str]
    compared: Sequence[ComparedVocabulary]
    command: str
    python: str


def finished_of(job: Job) -> FinishedTraining | None:
    """The result of a finished job; None if its vocabulary was deleted."""
    entry = find(job.vocabulary) if job.vocabulary else None
    if entry is None:
        return None
    record = TrainingRecord.from_json(job.record)
    is_published = record.plan.variant != "picky"
    here = [name for name in COMPARED_WITH if (other := find(name)) and is_here(other)]
    algorithm = entry.algorithms[0]
    return FinishedTraining(
        entry=entry,
        pieces=record.pieces,
        characters_per_token=record.characters_per_token,
        held_out=int(job.record.get("held_out", {}).get("characters", 0)),
        playground=url_for("playground.page", algorithm=algorithm, vocabulary=entry.name),
        compare=_comparison(entry.name, *here),
        compare_with_gpt_4=_comparison(entry.name, GPT_4),
        vocabulary=url_for("vocabularies.vocabulary", name=entry.name),
        download=url_for("vocabularies.download", name=entry.name, file=FILE) if is_published else "",
        languages=url_for("languages.page", **{"with": [entry.name, *here]}),  # type: ignore[arg-type]
        api=_api_call(algorithm, entry.name),
        longest=_longest(entry.name),
        compared=_compared(job, entry, record.characters_per_token),
        command=command_line(record),
        python=python_code(record, FILE) if is_published else "",
    )


def _comparison(*names: str) -> str:
    """The address of a comparison of vocabularies, each with its first algorithm."""
    entries = [entry for name in names if (entry := find(name))]
    choices = [f"{entry.algorithms[0]}:{entry.name}" for entry in entries]
    return url_for("compare.page", **{"with": choices})  # type: ignore[arg-type]


def _api_call(algorithm: str, name: str) -> str:
    """A call of the API that tokenizes a text with the vocabulary."""
    body = json.dumps({"text": "Hello world", "algorithm": algorithm, "vocabulary": name})
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


def _compared(job: Job, entry: CatalogueEntry, own: float | None) -> list[ComparedVocabulary]:
    """The trained vocabulary among the others, the most characters per token first."""
    if not own:
        return []
    others = job.record.get("held_out", {}).get("others", {})
    found = [(other, float(value)) for name, value in others.items() if (other := find(name))]
    most = max([own, *(value for _other, value in found)])
    rows = [
        ComparedVocabulary(
            title=title_of(other),
            address=url_for("vocabularies.vocabulary", name=other.name),
            size=other.size,
            value=value,
            percent=round(100 * value / most, 1),
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
    )
    return sorted([mine, *rows], key=lambda row: -row.value)
