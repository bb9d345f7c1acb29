"""The figures that the front asks the site for, when the site cannot tell them."""

from pathlib import Path

import pytest
from sqlalchemy import text

from webapp import create_app
from webapp.observing.observers import FIGURES
from webapp.storage import storage_of


def test_figures_that_cannot_be_read_are_an_error_but_end_no_worker(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app({"DATABASE_FILE": str(tmp_path / "site.sqlite"), "PRELOAD": False})
    client = app.test_client()
    assert client.get("/healthz", environ_overrides={FIGURES: "1"}).status_code == 200
    with storage_of(app).database.write() as connection:
        connection.execute(text("DROP TABLE jobs"))
    assert client.get("/healthz", environ_overrides={FIGURES: "1"}).status_code == 500
    assert "The figures of the site could not be read" in caplog.text
