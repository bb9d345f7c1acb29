"""Vocabularies, snapshots, claims and reports."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "vocabularies",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("prefix", sa.String(16), nullable=False),
        sa.Column("format", sa.String(60), nullable=False),
        sa.Column("algorithms", sa.String(60), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("original_bytes", sa.Integer(), nullable=False),
        sa.Column("stored_bytes", sa.Integer(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("companion", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("hash", name="pk_vocabularies"),
    )
    op.create_index("ix_vocabularies_prefix", "vocabularies", ["prefix"])
    op.create_table(
        "snapshots",
        sa.Column("id", sa.String(51), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("condition", sa.String(10), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("expires", sa.DateTime(), nullable=True),
        sa.Column("vocabulary_hash", sa.String(64), nullable=True),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_snapshots"),
        sa.UniqueConstraint("hash", name="uq_snapshots_hash"),
    )
    op.create_index("ix_snapshots_vocabulary_hash", "snapshots", ["vocabulary_hash"])
    op.create_index("ix_snapshots_condition_expires", "snapshots", ["condition", "expires"])
    op.create_table(
        "claims",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("snapshot_id", sa.String(51), nullable=False),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("expires", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_claims"),
        sa.ForeignKeyConstraint(["snapshot_id"], ["snapshots.id"], name="fk_claims_snapshot_id_snapshots"),
    )
    op.create_index("ix_claims_snapshot_id", "claims", ["snapshot_id"])
    op.create_index("ix_claims_secret_hash", "claims", ["secret_hash"])
    op.create_table(
        "reports",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("snapshot_id", sa.String(51), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
        sa.ForeignKeyConstraint(["snapshot_id"], ["snapshots.id"], name="fk_reports_snapshot_id_snapshots"),
    )
    op.create_index("ix_reports_snapshot_id", "reports", ["snapshot_id"])
