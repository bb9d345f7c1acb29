"""``python -m webapp``, as the README says to start it."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from tests.serving import ROOT, free_port, is_healthy
from webapp.__main__ import main

COMMAND = [sys.executable, "-m", "webapp"]


def start(port: str) -> subprocess.CompletedProcess[str]:
    """Run the command when it is expected to fail."""
    environment = {**os.environ, "PORT": port}
    return subprocess.run(COMMAND, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.exhaustive
def test_serves_at_the_port_and_prints_the_address() -> None:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "PORT": str(port), "WEB_CONCURRENCY": "1"}
    process = subprocess.Popen(COMMAND, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while not is_healthy(address) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        # An address longer than any link of the site.
        with urllib.request.urlopen(f"{address}/healthz?text={'x' * 8000}", timeout=10) as answer:
            assert answer.status == 200
        assert process.stdout is not None
        printed = process.stdout.readline()  # it may answer a moment before it says so
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
    assert (printed, rest) == (f"Tokenscope is ready at {address}\n", "")


def test_a_port_in_use_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = start(port)
    assert refused.returncode == 1
    assert refused.stdout == ""
    assert refused.stderr.startswith(f"Port {port} of this machine cannot be used (Address already in use).")
    assert refused.stderr.count("\n") == 1


def test_too_few_open_files_are_reported() -> None:
    command = ["sh", "-c", 'ulimit -n 64; exec "$@"', "-", *COMMAND]
    environment = {**os.environ, "PORT": str(free_port()), "TOKENSCOPE_WORKER": "false"}
    refused = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("Tokenscope cannot start: a process may open 64 files, but the server needs 1024")


@pytest.mark.parametrize("port", ["http", "0", "65536", "-1", "８０"])
def test_an_invalid_port_is_reported(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", port)
    monkeypatch.setattr(sys, "argv", ["python -m webapp"])
    with pytest.raises(SystemExit) as refusal:
        main()
    assert refusal.value.code == f"PORT is {port!r}, but must be a number from 1 to 65535."
