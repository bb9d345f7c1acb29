"""The tables. A change here needs a migration: `alembic revision --autogenerate -m "what changes"`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import DateTime, Dialect, ForeignKey, Index, LargeBinary, MetaData, String, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Moment(TypeDecorator[datetime]):
    """A moment in time, kept as UTC: SQLite knows no time zones."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """What is kept."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """What was kept."""
        return None if value is None else value.replace(tzinfo=UTC)


class Base(DeclarativeBase):
    """All tables, and how their constraints are named: a migration can only change what has a name."""

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
    """A vocabulary file, once for each content. What is long stands last: SQLite need not read past it."""

    __tablename__ = "vocabularies"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    prefix: Mapped[str] = mapped_column(String(16), index=True)  # of the hash, as names show it
    format: Mapped[str] = mapped_column(String(60))
    algorithms: Mapped[str] = mapped_column(String(60))  # with spaces between them
    size: Mapped[int]  # the number of its ids
    original_bytes: Mapped[int]  # of the file and its companion as they came
    stored_bytes: Mapped[int]  # of both as they are kept, compressed
    created: Mapped[datetime]
    uploaded: Mapped[bool]  # by somebody, for everybody who knows its name; others are kept for snapshots alone
    content: Mapped[bytes] = mapped_column(LargeBinary)
    companion: Mapped[bytes | None] = mapped_column(LargeBinary)


class SnapshotRow(Base):
    """What a link leads to. When it is gone the row stays, without its content, and says what became of it."""

    __tablename__ = "snapshots"

    id: Mapped[str] = mapped_column(String(51), primary_key=True)
    hash: Mapped[str] = mapped_column(String(64), unique=True)  # of the state: equal states share a row
    condition: Mapped[str] = mapped_column(String(10))
    created: Mapped[datetime]
    expires: Mapped[datetime | None]  # when the last of its claims does; None: never
    vocabulary_hash: Mapped[str | None] = mapped_column(String(64), index=True)
    content: Mapped[bytes | None] = mapped_column(LargeBinary)

    __table_args__ = (Index(None, "condition", "expires"),)


class NeedRow(Base):
    """A vocabulary that a snapshot of several results needs; of one result, it stands in the snapshot's own row."""

    __tablename__ = "needs"

    snapshot_id: Mapped[str] = mapped_column(ForeignKey(SnapshotRow.id), primary_key=True)
    vocabulary_hash: Mapped[str] = mapped_column(String(64), primary_key=True, index=True)


class ClaimRow(Base):
    """Somebody's wish that a snapshot be kept: it lives as long as one of its claims does."""

    __tablename__ = "claims"

    id: Mapped[int] = mapped_column(primary_key=True)
    snapshot_id: Mapped[str] = mapped_column(ForeignKey(SnapshotRow.id), index=True)
    secret_hash: Mapped[str] = mapped_column(String(64), index=True)  # only who was told the secret can end the claim
    created: Mapped[datetime]
    expires: Mapped[datetime | None]


class ReportRow(Base):
    """What somebody told the operator about a snapshot."""

    __tablename__ = "reports"

    id: Mapped[int] = mapped_column(primary_key=True)
    snapshot_id: Mapped[str] = mapped_column(ForeignKey(SnapshotRow.id), index=True)
    created: Mapped[datetime]
    reason: Mapped[str] = mapped_column(Text)
