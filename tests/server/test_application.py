"""The site as it is loaded once, before workers are forked from it."""

import os
import subprocess
import sys
from pathlib import Path

from tests.serving import ROOT

CODE = """
import os
from webapp.server.application import application
for number in os.listdir("/proc/self/fd"):
    try:
        print(os.readlink(f"/proc/self/fd/{number}"))
    except OSError:
        pass
"""


def test_workers_inherit_no_connection_to_the_database(tmp_path: Path) -> None:
    database = tmp_path / "tokenscope.sqlite"
    environment = os.environ | {"TOKENSCOPE_DATABASE_FILE": str(database), "TOKENSCOPE_PRELOAD": "true"}
    command = [sys.executable, "-c", CODE]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert database.exists()
    assert str(tmp_path) not in run.stdout
    assert "socket:" not in run.stdout
