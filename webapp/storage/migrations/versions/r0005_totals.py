"""Totals of what snapshots and vocabularies take, and an index to find old snapshots."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table, and count what is stored."""
    op.create_table(
        "totals",
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", name=op.f("pk_totals")),
    )
    op.create_index(op.f("ix_snapshots_condition_created"), "snapshots", ["condition", "created"])
    op.execute(
        "INSERT INTO totals (kind, count, bytes) "
        "SELECT 'snapshots', count(*), coalesce(sum(length(content)), 0) FROM snapshots WHERE content IS NOT NULL"
    )
    op.execute(
        "INSERT INTO totals (kind, count, bytes) "
        "SELECT 'vocabularies', count(*), coalesce(sum(stored_bytes), 0) FROM vocabularies"
    )
