"""A temporary Redis on a free port of this machine, for tests; nothing is left running."""

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis

from tests.serving import free_port

PATIENCE = 20.0


@dataclass(frozen=True)
class RedisServer:
    """A running server at ``url``, in the form of ``REDIS_URL``."""

    url: str
    process: subprocess.Popen[bytes]

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop it with SIGSTOP: connections are accepted and data is taken, but nothing answers."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


def find_program() -> str | None:
    """Return the path of Redis or Valkey, None if neither is installed."""
    return shutil.which("redis-server") or shutil.which("valkey-server")


@contextmanager
def running(program: str, folder: Path) -> Iterator[RedisServer]:
    """Yield a running server that is empty and writes nothing to the disk."""
    port = free_port()
    command = [program, "--port", str(port), "--save", "", "--dir", str(folder), "--bind", "127.0.0.1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            with closing(redis.Redis(port=port)) as client:
                deadline = time.monotonic() + PATIENCE
                while time.monotonic() < deadline:
                    try:
                        client.ping()
                        break
                    except redis.ConnectionError:
                        time.sleep(0.02)
            yield RedisServer(f"redis://127.0.0.1:{port}/0", process)
        finally:
            process.kill()
