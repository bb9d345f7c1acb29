"""schemathesis sends the running server what its own document allows, and much that it does not."""

import subprocess
import sys
from pathlib import Path

import pytest

# No publisher can be reached here: a vocabulary that cannot be fetched is 503, as documented.
CONFIGURATION = """
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 503]
"""


@pytest.mark.exhaustive
def test_schemathesis_finds_no_errors(site: str, tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text(CONFIGURATION)
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{site}/api/v1/openapi.json"]
    command += ["--max-examples", "40", "--seed", "4", "--generation-deterministic", "--no-color"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stdout
    assert "No issues found" in done.stdout
