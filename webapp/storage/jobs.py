"""Stores the trainings of visitors: what was asked for, how far it is, and what came of it.

    waiting → running → finished, failed or cancelled        waiting → cancelled or failed

A worker that takes a training up becomes its holder, and gives signs of life. Every change by a worker names the
holder, so that a worker that was given up can change nothing. A training without signs of life is waiting again.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from sqlalchemy import ColumnElement, Row, delete, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from webapp.core.training.plan import Progress, TrainingPlan
from webapp.core.training.survey import CorpusFacts
from webapp.storage.engine import Database
from webapp.storage.tables import JobRow

State = Literal["waiting", "running", "finished", "failed", "cancelled"]

# What one visitor may have at once.
MOST_RUNNING, MOST_WAITING = 1, 3
# How often a training is begun before it fails.
MOST_ATTEMPTS = 3
# How long failed and cancelled trainings are kept; finished ones stay, because their address is a link that lasts.
DAYS_KEPT = 30


class TooManyJobsError(Exception):
    """The visitor has `running` and `waiting` jobs already."""

    def __init__(self, running: int, waiting: int) -> None:
        super().__init__(f"{running} running and {waiting} waiting")
        self.running = running
        self.waiting = waiting


@dataclass(frozen=True)
class Failure:
    """Why a job failed.

    `code` is one of `CorpusError` or `TrainingError` with its details, `plan` (field, message), or: `time` (limit,
    seconds), `memory` and `disk` (limit, bytes), `lost` (attempts that ended without a reason), `expired` (no worker
    took it up for a day), `full` (no room for the vocabulary), `error` (a mistake of the site). The stage reached is
    in the job's progress.
    """

    code: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Job:
    """A training as it was when it was read. `vocabulary` is the public name of what was trained.

    `started` is when the latest attempt began, `stage_seconds` has the time that each stage of it took so far.
    `record` is a `TrainingRecord` as JSON, empty until the job is finished.
    """

    id: str
    state: State
    plan: TrainingPlan
    facts: CorpusFacts
    file_names: tuple[str, ...]
    created: datetime
    started: datetime | None = None
    ended: datetime | None = None
    attempts: int = 0
    progress: Progress | None = None
    failure: Failure | None = None
    vocabulary: str | None = None
    record: Mapping[str, Any] = field(default_factory=dict)
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    corpus: str = ""


class JobStore:
    """The trainings of a database, which several processes and machines may share."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, plan: TrainingPlan, corpus: str, facts: CorpusFacts, files: Sequence[str], visitor: str) -> Job:
        """Store a training that waits; raises TooManyJobsError."""
        values = {
            "id": secrets.token_urlsafe(16),
            "state": "waiting",
            "created": _now(),
            "visitor": visitor,
            "corpus": corpus,
            "attempts": 0,
            "beat": 0,
            "plan": plan.as_json(),
            "facts": facts.as_json(),
            "files": list(files),
            "seconds": {},
        }
        with self._database.write() as connection:
            if connection.dialect.name == "postgresql":  # SQLite has one writer at a time anyway
                lock = text("SELECT pg_advisory_xact_lock(hashtext(:visitor))")
                connection.execute(lock, {"visitor": visitor})
            states = select(JobRow.state).where(JobRow.visitor == visitor, _OPEN)
            found = connection.execute(states).scalars().all()
            if len(found) >= MOST_RUNNING + MOST_WAITING:
                running = found.count("running")
                raise TooManyJobsError(running, len(found) - running)
            connection.execute(insert(JobRow).values(values))
            return _job(connection.execute(select(*_COLUMNS).where(JobRow.id == values["id"])).one())

    def find(self, id: str) -> Job | None:
        """The training, or None."""
        with self._database.read() as connection:
            row = connection.execute(select(*_COLUMNS).where(JobRow.id == id)).first()
        return None if row is None else _job(row)

    def cancel(self, id: str) -> bool:
        """End a training that waits or runs; False if there is none. Its worker notices at its next sign of life."""
        return self._change(JobRow.id == id, _OPEN, state="cancelled", **_end())

    def claim(self, id: str) -> str | None:
        """Take up a waiting training: the secret of its holder; None if it does not wait or its visitor's turn is over.

        Of several workers, one succeeds.
        """
        holder = secrets.token_urlsafe(16)
        values = {"state": "running", "holder": holder, "started": _now(), "seconds": {}, "progress": None}
        more = {"attempts": JobRow.attempts + 1, "beat": JobRow.beat + 1}
        try:
            taken = self._change(JobRow.id == id, JobRow.state == "waiting", **values, **more)
        except IntegrityError:  # another training of the same visitor runs
            return None
        return holder if taken else None

    def beat(self, id: str, holder: str, progress: Progress | None, seconds: Mapping[str, float]) -> bool:
        """Give a sign of life, with the progress; False if the training was cancelled or given to another worker."""
        values: dict[str, Any] = {"progress": progress and progress.as_json(), "seconds": dict(seconds)}
        return self._change(*_held(id, holder), beat=JobRow.beat + 1, **values)

    def put_back(self, id: str, holder: str) -> bool:
        """Let a running training wait again, because its worker stops; the attempt does not count."""
        values: dict[str, Any] = {"state": "waiting", "holder": None, "started": None, "progress": None, "seconds": {}}
        return self._change(*_held(id, holder), attempts=JobRow.attempts - 1, **values)

    def finish(self, id: str, holder: str, vocabulary: str, record: Mapping[str, Any]) -> bool:
        """Store the result; False if the training was cancelled or given to another worker."""
        return self._change(*_held(id, holder), state="finished", vocabulary=vocabulary, record=dict(record), **_end())

    def fail(self, id: str, holder: str, failure: Failure) -> bool:
        """Store the reason why a training failed; False as for `finish`."""
        return self._change(*_held(id, holder), state="failed", failure=_failed(failure), **_end())

    def beats(self) -> dict[str, tuple[str, int]]:
        """The holder and the number of signs of life of each running training, by id."""
        wanted = select(JobRow.id, JobRow.holder, JobRow.beat).where(JobRow.state == "running")
        with self._database.read() as connection:
            return {row.id: (str(row.holder), row.beat) for row in connection.execute(wanted)}

    def release(self, id: str, holder: str) -> bool:
        """Let a training wait again whose process was lost, or let it fail after several attempts."""
        return self._lose(*_held(id, holder))

    def give_up(self, id: str, holder: str, beat: int) -> bool:
        """Like `release`, if there was no sign of life since `beat`; False otherwise."""
        return self._lose(*_held(id, holder), JobRow.beat == beat)

    def _lose(self, *silent: ColumnElement[bool]) -> bool:
        lost = _failed(Failure("lost", {"attempts": MOST_ATTEMPTS}))
        if self._change(*silent, JobRow.attempts >= MOST_ATTEMPTS, state="failed", failure=lost, **_end()):
            return True
        return self._change(*silent, state="waiting", holder=None, started=None, progress=None, seconds={})

    def expire(self, seconds: float) -> bool:
        """Let the trainings fail that have waited this long, and delete old ones that came to nothing."""
        old = JobRow.created < _now() - timedelta(seconds=seconds)
        gone = JobRow.ended < _now() - timedelta(days=DAYS_KEPT)
        with self._database.write() as connection:
            connection.execute(delete(JobRow).where(JobRow.state.in_(("failed", "cancelled")), gone))
        expired = _failed(Failure("expired"))
        return self._change(JobRow.state == "waiting", old, state="failed", failure=expired, **_end())

    def next(self) -> list[str]:
        """The ids of the trainings that may be taken up, oldest first: of each visitor one, if none of theirs runs."""
        with self._database.read() as connection:
            rows = connection.execute(_open_rows()).all()
        busy = {row.visitor for row in rows if row.state == "running"}
        first: dict[str, str] = {}
        for row in rows:
            if row.state == "waiting" and row.visitor not in busy:
                first.setdefault(row.visitor, row.id)
        return list(first.values())

    def corpora(self) -> set[str]:
        """The corpora of trainings that wait or run."""
        with self._database.read() as connection:
            return set(connection.execute(select(JobRow.corpus).where(_OPEN)).scalars())

    def place(self, id: str) -> int:
        """The number of trainings that run, or have waited longer than this one; 0 unless it waits."""
        with self._database.read() as connection:
            rows = connection.execute(_open_rows()).all()
        waiting = [row.id for row in rows if row.state == "waiting"]
        return len(rows) - len(waiting) + waiting.index(id) if id in waiting else 0

    def _change(self, *conditions: ColumnElement[bool], **values: Any) -> bool:
        with self._database.write() as connection:
            return connection.execute(update(JobRow).where(*conditions).values(values)).rowcount > 0


_OPEN = JobRow.state.in_(("waiting", "running"))
_COLUMNS = [column for column in JobRow.__table__.columns if column.name not in ("visitor", "holder", "beat")]


def _held(id: str, holder: str) -> tuple[ColumnElement[bool], ...]:
    return JobRow.id == id, JobRow.holder == holder, JobRow.state == "running"


def _end() -> dict[str, Any]:
    return {"ended": _now(), "visitor": None, "holder": None}


def _failed(failure: Failure) -> dict[str, Any]:
    return {"code": failure.code, "details": dict(failure.details)}


def _open_rows() -> Any:
    return select(JobRow.id, JobRow.state, JobRow.visitor).where(_OPEN).order_by(JobRow.created, JobRow.id)


def _job(row: Row[Any]) -> Job:
    return Job(
        id=row.id,
        state=cast(State, row.state),
        plan=TrainingPlan.from_json(row.plan),
        facts=CorpusFacts.from_json(row.facts),
        file_names=tuple(row.files),
        created=row.created,
        started=row.started,
        ended=row.ended,
        attempts=row.attempts,
        progress=None if row.progress is None else Progress.from_json(row.progress),
        failure=None if row.failure is None else Failure(row.failure["code"], row.failure["details"]),
        vocabulary=row.vocabulary,
        record=row.record or {},
        stage_seconds=row.seconds,
        corpus=row.corpus,
    )


def _now() -> datetime:
    return datetime.now(UTC)
