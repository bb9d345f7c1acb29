"""Systems without `fork`, `SCHED_IDLE`, locks and `/proc`, such as Windows and macOS: they are hidden from the site."""

from __future__ import annotations

import urllib.request
from pathlib import Path

from tests.jobs.conftest import settings_in
from tests.jobs.running import submit, wait
from tests.serving import serving
from webapp import create_app

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


def test_the_site_starts_without_fork_priorities_and_proc_and_says_so_once(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    hidden = {"PYTHONPATH": str(tmp_path), "TOKENSCOPE_PRELOAD": "false", "TOKENSCOPE_WORKER": "true"}
    settings = settings_in(tmp_path)
    hidden |= {f"TOKENSCOPE_{name}": settings[name] for name in ("DATABASE_FILE", "CORPUS_FOLDER", "VOCABULARY_FOLDER")}
    app = create_app(settings)
    job = submit(app)
    with serving(environment=hidden, patience=110) as site:
        with urllib.request.urlopen(f"{site.address}/?text=low&algorithm=bpe&lang=en", timeout=60) as page:
            assert "low" in page.read().decode()
        assert wait(app, job.id).state == "finished"
        assert site.said().count("This system has no fork, no SCHED_IDLE, no /proc.") == 1
        assert "Traceback" not in site.said()
