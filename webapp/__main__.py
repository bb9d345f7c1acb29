"""Command line: ``python -m webapp`` serves the site on this machine, at ``PORT`` (default 8000).

A worker for trainings runs with it, unless ``TOKENSCOPE_WORKER`` is false.
``python -m webapp --host 0.0.0.0`` makes it reachable from other machines.
"""

import argparse
import os
import socket
from contextlib import nullcontext

from webapp.server.listening import is_wanted, job_worker, serve


def main() -> None:
    """Check that the port is free, then serve.

    Raises ``SystemExit`` with a message for the operator if ``PORT`` is not a port number or the port is in use.
    """
    parser = argparse.ArgumentParser(prog="python -m webapp", description="Serve Tokenscope.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: %(default)s)")
    host = parser.parse_args().host
    port = os.environ.get("PORT") or "8000"
    if not port.isascii() or not port.isdecimal() or not 1 <= int(port) <= 65535:
        raise SystemExit(f"PORT is {port!r}, but must be a number from 1 to 65535.")
    refusal = refusal_of(host, int(port))
    if refusal:
        raise SystemExit(
            f"Port {port} of this machine cannot be used ({refusal}). "
            "Choose another port, for example with `export PORT=8080`, and start again."
        )
    with job_worker() if is_wanted() else nullcontext():
        serve(host, int(port))


def refusal_of(host: str, port: int) -> str:
    """The system's message if the site cannot listen on ``port``, or ``""`` if it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as candidate:
        # A port with old connections in the state TIME_WAIT is free.
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind((host, port))
        except OSError as error:
            return os.strerror(error.errno) if error.errno else str(error)
    return ""


if __name__ == "__main__":
    main()
