"""Trainings that run outside of requests."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create their table."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=22), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("started", sa.DateTime()),
        sa.Column("ended", sa.DateTime()),
        sa.Column("visitor", sa.String(length=64)),
        sa.Column("corpus", sa.String(length=22), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("holder", sa.String(length=22)),
        sa.Column("beat", sa.Integer(), nullable=False),
        sa.Column("vocabulary", sa.String(length=40)),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Text(), nullable=False),
        sa.Column("progress", sa.Text()),
        sa.Column("failure", sa.Text()),
        sa.Column("record", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    op.create_index(op.f("ix_jobs_state_created"), "jobs", ["state", "created"])
    op.create_index(
        "ix_jobs_visitor",
        "jobs",
        ["visitor"],
        unique=True,
        sqlite_where=sa.text("state = 'running'"),
        postgresql_where=sa.text("state = 'running'"),
    )
