"""The tables' revision: which one a database has, and how it gets today's."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

# The newest of `migrations/versions`. Here, so that a start with tables up to date does not load Alembic.
HEAD = "0003"

MIGRATIONS = Path(__file__).parent / "migrations"


class SchemaError(Exception):
    """The database was written by a newer release than this one."""


def revision(connection: Connection) -> str | None:
    """The revision that the tables of a database have; None where there are none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found


def upgrade(connection: Connection) -> None:
    """Bring the tables up to date, in the transaction of `connection`.

    Raises SchemaError for a revision that this release does not know.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    found = revision(connection)
    try:
        if found is not None:
            ScriptDirectory.from_config(config).get_revision(found)
    except CommandError:
        raise SchemaError(
            f"The database was written by a newer release of Tokenscope (its revision is {found}, this release knows "
            f"up to {HEAD}). Install that release, or restore a backup that this one has made."
        ) from None
    command.upgrade(config, "head")
