"""What a visitor handed in, as a document that the site signs: it is in their browser, not on the server.

The browser sends the record with each hand-in and gets it back with one try more; a report for a teacher is the same
document with a name. The signature covers the content, not the line breaks of the file. It proves that the site wrote
the document and nobody has changed it since, not who sat at the keyboard.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from itsdangerous import Signer
from pydantic import TypeAdapter
from pydantic_core import from_json

from webapp.jobs import jobs
from webapp.storage import UnavailableStorageError
from webapp.tokenization.forms import as_typed

MOST_BYTES = 800_000  # characters of a record: twice what all exercises take
MOST_EXERCISES = 100
MOST_TRIES = 20  # that are listed for an exercise; all are counted
MOST_KEPT = 1_000  # characters of the latest answer
LONGEST_NAME = 80


@dataclass(frozen=True)
class Try:
    """One hand-in: the time in UTC, the outcome, what was predicted, and the first place that differs, of its kind."""

    time: str
    outcome: str
    predicted: str = ""
    kind: str = ""
    place: int | None = None
    rule: str = ""


@dataclass(frozen=True)
class Work:
    """What a visitor did in an exercise; `answer` is the beginning of the latest one, `hash` its SHA-256.

    `hints` is how many hints were opened, `solved` whether the answer was.
    """

    exercise: str
    title: str
    count: int = 0
    tries: tuple[Try, ...] = ()
    answer: str = ""
    characters: int = 0
    hash: str = ""
    hints: int = 0
    solved: bool = False

    @property
    def last(self) -> Try | None:
        """The latest try."""
        return self.tries[-1] if self.tries else None

    @property
    def outcome(self) -> str:
        """The best outcome so far; empty before the first try."""
        reached = {each.outcome for each in self.tries}
        return next((each for each in ("right", "other-rule", "wrong") if each in reached), "")

    @property
    def is_right(self) -> bool:
        """Whether one of the tries was right."""
        return self.outcome == "right"


@dataclass(frozen=True)
class Record:
    """All that was handed in; `id` is the same in all reports that were made of one record."""

    id: str
    works: tuple[Work, ...] = ()
    student: str = ""
    sheet: str = ""
    written: str = ""

    def work(self, exercise: str, title: str = "") -> Work:
        """What was done in an exercise so far."""
        return next((each for each in self.works if each.exercise == exercise), Work(exercise, title))

    def having(self, work: Work) -> "Record":
        """The record with the work on one exercise replaced; the oldest of too many are dropped."""
        others = [each for each in self.works if each.exercise != work.exercise]
        return replace(self, works=(*others, work)[-MOST_EXERCISES:])

    def report(self, student: str, sheet: str = "", exercises: Sequence[str] | None = None) -> "Record":
        """The report for a teacher: of the exercises of a sheet, in their order, or of all."""
        names = [each.exercise for each in self.works] if exercises is None else exercises
        works = tuple(work for name in names if (work := self.work(name)).count or work.hints)
        return replace(self, works=works, student=" ".join(student.split()), sheet=sheet, written=_now())


class ForgedError(ValueError):
    """A document whose signature is not that of this site for this content; the message is the name in it."""


class UnreadableError(ValueError):
    """A document that is no record."""


def handed_in(work: Work, answer: str, attempt: Try) -> Work:
    """The work with one try more."""
    return replace(
        work,
        count=work.count + 1,
        tries=(*work.tries, replace(attempt, time=_now()))[-MOST_TRIES:],
        answer=answer[:MOST_KEPT].encode("utf-8", "replace").decode(),
        characters=len(answer),
        hash=sha256(answer.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def new_record() -> Record:
    """An empty record."""
    return Record(secrets.token_hex(8))


def signed(record: Record, *, indent: int | None = None) -> str:
    """The document of a record, JSON with its signature."""
    content = _ADAPTER.dump_python(record, mode="json", exclude_defaults=True)
    return json.dumps({"report": content, "signature": _signature(content)}, ensure_ascii=False, indent=indent)


def opened(document: str) -> Record:
    """The record in a document. Raises UnreadableError for anything else, and ForgedError if it was changed."""
    try:
        if len(document) > MOST_BYTES:
            raise ValueError
        found = from_json(as_typed(document))  # which refuses lone surrogates: no page can show them
        content, signature = found["report"], found["signature"]
        if not isinstance(signature, str):
            raise TypeError
        if not _signer().verify_signature(_canonical(content), signature):
            raise ForgedError(str(content.get("student", ""))[:LONGEST_NAME])
        return _ADAPTER.validate_python(content, strict=False)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        if isinstance(error, ForgedError):
            raise
        raise UnreadableError from error


_ADAPTER = TypeAdapter(Record)


def _canonical(content: Any) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()


def _signer() -> Signer:
    """A signer with the key that all machines of the site share; raises UnavailableStorageError without the key."""
    try:
        key = jobs().corpora.secret()
    except OSError as error:
        raise UnavailableStorageError("away", f"the key in TOKENSCOPE_CORPUS_FOLDER: {error.strerror}") from error
    return Signer(key, salt="homework", key_derivation="hmac", digest_method=sha256)


def _signature(content: Any) -> str:
    return _signer().get_signature(_canonical(content)).decode()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
