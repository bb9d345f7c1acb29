"""Two worker processes for all tests of the cluster, and a corpus for them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client

from tests.cluster.generated import text
from webapp.cluster import sources, workers
from webapp.core.training.corpus import CHUNK


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    with workers.of_this_machine(2) as client:
        yield client


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a task for each megabyte, so that a few are enough to have several."""
    monkeypatch.setattr(sources, "SMALLEST_PART", CHUNK)


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of about 3.5 MB with English and Chinese lines, some of them long."""
    path = tmp_path_factory.mktemp("book") / "book.txt"
    path.write_text(text(3_500_000, seed=1), encoding="utf-8")
    return path
