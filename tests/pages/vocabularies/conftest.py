"""A site whose vocabularies are fetched from a port where nothing listens, and a client of it."""

from collections.abc import Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.site import NOWHERE
from webapp import create_app


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    return create_app(NOWHERE | {"VOCABULARY_FOLDER": str(tmp_path_factory.mktemp("vocabularies"))})


@pytest.fixture
def client(app: Flask) -> Iterator[FlaskClient]:
    with app.test_client() as client:
        yield client
