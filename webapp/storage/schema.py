"""Reads the schema revision of a database, and migrates it to the newest one."""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

# The newest revision in `migrations/versions`. With this constant, a start without migration does not import Alembic.
HEAD = "0005"

MIGRATIONS = Path(__file__).parent / "migrations"


class SchemaError(Exception):
    """A newer release has migrated the database."""


def revision(connection: Connection) -> str | None:
    """The schema revision of a database; None if it has no tables."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    number: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return number


def upgrade(connection: Connection) -> None:
    """Migrate the tables to `HEAD`, in the transaction of `connection`.

    Raises SchemaError for a revision that this release does not know.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    current = revision(connection)
    try:
        if current is not None:
            ScriptDirectory.from_config(config).get_revision(current)
    except CommandError:
        raise SchemaError(
            f"The database was written by a newer release of Tokenscope (its revision is {current}, this release knows "
            f"up to {HEAD}). Install that release, or restore a backup from this one."
        ) from None
    command.upgrade(config, "head")
