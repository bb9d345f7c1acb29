"""The site, with addresses that take long in ways that ordinary requests do not."""

from __future__ import annotations

import os
import signal
import time
import unicodedata

from flask import Flask, Response, request

import webapp

FOREVER = 60.0


def create_app() -> Flask:
    """The application that the server serves for the tests."""
    app = webapp.create_app({"PRELOAD": False})
    for view in (computing, in_c, crashing, sleeping, counting, unfinished, echoed):
        app.add_url_rule(f"/{view.__name__}", view_func=view, methods=["GET", "POST"])

    @app.after_request
    def name(response: Response) -> Response:
        response.headers["X-Process"] = str(os.getpid())
        return response

    return app


def computing() -> str:
    """Compute in Python."""
    _tell_process()
    deadline = time.monotonic() + FOREVER
    while time.monotonic() < deadline:
        pass
    return "done"


def in_c() -> str:
    """Compute in one C function, which holds the interpreter's lock."""
    _tell_process()
    return str(len(unicodedata.normalize("NFKC", "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 4_000_000)))


def crashing() -> str:
    """End the process in the middle of a request."""
    os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def sleeping() -> str:
    """Wait as long as asked, in seconds."""
    _tell_process()
    time.sleep(float(request.args["seconds"]))
    return "slept"


def counting() -> Response:
    """As many bytes as asked, in parts."""
    parts, size = int(request.args["parts"]), int(request.args["size"])
    return Response((b"x" * size for _ in range(parts)), mimetype="text/plain")


def unfinished() -> Response:
    """An answer whose first part comes at once and whose second part never does."""

    def parts() -> object:
        yield b"beginning"
        time.sleep(FOREVER)

    return Response(parts(), mimetype="text/plain")  # type: ignore[arg-type]


def echoed() -> Response:
    """What was sent: its length and its headers."""
    told = {"length": len(request.get_data()), "headers": list(request.headers), "path": request.path}
    return Response(repr(told), mimetype="text/plain")


def _tell_process() -> None:
    """Write down which process is at work, for a test that looks whether it still is."""
    if file := os.environ.get("TEST_PROCESS_FILE"):
        with open(file, "w") as open_file:
            open_file.write(str(os.getpid()))
