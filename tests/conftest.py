"""Fixtures and hooks for all tests."""

from __future__ import annotations

import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# Fixtures import what they need: tests of the core run with pytest and regex alone.
if TYPE_CHECKING:
    from flask import Flask
    from playwright.sync_api import Browser

    from tests.postgres import Cluster
    from tests.redis_server import RedisServer

pytest_plugins = ["tests.site"]

SHARED = Path(__file__).resolve().parents[2] / "shared"

# Tests ask from one address, and more often than a person would.
for name in ("TOKENSCOPE_RATE_READING", "TOKENSCOPE_RATE_STORING", "TOKENSCOPE_RATE_WORK"):
    os.environ.setdefault(name, "")

os.environ.setdefault("PYTEST_TIMEOUT", "240")

# Images of containers forbid bytecode, and then each of the hundred processes that tests start compiles all modules.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Tests that share what is slow to start run in one process: groups by the beginnings of their ids. All that look at the
# site as deployed share one server and one Chromium, which work in processes of their own.
GROUPS = {
    "tests/attacks/": "attacks",
    "tests/api/test_document": "browser",
    "tests/api/test_refusals": "browser",
    "tests/browser/": "browser",
    "tests/cluster/": "cluster",
    "tests/server/": "server",
    "tests/web/test_hostile_paths": "browser",
}

# Groups that begin first, because one that is long and begins last is waited for.
LONG = [
    "browser",
    "server",
    "postgresql",
    "tests/core/training/test_forecast.py",
    "tests/machines/test_two_machines.py",
    "cluster",
    "tests/storage/test_frozen.py",
    "tests/core/formats/test_tiktoken.py",
    "tests/core/test_tokenizer.py",
    "tests/core/trainers/test_ties.py",
    "tests/deploy/test_read_only.py",
    "tests/jobs/test_workers.py",
    "tests/jobs/test_attempts.py",
    "tests/storage/test_crash.py",
    "tests/storage/test_restoring.py",
    "tests/test_extras.py",
    "tests/test_load.py",
    "tests/test_main.py",
    "tests/test_wheel.py",
    "tests/web/test_templates.py",
]


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples each property test tries; `--hypothesis-profile=exhaustive` chooses more.

    No example has a time limit, because the machine may be busy; CI tries the same ones in every run.
    """
    if not config.pluginmanager.has_plugin("hypothesispytest"):
        return
    from hypothesis import HealthCheck, settings

    slow, same = [HealthCheck.too_slow], bool(os.environ.get("CI"))
    settings.register_profile("quick", deadline=None, max_examples=10, suppress_health_check=slow, derandomize=same)
    settings.register_profile("exhaustive", settings.get_profile("quick"), max_examples=20)
    settings.load_profile(config.getoption("--hypothesis-profile") or "quick")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of long groups first, then those of groups with many tests, as xdist would."""
    groups = Counter(_group(item.nodeid) for item in items)
    place = {group: (LONG.index(group) if group in LONG else len(LONG), -number) for group, number in groups.items()}
    items.sort(key=lambda item: place[_group(item.nodeid)])


def pytest_collection_finish() -> None:
    """Look for garbage rarely: with all the modules and vocabularies in memory, that took a sixth of the time."""
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)


def _group(test: str) -> str:
    if "postgresql" in test:
        return "postgresql"
    return next((group for beginning, group in GROUPS.items() if test.startswith(beginning)), test.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than there are cores: a third of the time, tests wait for browsers, servers and databases."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Send each group of tests to one process, and the tests of every other file together to the next free one.

    The marks of `--dist=loadgroup` have no effect with pytest 9.2, whose ids xdist 3.8 cannot extend.
    """
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False
    scheduling = LoadScopeScheduling(config, log)
    scheduling._split_scope = _group
    return scheduling


@pytest.fixture(scope="session", autouse=True)
def _own_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests' database in a temporary file, whatever this machine's own settings."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DATABASE_URL", raising=False)
        patch.setenv("TOKENSCOPE_DATABASE_FILE", str(tmp_path_factory.mktemp("database") / "tokenscope.sqlite"))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of texts, corpora and published vocabularies beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"there is no {SHARED}: published texts and vocabularies to compare with are not at hand")
    return SHARED


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """Run a PostgreSQL for the tests."""
    from tests.postgres import find_programs, running

    programs = find_programs()
    if programs is None:
        reason = "no PostgreSQL on this machine"
        if os.environ.get("TOKENSCOPE_REQUIRE_POSTGRES") or os.environ.get("CI"):
            pytest.fail(f"{reason}, and the tests with it are required here")
        pytest.skip(reason)
    with running(programs) as cluster:
        yield cluster


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    """Run an empty Redis."""
    from tests import redis_server

    program = redis_server.find_program()
    if program is None:
        pytest.skip("no redis-server on this machine")
    with redis_server.running(program, tmp_path) as server:
        yield server


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Serve the site as deployed; return its address."""
    from tests.serving import serve

    with serve() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start one headless Chromium for all tests."""
    from playwright.sync_api import sync_playwright

    from tests.serving import find_chromium, launch_chromium

    path = find_chromium()
    if path is None:
        reason = "no Chromium on this machine"
        if os.environ.get("TOKENSCOPE_REQUIRE_BROWSER") or os.environ.get("CI"):
            pytest.fail(f"{reason}, and the browser tests are required here")
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright, path)
        yield browser
        browser.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_settings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Return settings with an empty database for one test, once SQLite and once PostgreSQL."""
    return _settings(request, tmp_path)


def _settings(request: pytest.FixtureRequest, folder: Path) -> dict[str, str]:
    if request.param == "sqlite":
        return {"DATABASE_URL": "", "DATABASE_FILE": str(folder / "tokenscope.sqlite")}
    cluster: Cluster = request.getfixturevalue("postgres")
    return {"DATABASE_URL": cluster.empty(), "DATABASE_FILE": str(folder / "unused.sqlite")}


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.exhaustive)])
def _storing_app(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    from webapp import create_app
    from webapp.storage import storage_of

    folder = tmp_path_factory.mktemp("storing")
    nowhere = {"HUB": "http://127.0.0.1:9"}
    app = create_app({"VOCABULARY_FOLDER": str(folder), **nowhere, **_settings(request, folder)})
    yield app
    storage_of(app).database.close()


@pytest.fixture
def storing_app(_storing_app: Flask) -> Iterator[Flask]:
    """Return the site without a network, on SQLite: one per module, emptied after each test.

    Exhaustive runs also use PostgreSQL.

    A module that uses it cannot use `database_settings`: there is one PostgreSQL.
    """
    from webapp import vocabularies
    from webapp.storage import storage_of
    from webapp.storage.tables import Base, TotalRow

    yield _storing_app
    with storage_of(_storing_app).database.write() as connection:
        for table in reversed(Base.metadata.sorted_tables):
            emptied = table.update().values(count=0, bytes=0) if table is TotalRow.__table__ else table.delete()
            connection.execute(emptied)
    vocabularies.init_app(_storing_app)  # with no vocabularies fetched
