"""The load test runs."""

import json
from pathlib import Path

import pytest

from tests.load import main


@pytest.mark.exhaustive
def test_the_load_test_measures_a_site_that_it_starts(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    assert main(["--seconds", "3", "--scenario", "idle", "--json", str(file)]) == 0
    idle = json.loads(file.read_text())["idle"]
    assert idle["others"] == {}
    assert 29 <= idle["visitor"] <= 32
    assert 0 < idle["p50"] <= idle["p99"] < 30
