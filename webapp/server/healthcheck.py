"""Command line: `python -m webapp.server.healthcheck` asks the site on this machine whether it lives.

Exits with 0 if `/healthz` answers with status 200, with 1 otherwise; with `--ready`, it asks `/readyz` and prints the
report. For the health checks of containers, whose images have no curl.
"""

import argparse
import http.client
import os
import sys
from contextlib import closing

# In seconds; a container's health check waits longer.
LONGEST = 10.0


def main(arguments: list[str] | None = None) -> int:
    """Ask the site at `PORT`, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m webapp.server.healthcheck", description="Check a running site.")
    parser.add_argument("--host", default="localhost", help="the address of the site (default: %(default)s)")
    parser.add_argument("--ready", action="store_true", help="check that it can do its work, not only that it lives")
    options = parser.parse_args(arguments)
    path = "/readyz" if options.ready else "/healthz"
    try:
        status, body = ask(options.host, int(os.environ.get("PORT") or 8000), path)
    except (OSError, ValueError, http.client.HTTPException) as error:
        sys.stderr.write(f"{path}: no answer: {error}\n")
        return 1
    if status != 200:
        sys.stderr.write(f"{path}: status {status}\n{body.decode(errors='replace')}")
    return int(status != 200)


def ask(host: str, port: int, path: str) -> tuple[int, bytes]:
    """The status and the body of the answer at `path`; raises OSError or HTTPException."""
    with closing(http.client.HTTPConnection(host, port, timeout=LONGEST)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read(1_000_000)


if __name__ == "__main__":
    raise SystemExit(main())
