"""The site with a database and corpora of its own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from tests.site import NOWHERE
from webapp import create_app
from webapp.storage import storage_of

Make = Callable[..., Flask]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """`make(NAME=value, …)` returns a site with these settings."""
    made = []

    def make(**settings: Any) -> Flask:
        made.append(create_app({**settings_in(tmp_path), **settings}))
        return made[-1]

    yield make
    for app in made:
        storage_of(app).database.close()


@pytest.fixture
def site_of_jobs(make: Make) -> Flask:
    """A site with the usual settings."""
    return make()


def settings_in(folder: Path) -> dict[str, Any]:
    """Settings that keep everything in a folder."""
    return {
        "DATABASE_URL": "",
        "DATABASE_FILE": str(folder / "tokenscope.sqlite"),
        "CORPUS_FOLDER": str(folder / "corpora"),
        "VOCABULARY_FOLDER": str(folder / "vocabularies"),
        "TRAIN_GENTLY": False,  # other tests run at the same time
        **NOWHERE,
    }
