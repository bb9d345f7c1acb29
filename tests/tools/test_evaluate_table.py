"""The table of methods on `/evaluate`: the commands of its rows print its figures, which the page shows."""

import os
import shlex
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.command_line.test_command_line import run
from tests.site import words
from webapp.tools.evaluate.scoring import compared_methods

OURS = [
    pytest.param(row, id=row["command"], marks=[pytest.mark.exhaustive] if row["set"] != "sample" else [])
    for rows in compared_methods().values()
    for row in rows
    if not row["library"]
]
NOT_PRINTED = ("set", "title", "library", "command", "seconds")


@pytest.mark.parametrize("row", OURS)
def test_each_command_prints_its_row(
    row: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENSCOPE_DATABASE_FILE", str(tmp_path / "site.sqlite"))
    program, *arguments = shlex.split(row["command"])
    if row["set"] != "sample":
        folder = os.environ.get("GOLD_TEXTS") or request.getfixturevalue("shared") / "sighan"
        if not (Path(folder) / arguments[2]).exists():
            pytest.skip(f"The variable GOLD_TEXTS names no folder with {arguments[2]}.")
        monkeypatch.chdir(folder)
    assert program == "tokenscope"
    head, last = (line.split("\t") for line in run(*arguments).stdout.decode().splitlines())
    printed = dict(zip(head, last, strict=True))
    assert {name: printed[name] for name in row if name not in NOT_PRINTED} == {
        name: value for name, value in row.items() if name not in NOT_PRINTED
    }


def test_the_rows_of_jieba_are_those_of_maximum_probability_over_its_words() -> None:
    """Where both have the same known words; without a list, the words of a file are known to nobody."""
    rows = {row["title"]: row for row in compared_methods()["pku"]}
    own, theirs = rows["max-probability:jieba"], rows["jieba"]
    figures = [name for name in own if name not in NOT_PRINTED]
    assert [own[name] for name in figures] == [theirs[name] for name in figures]


def test_the_page_shows_the_table_with_its_commands(client: FlaskClient) -> None:
    page = words(client.get("/evaluate?lang=en").text)
    for rows in compared_methods().values():
        for row in rows:
            assert row["command"] in page
    assert "Methods compared" in page
