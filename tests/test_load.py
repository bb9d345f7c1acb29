"""The load test runs: `python -m tests.load`, in a process of its own because Locust replaces blocking functions."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.serving import ROOT


@pytest.mark.exhaustive
@pytest.mark.skipif(find_spec("locust") is None, reason="Locust is not installed: pip install '.[load]'")
def test_the_load_test_measures_a_site_that_it_starts(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.load", "--seconds", "3", "--scenario", "idle", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "all goals are reached" in done.stdout
    (idle,) = json.loads(file.read_text())
    assert idle["visitor"]["outcomes"] == {"answered": 30}
    assert 0 < idle["visitor"]["p50"] <= idle["visitor"]["p99"] < 30
    assert idle["memory"] > idle["largest_private_memory"] > 1_000_000
