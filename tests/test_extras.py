"""Packages of extras: the site runs without them, and a setting that needs one says which command installs it."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.serving import ROOT
from webapp import create_app
from webapp.observing import options
from webapp.storage import engine

EXTRAS = ("psycopg", "psycopg_binary", "redis", "prometheus_client")
WITHOUT = f"""
import sys
for name in {EXTRAS}:
    sys.modules[name] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if sys.modules.get(name, 1) is None else find(name, *rest)
from webapp.server.application import application
from webapp.command_line import doctor
assert application.test_client().get("/?text=low").status_code == 200
"""


@pytest.mark.exhaustive
def test_a_site_without_extras_starts(tmp_path: Path) -> None:
    environment = {"PATH": "", "TOKENSCOPE_DATABASE_FILE": str(tmp_path / "site.sqlite")}
    subprocess.run([sys.executable, "-c", WITHOUT], cwd=ROOT, env=environment, check=True)


@pytest.mark.parametrize(
    ("setting", "value", "extra"),
    [
        ("DATABASE_URL", "postgresql://db.example/site", "postgresql"),
        ("REDIS_URL", "redis://127.0.0.1:1/0", "redis"),
        ("METRICS_NETWORKS", "10.0.0.0/8", "metrics"),
    ],
)
def test_a_setting_names_the_extra_that_it_needs(
    setting: str, value: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (options, engine):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name in EXTRAS else find_spec(name))
    with pytest.raises(ValueError, match=rf"pip install -c requirements.lock .*{extra}"):
        create_app({setting: value})
