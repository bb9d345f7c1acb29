"""The site as it is loaded once before workers are forked from it, and where a system lacks `fork` and more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.jobs.conftest import settings_in
from tests.jobs.running import submit, wait
from tests.serving import ROOT, ask, serving
from webapp import create_app

OPEN_FILES = """
import os
from webapp.server.application import application
for number in os.listdir("/proc/self/fd"):
    try:
        print(os.readlink(f"/proc/self/fd/{number}"))
    except OSError:
        pass
"""


@pytest.mark.exhaustive  # it loads all that ships
def test_workers_inherit_no_connection_to_the_database(tmp_path: Path) -> None:
    database = tmp_path / "tokenscope.sqlite"
    environment = os.environ | {"TOKENSCOPE_DATABASE_FILE": str(database), "TOKENSCOPE_PRELOAD": "true"}
    command = [sys.executable, "-c", OPEN_FILES]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert database.exists()
    assert str(tmp_path) not in run.stdout
    assert "socket:" not in run.stdout


# Such as Windows and macOS: what they lack is hidden from the site.
HIDING = """
import multiprocessing
import os
import sys

def hide(event, arguments):
    if event in ("open", "os.listdir") and str(arguments[0]).startswith("/proc"):
        raise FileNotFoundError(2, "hidden", arguments[0])

sys.addaudithook(hide)
for name in ("fork", "forkpty", "nice", "setpriority", "killpg", "sched_getaffinity", "SCHED_IDLE"):
    delattr(os, name)
sys.modules["fcntl"] = sys.modules["resource"] = None
multiprocessing.get_all_start_methods = lambda: ["spawn"]
multiprocessing.set_start_method("spawn")
"""


@pytest.mark.exhaustive  # half a minute, because each opened file is looked at
def test_the_site_starts_without_fork_priorities_and_proc_and_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    hidden = {"PYTHONPATH": str(tmp_path), "TOKENSCOPE_PRELOAD": "false", "TOKENSCOPE_WORKER": "true"}
    settings = settings_in(tmp_path)
    hidden |= {f"TOKENSCOPE_{name}": settings[name] for name in ("DATABASE_FILE", "CORPUS_FOLDER", "VOCABULARY_FOLDER")}
    app = create_app(settings)
    job = submit(app)
    with serving(environment=hidden, patience=110) as site:
        assert "low" in ask(site.address, "/?text=low&algorithm=bpe&lang=en").text
        assert wait(app, job.id).state == "finished"
        assert site.said().count("This system has no fork, no SCHED_IDLE, no /proc.") == 1
        assert "Traceback" not in site.said()
