"""What every test may use."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from hypothesis import settings

from tests.postgres import Cluster, find_programs, running
from webapp import create_app, vocabularies
from webapp.storage import storage_of
from webapp.storage.tables import Base

pytest_plugins = ["tests.site"]

SHARED = Path(__file__).resolve().parents[2] / "shared"

# Tests ask from one address, and more often than a person would.
for name in ("TOKENSCOPE_RATE_READING", "TOKENSCOPE_RATE_STORING"):
    os.environ.setdefault(name, "")

# Examples take as long as they take on a busy machine; in CI the same ones are tried in every run.
settings.register_profile("tokenscope", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("tokenscope")


@pytest.fixture(scope="session", autouse=True)
def _own_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever this machine keeps, tests keep theirs in a file that goes with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DATABASE_URL", raising=False)
        patch.setenv("TOKENSCOPE_DATABASE_FILE", str(tmp_path_factory.mktemp("database") / "tokenscope.sqlite"))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of texts, corpora and published vocabularies beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"there is no {SHARED}: published texts and vocabularies to compare with are not at hand")
    return SHARED


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL of the tests' own."""
    programs = find_programs()
    if programs is None:
        reason = "no PostgreSQL on this machine"
        if os.environ.get("TOKENSCOPE_REQUIRE_POSTGRES") or os.environ.get("CI"):
            pytest.fail(f"{reason}, and the tests with it are required here")
        pytest.skip(reason)
    with running(programs) as cluster:
        yield cluster


DATABASES = ["sqlite", "postgresql"]


@pytest.fixture(params=DATABASES)
def database_settings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Settings with an empty database of a test's own, once SQLite and once PostgreSQL."""
    return _settings(request, tmp_path)


def _settings(request: pytest.FixtureRequest, folder: Path) -> dict[str, str]:
    if request.param == "sqlite":
        return {"DATABASE_URL": "", "DATABASE_FILE": str(folder / "tokenscope.sqlite")}
    cluster: Cluster = request.getfixturevalue("postgres")
    return {"DATABASE_URL": cluster.empty(), "DATABASE_FILE": str(folder / "unused.sqlite")}


@pytest.fixture(scope="module", params=DATABASES)
def _storing_app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    folder = tmp_path_factory.mktemp("storing")
    nowhere = {"HUB": "http://127.0.0.1:9", "OPENAI_FILES": "http://127.0.0.1:9"}
    app = create_app({"VOCABULARY_FOLDER": str(folder), **nowhere, **_settings(request, folder)})
    yield app
    storage_of(app).database.close()


@pytest.fixture
def storing_app(_storing_app: Flask) -> Iterator[Flask]:
    """The site without a network, once on SQLite and once on PostgreSQL: one for a module, emptied after each test.

    A module that uses it cannot use `database_settings`: there is one PostgreSQL.
    """
    yield _storing_app
    with storage_of(_storing_app).database.write() as connection:
        for table in reversed(Base.metadata.sorted_tables):
            connection.execute(table.delete())
    vocabularies.init_app(_storing_app)  # which has nothing at hand
