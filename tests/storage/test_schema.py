"""The tables: created at the start and migrated by one of several processes, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zstandard
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from flask import Flask
from sqlalchemy import create_engine, text

from tests.postgres import Cluster
from tests.storage.conftest import database_of
from webapp import create_app
from webapp.storage import DatabaseUrlError, SchemaError, Storage, UnavailableStorageError, schema, storage
from webapp.storage.engine import Database, url_of
from webapp.storage.tables import Base


def test_the_migrations_create_the_tables_of_the_models(database: Database) -> None:
    with database.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
        assert schema.revision(connection) == schema.HEAD


def test_data_of_an_older_release_is_migrated(database_settings: dict[str, str]) -> None:
    engine = create_engine(url_of(database_settings["DATABASE_URL"], Path(database_settings["DATABASE_FILE"])))
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(schema.MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        row = (
            "INSERT INTO vocabularies VALUES (:hash, :prefix, 'dictionary', 'fmm', 1, 4, 13, '2026-01-01', :file, NULL)"
        )
        connection.execute(text(row), {"hash": "a" * 64, "prefix": "a" * 16, "file": zstandard.compress(b"low\n")})
    engine.dispose()
    database = database_of(database_settings)
    kept = Storage(database).vocabularies
    assert kept.content("a" * 16) == kept.content("a" * 64) == (b"low\n", None)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, Base.metadata) == []
    database.close()


def test_two_processes_at_once_create_the_tables_once(database_settings: dict[str, str]) -> None:
    databases = [database_of(database_settings) for _ in range(2)]  # which share nothing, like two processes
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(Database.prepare, databases))
    with databases[0].read() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all() == [schema.HEAD]
    for each in databases:
        each.close()


def test_a_database_of_a_newer_release_is_refused(database_settings: dict[str, str], database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(SchemaError, match=r"written by a newer release of Tokenscope \(its revision is 9999"):
        create_app(database_settings)


def test_without_settings_the_file_is_in_the_instance_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Flask, "auto_find_instance_path", lambda app: str(tmp_path / "instance"))
    create_app({"DATABASE_FILE": ""})
    assert (tmp_path / "instance" / "tokenscope.sqlite").is_file()


def test_database_urls_of_hosting_platforms_are_understood(monkeypatch: pytest.MonkeyPatch, postgres: Cluster) -> None:
    monkeypatch.setenv("DATABASE_URL", postgres.empty().replace("postgresql:", "postgres:"))
    app = create_app()
    with app.app_context():
        assert storage().database.file is None
        assert storage().inventory.uploads() == []
        storage().database.close()


@pytest.mark.parametrize("url", ["mysql://me:secret@db/site", "secret", "postgresql://me:secret@db:port/x"])
def test_an_invalid_database_url_is_refused_without_showing_its_password(url: str) -> None:
    with pytest.raises(DatabaseUrlError, match="DATABASE_URL is not understood") as caught:
        url_of(url, Path())
    assert "secret" not in str(caught.value)


def test_a_database_without_wal_is_refused_in_time() -> None:
    with pytest.raises(UnavailableStorageError, match="WAL cannot be enabled here"):
        Database(url_of("", Path(":memory:")), seconds=0.1).prepare()


def test_wal_is_enabled_in_a_file_from_elsewhere(tmp_path: Path) -> None:
    settings = {"DATABASE_URL": "", "DATABASE_FILE": str(tmp_path / "tokenscope.sqlite")}
    first = database_of(settings)
    with first.write() as connection:
        connection.execute(text("COMMIT"))
        connection.execute(text("PRAGMA journal_mode=DELETE"))
    first.close()
    second = database_of(settings)
    with second.read() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1
    second.close()
