"""``python -m webapp``: serve the site to this machine alone, at ``PORT`` (8000 if it is not set)."""

import os
import socket
import sys


def main() -> None:
    """Check that the port is free, then become gunicorn.

    Raises ``SystemExit`` with a sentence for the reader when ``PORT`` is no port or somebody else has it.
    """
    named = os.environ.get("PORT") or "8000"
    if not named.isascii() or not named.isdecimal() or not 1 <= int(named) <= 65535:
        raise SystemExit(f"PORT is {named!r}, and a port is a number from 1 to 65535.")
    refusal = refusal_of(int(named))
    if refusal:
        raise SystemExit(
            f"Port {named} of this machine cannot be used ({refusal}). "
            "Choose another, with `export PORT=8080` say, and start again."
        )
    arguments = ["--config", "python:webapp.gunicorn", "--bind", f"127.0.0.1:{named}", "webapp:create_app()"]
    os.execv(sys.executable, [sys.executable, "-m", "gunicorn", *arguments])


def refusal_of(port: int) -> str:
    """Return why ``port`` cannot be listened on, in the system's words, or ``""`` when it can."""
    with socket.socket() as candidate:
        # As gunicorn does: a port whose last connections are still fading away is free.
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind(("127.0.0.1", port))
        except OSError as error:
            return os.strerror(error.errno) if error.errno else str(error)
    return ""


if __name__ == "__main__":
    main()
