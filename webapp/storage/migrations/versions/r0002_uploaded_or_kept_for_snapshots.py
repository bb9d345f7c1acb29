"""Distinguishes uploaded vocabularies from those stored for snapshots only.

For existing vocabularies the difference is unknown: they count as uploaded, so that their links still work.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column `uploaded`; in SQLite before the content, so that reading it does not read the content."""
    mark: sa.Column[bool] = sa.Column("uploaded", sa.Boolean(), nullable=False, server_default=sa.true())
    if op.get_context().dialect.name == "sqlite":
        with op.batch_alter_table("vocabularies", recreate="always") as table:
            table.add_column(mark, insert_after="created")
    else:
        op.add_column("vocabularies", mark)
    with op.batch_alter_table("vocabularies") as table:
        table.alter_column("uploaded", server_default=None)
