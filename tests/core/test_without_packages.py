"""Tests of the core need pytest and regex, and no other package."""

import subprocess
import sys

OTHERS = ["flask", "hypothesis", "numpy", "playwright", "pydantic", "sqlalchemy", "tokenizers", "xdist", "zstandard"]
RUN = """
import sys
import pytest
sys.modules.update(dict.fromkeys(sys.argv[1].split(",")))  # an import of one of them fails
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


def test_a_test_runs_with_pytest_and_regex_alone() -> None:
    tests = ["tests/core/reference/test_rules.py", "tests/core/models/test_refused.py"]
    command = [sys.executable, "-c", RUN, ",".join(OTHERS), *tests]
    ended = subprocess.run(command, env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout
    assert "passed" in ended.stdout
