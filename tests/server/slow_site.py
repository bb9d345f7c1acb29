"""The site, with additional addresses that are slow in ways that ordinary requests are not."""

import os
import signal
import threading
import time
import unicodedata

from flask import Flask, Response, request

import webapp
from webapp.web.rates import stores

FOREVER = 60.0


def create_app() -> Flask:
    """Return the application that the server runs in the tests."""
    app = webapp.create_app({"PRELOAD": False})
    for view in (computing, working, in_c, crashing, dying, storing, sleeping, counting, unfinished, echoed, hoarding):
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


def working() -> str:
    """Use the requested number of seconds of processor time; return the niceness of the thread before and after."""
    thread = threading.get_native_id()
    before = os.getpriority(os.PRIO_PROCESS, thread)
    deadline = time.thread_time() + float(request.values["seconds"])
    while time.thread_time() < deadline:
        pass
    return f"{before} {os.getpriority(os.PRIO_PROCESS, thread)}"


def in_c() -> str:
    """Compute in one C function, which holds the interpreter's lock."""
    _tell_process()
    return str(len(unicodedata.normalize("NFKC", "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 4_000_000)))


def crashing() -> str:
    """End the process in the middle of a request."""
    os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


def dying() -> str:
    """End the process unless it was asked more often than the requested number of times before."""
    with open(request.values["file"], "a+") as file:
        file.write("x")
        file.flush()
        if file.tell() <= int(request.values["times"]):
            os.kill(os.getpid(), signal.SIGKILL)
    return "alive"


@stores
def storing() -> str:
    """Do the same as `dying`, as a view that stores something."""
    return dying()


def sleeping() -> str:
    """Wait for the requested number of seconds."""
    _tell_process()
    time.sleep(float(request.args["seconds"]))
    return "slept"


def hoarding() -> str:
    """Take the requested number of megabytes, ten at a time, and keep them for the requested number of seconds."""
    with open(request.values["file"], "a") as file:
        file.write("x")
    held = []
    for _ in range(int(request.values["megabytes"]) // 10):
        held.append(b"x" * 10_000_000)
        time.sleep(0.002)
    time.sleep(float(request.values.get("seconds", "0")))
    return "held"


def counting() -> Response:
    """Return the requested number of bytes, in parts."""
    parts, size = int(request.args["parts"]), int(request.args["size"])
    return Response((b"x" * size for _ in range(parts)), mimetype="text/plain")


def unfinished() -> Response:
    """Return a response whose first part comes at once and whose second part never does."""

    def parts() -> object:
        yield b"beginning"
        time.sleep(FOREVER)

    return Response(parts(), mimetype="text/plain")  # type: ignore[arg-type]


def echoed() -> Response:
    """Return the length and the headers of the request."""
    told = {"length": len(request.get_data()), "headers": list(request.headers), "path": request.path}
    return Response(repr(told), mimetype="text/plain")


def _tell_process() -> None:
    """Record the id of this process, for tests that check whether it is still running."""
    if file := os.environ.get("TEST_PROCESS_FILE"):
        with open(file, "w") as open_file:
            open_file.write(str(os.getpid()))
