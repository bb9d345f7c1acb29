"""``python -m webapp``: serve the site to this machine alone, at ``PORT`` (8000 if it is not set).

``python -m webapp --host 0.0.0.0`` serves it to everybody who can reach this machine.
"""

from __future__ import annotations

import argparse
import os
import socket

from webapp.server.listening import serve


def main() -> None:
    """Check that the port is free, then serve.

    Raises ``SystemExit`` with a sentence for the reader when ``PORT`` is no port or another program has it.
    """
    parser = argparse.ArgumentParser(prog="python -m webapp", description="Serve Tokenscope.")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: %(default)s)")
    host = parser.parse_args().host
    named = os.environ.get("PORT") or "8000"
    if not named.isascii() or not named.isdecimal() or not 1 <= int(named) <= 65535:
        raise SystemExit(f"PORT is {named!r}, and a port is a number from 1 to 65535.")
    refusal = refusal_of(host, int(named))
    if refusal:
        raise SystemExit(
            f"Port {named} of this machine cannot be used ({refusal}). "
            "Choose another, with `export PORT=8080` say, and start again."
        )
    serve(host, int(named))


def refusal_of(host: str, port: int) -> str:
    """Return why ``port`` cannot be listened on, in the system's words, or ``""`` when it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as candidate:
        # A port whose last connections are still fading away is free.
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind((host, port))
        except OSError as error:
            return os.strerror(error.errno) if error.errno else str(error)
    return ""


if __name__ == "__main__":
    main()
