"""Stores the corpus of a form, and finds it again: files, pasted text or an example."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import IO, cast

from flask import Request, current_app
from flask_babel import gettext as _
from werkzeug.datastructures import FileStorage

from webapp.core.training.corpus import CorpusError, CorpusFile, check_size
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.survey import CorpusFacts, survey
from webapp.jobs import jobs
from webapp.jobs.corpora import CorpusTooLargeError, NoRoomError
from webapp.pages.train.examples import BY_KEY, ExampleCorpus
from webapp.pages.train.messages import base_name, corpus_sentence, size_in_words
from webapp.pages.train.recognition import NoTextFileError, format_of
from webapp.tokenization.forms import InputProblem, as_typed
from webapp.web.client_addresses import rate_limit_key
from webapp.web.localization import number

MOST_FILES = 100
LONGEST_FIELD = 100  # characters of the name of a field of JSON Lines
LONGEST_STORED_NAME = 255  # characters of the name of a file; the end, which says its kind
UPLOAD_ADDRESS = "/train/corpus"  # the one address that takes bodies of this size
FORM_BYTES = 1_000_000  # room for all that is no file: names, boundaries, the plan


@dataclass(frozen=True)
class StoredCorpus:
    """A corpus on disk, and what is known about it."""

    id: str
    files: tuple[CorpusFile, ...]
    facts: CorpusFacts


def upload_limit() -> int:
    """The maximum size of a request with a corpus, in bytes."""
    limit: int = current_app.config["MAX_TRAINING_BYTES"] + FORM_BYTES
    return limit


def store_corpus(request: Request) -> str | InputProblem:
    """Store the corpus of a form on disk: its id, or the problem with it."""
    files = [file for file in request.files.getlist("files") if file.filename]
    text = as_typed(request.form.get("text"))
    example = BY_KEY.get(request.form.get("example", ""))
    field = request.form.get("field", "").strip()[:LONGEST_FIELD] or "text"
    if len(files) > MOST_FILES:
        message = _(
            "You chose %(count)s files; the limit is %(most)s. Combine some of them.",
            count=number(len(files)),
            most=MOST_FILES,
        )
        return InputProblem(message, 422, "files")
    sources = [*map(_file, files)] if files and not example else []
    if example:
        sources = [Source(example.file, cast(IO[bytes], _Parts(example)), "files")]
    elif text.strip() and not files:
        sources = [Source(_("pasted text"), io.BytesIO(text.encode("utf-8", "replace")), "text")]
    if not sources:
        return InputProblem(_("Paste a text, choose files, or start with an example."), 422, "text")
    return _store(sources, field, rate_limit_key(request.remote_addr or ""))


@dataclass(frozen=True)
class Source:
    """A part of a corpus to store, and the form field to blame for it."""

    name: str
    stream: IO[bytes]
    blamed: str
    is_file: bool = False


def _file(file: FileStorage) -> Source:
    return Source(base_name(file.filename or "")[-LONGEST_STORED_NAME:], file.stream, "files", is_file=True)


class _Parts(io.RawIOBase):
    """The text of an example as a stream."""

    def __init__(self, example: ExampleCorpus) -> None:
        self._parts: Iterator[str] = example.parts()
        self._waiting = b""

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        """Fill the buffer with the next bytes; 0 at the end."""
        while not self._waiting:
            part = next(self._parts, None)
            if part is None:
                return 0
            self._waiting = part.encode()
        size = min(len(buffer), len(self._waiting))
        buffer[:size], self._waiting = self._waiting[:size], self._waiting[size:]
        return size


def _store(sources: list[Source], field: str, visitor: str) -> str | InputProblem:
    corpora = jobs().corpora
    id, problem, complete = "", None, False
    try:
        id = jobs().new_corpus(visitor)
        for source in sources:
            format = format_of(source.name, source.stream) if source.is_file else "text"
            corpora.add(id, source.name, source.stream, format, field)
        check_size(corpora.files(id), corpora.most_bytes)
        # Only its beginning: a mistake further on ends the training.
        survey(corpora.files(id), TrainingPlan())
        corpora.keep(id)
        complete = True
    except NoTextFileError as error:
        message = _(
            "“%(name)s” is a file of the kind %(kind)s. Save its text as UTF-8 and upload that.",
            name=source.name,
            kind=error.kind,
        )
        problem = InputProblem(message, 422, source.blamed)
    except CorpusTooLargeError as error:
        message = _(
            "The corpus is larger than %(limit)s. Upload a part of it; some megabytes are enough for most "
            "vocabularies.",
            limit=size_in_words(error.limit),
        )
        problem = InputProblem(message, 413, source.blamed)
    except NoRoomError:
        message = _("This site has no room for a corpus of this size now. Try again in an hour, or upload less.")
        problem = InputProblem(message, 507, sources[0].blamed)
    except CorpusError as error:
        blamed = "field" if error.code == "no_field" else sources[0].blamed
        status = 413 if error.code == "too_large" else 422
        problem = InputProblem(corpus_sentence(error.code, error.details), status, blamed)
    finally:
        if not complete:
            corpora.delete(id)
    return problem or id


def find_corpus(id: str, plan: TrainingPlan) -> StoredCorpus | None:
    """The corpus, with what is known about it under a plan; None if there is none, or no more.

    Raises TrainingError for a pattern that is too slow on it, and for n-grams of text without spaces.
    """
    files = tuple(jobs().corpora.files(id))
    if not files:
        return None
    try:
        return StoredCorpus(id, files, _facts(files, _as_counted(plan)))
    except CorpusError:  # it was deleted meanwhile
        return None


def _as_counted(plan: TrainingPlan) -> TrainingPlan:
    """The plan with only what changes how a corpus is split, so that facts can be used again."""
    counted = TrainingPlan()
    return replace(
        counted,
        trainer=plan.trainer,
        split=plan.split,
        pattern=plan.pattern,
        normalization=plan.normalization,
        longest_word=plan.longest_word,
        segmentation=plan.segmentation,
    )


@lru_cache(maxsize=64)
def _facts(files: tuple[CorpusFile, ...], plan: TrainingPlan) -> CorpusFacts:
    return survey(files, plan)


def size_of(file: CorpusFile) -> int:
    """The size of a stored file in bytes; 0 if it is gone."""
    try:
        return Path(file.path).stat().st_size
    except OSError:
        return 0
