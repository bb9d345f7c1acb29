"""The tables. A change here needs a migration: CONTRIBUTING, “Change a table”."""

import json
from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Moment(TypeDecorator[datetime]):
    """A point in time, stored in UTC without a time zone, because SQLite has none."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The value to store."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The value with its time zone."""
        return None if value is None else value.replace(tzinfo=UTC)


class Document(TypeDecorator[Any]):
    """JSON as ASCII text: PostgreSQL's own types refuse some characters that a corpus may contain."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """The value to store."""
        return None if value is None else json.dumps(value, separators=(",", ":"))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """The stored document."""
        return None if value is None else json.loads(value)


class Base(DeclarativeBase):
    """Base of all tables. It names their constraints, because migrations can only change named ones."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: Moment}


class VocabularyRow(Base):
    """A vocabulary file. The long columns come last, so that SQLite need not read past them."""

    __tablename__ = "vocabularies"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    prefix: Mapped[str] = mapped_column(String(16), index=True)  # of the hash, as in public names
    format: Mapped[str] = mapped_column(String(60))
    algorithms: Mapped[str] = mapped_column(String(60))  # separated by spaces
    size: Mapped[int]  # the number of its ids
    original_bytes: Mapped[int]  # of the uploaded file and its companion
    stored_bytes: Mapped[int]  # of both after compression
    created: Mapped[datetime]
    uploaded: Mapped[bool]  # by a visitor, usable by anyone who knows its name; False: stored for snapshots only
    content: Mapped[bytes] = mapped_column(LargeBinary)
    companion: Mapped[bytes | None] = mapped_column(LargeBinary)


class SnapshotRow(Base):
    """A shared result. After deletion, the row stays without its content, and its condition says why."""

    __tablename__ = "snapshots"

    id: Mapped[str] = mapped_column(String(51), primary_key=True)
    hash: Mapped[str] = mapped_column(String(64), unique=True)  # of the state: equal states share a row
    condition: Mapped[str] = mapped_column(String(10))
    created: Mapped[datetime]
    expires: Mapped[datetime | None]  # with the last of its claims; None: never
    vocabulary_hash: Mapped[str | None] = mapped_column(String(64), index=True)
    content: Mapped[bytes | None] = mapped_column(LargeBinary)

    __table_args__ = (Index(None, "condition", "expires"), Index(None, "condition", "created"))


class SnapshotVocabularyRow(Base):
    """A vocabulary that a snapshot of a comparison needs; for a single result, the snapshot's own row has it."""

    __tablename__ = "needs"

    snapshot_id: Mapped[str] = mapped_column(ForeignKey(SnapshotRow.id), primary_key=True)
    vocabulary_hash: Mapped[str] = mapped_column(String(64), primary_key=True, index=True)


class ClaimRow(Base):
    """A visitor's claim to a snapshot, which exists as long as it has claims."""

    __tablename__ = "claims"

    id: Mapped[int] = mapped_column(primary_key=True)
    snapshot_id: Mapped[str] = mapped_column(ForeignKey(SnapshotRow.id), index=True)
    secret_hash: Mapped[str] = mapped_column(String(64), index=True)  # the secret ends the claim
    created: Mapped[datetime]
    expires: Mapped[datetime | None]


class ReportRow(Base):
    """A visitor's report about a snapshot."""

    __tablename__ = "reports"

    id: Mapped[int] = mapped_column(primary_key=True)
    snapshot_id: Mapped[str] = mapped_column(ForeignKey(SnapshotRow.id), index=True)
    created: Mapped[datetime]
    reason: Mapped[str] = mapped_column(Text)


class TotalRow(Base):
    """What all snapshots or all vocabularies take: `webapp.storage.totals` keeps it up to date."""

    __tablename__ = "totals"

    kind: Mapped[str] = mapped_column(String(20), primary_key=True)
    count: Mapped[int]
    bytes: Mapped[int] = mapped_column(BigInteger)


class JobRow(Base):
    """A training of a visitor, before, during and after it: `webapp.storage.jobs` says how its state changes."""

    __tablename__ = "jobs"

    id: Mapped[str] = mapped_column(String(22), primary_key=True)
    state: Mapped[str] = mapped_column(String(10))
    created: Mapped[datetime]
    started: Mapped[datetime | None]  # the latest attempt
    ended: Mapped[datetime | None]
    visitor: Mapped[str | None] = mapped_column(String(64))  # a keyed hash of the address; None after the end
    corpus: Mapped[str] = mapped_column(String(22))
    attempts: Mapped[int]
    holder: Mapped[str | None] = mapped_column(String(22))  # a secret of the attempt that runs
    beat: Mapped[int]  # counts the signs of life of all attempts
    vocabulary: Mapped[str | None] = mapped_column(String(40))
    plan: Mapped[Any] = mapped_column(Document)
    facts: Mapped[Any] = mapped_column(Document)
    files: Mapped[Any] = mapped_column(Document)  # their names
    seconds: Mapped[Any] = mapped_column(Document)  # of each stage
    progress: Mapped[Any | None] = mapped_column(Document)
    failure: Mapped[Any | None] = mapped_column(Document)
    record: Mapped[Any | None] = mapped_column(Document)

    __table_args__ = (
        Index(None, "state", "created"),
        # No visitor has two trainings that run, whatever workers do at the same moment.
        Index(
            "ix_jobs_visitor",
            "visitor",
            unique=True,
            sqlite_where=text("state = 'running'"),
            postgresql_where=text("state = 'running'"),
        ),
    )
