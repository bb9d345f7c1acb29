"""Packages of extras: the site runs without them, and a setting that needs one says which command installs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving import ROOT

WITHOUT = """
import sys
for name in ("psycopg", "psycopg_binary", "redis", "prometheus_client"):
    sys.modules[name] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if sys.modules.get(name, 1) is None else find(name, *rest)
from webapp import create_app
app = create_app({"DATABASE_FILE": sys.argv[1]})
assert app.test_client().get("/?text=low").status_code == 200
from webapp.server import application
from webapp.command_line import doctor
"""


@pytest.mark.parametrize(
    ("setting", "extra"),
    [
        ("", ""),
        ("DATABASE_URL=postgresql://db.example/site", "postgresql"),
        ("REDIS_URL=redis://127.0.0.1:1/0", "redis"),
        ("TOKENSCOPE_METRICS_NETWORKS=10.0.0.0/8", "metrics"),
    ],
)
def test_a_setting_names_the_extra_that_it_needs(setting: str, extra: str, tmp_path: Path) -> None:
    name, _equals, value = setting.partition("=")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(tmp_path / "site.sqlite")],
        cwd=ROOT,
        env={"PATH": "", name or "UNUSED": value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode == 0) == (not extra), done.stderr
    assert extra in done.stderr.strip().rpartition("\n")[2]
    assert ("pip install -c requirements.lock" in done.stderr) == bool(extra)
