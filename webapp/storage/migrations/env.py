"""Alembic's environment: runs the migrations on the connection that the caller passes.

The command `alembic` passes none: it uses `DATABASE_URL`, or the database file in the instance folder.
"""

import os
from pathlib import Path

from alembic import context
from sqlalchemy import Connection, create_engine

from webapp.storage.engine import url_of
from webapp.storage.tables import Base


def run(connection: Connection) -> None:
    """Run the migrations in the transaction that `connection` is in."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=True,  # SQLite changes a table by copying it
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    url = url_of(os.environ.get("DATABASE_URL", ""), Path("instance/tokenscope.sqlite"))
    with create_engine(url).begin() as own:
        run(own)
