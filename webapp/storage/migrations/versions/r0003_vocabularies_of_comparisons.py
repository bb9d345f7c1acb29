"""Snapshots of comparisons, which have a vocabulary for each row."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table of the vocabularies that these snapshots need."""
    op.create_table(
        "needs",
        sa.Column("snapshot_id", sa.String(length=51), nullable=False),
        sa.Column("vocabulary_hash", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(["snapshot_id"], ["snapshots.id"], name=op.f("fk_needs_snapshot_id_snapshots")),
        sa.PrimaryKeyConstraint("snapshot_id", "vocabulary_hash", name=op.f("pk_needs")),
    )
    op.create_index(op.f("ix_needs_vocabulary_hash"), "needs", ["vocabulary_hash"])
