"""Logs: a line for each request on the standard output, and all other messages on the standard error.

`TOKENSCOPE_LOG=json` makes each line a JSON object. No line has a text, a query or a path, which may be a visitor's
secret: a request is named by its id and its route, an exception by its type and where it was raised. An exception's
message may repeat what the visitor sent, so only the system's own are logged.
"""

import json
import logging
import os
import sys
import threading
import traceback
from datetime import UTC, datetime
from typing import Any, TextIO

from webapp.observing import report
from webapp.observing.options import LogForm, Options
from webapp.observing.report import RequestRecord

log = logging.getLogger(__name__)

# Characters of one message; a line of a request is much shorter.
LONGEST_MESSAGE = 2_000
UNNAMED = ("time", "event", "method", "route", "status", "phases")  # in readable lines, which leave out some


def log_request(options: Options, request: RequestRecord, stream: TextIO | None = None) -> None:
    """Write a line for a finished request, by default on the standard output, if the settings ask for it."""
    if options.log:
        fields = line_of(request, with_address=options.log_addresses)
        _print(json.dumps(fields) if options.log == "json" else _readable(fields), stream)


def line_of(request: RequestRecord, *, with_address: bool) -> dict[str, Any]:
    """The fields of a request's line; times in milliseconds. `phase` is the longest of `phases`."""
    phases: dict[str, float] = request.report.get("phases") or {}
    found = {
        "time": _timestamp(datetime.now(UTC)),
        "event": "request",
        "id": request.id,
        "method": request.method,
        "route": request.route,
        "status": request.status,
        "received_bytes": request.received_bytes,
        "sent_bytes": request.sent_bytes,
        "queue_ms": round(1000 * request.queued_seconds, 1),
        "work_ms": round(1000 * request.worked_seconds, 1),
        "total_ms": round(1000 * request.total_seconds, 1),
        "lane": request.lane,
        "phase": max(phases, key=phases.__getitem__, default=""),
        "phases": ", ".join(f"{name} {1000 * seconds:.1f} ms" for name, seconds in phases.items()),
        "refused": request.reason,
        "address": request.client if with_address else "",
    }
    return {name: value for name, value in found.items() if value != ""}


def _readable(fields: dict[str, Any]) -> str:
    rest = [f"{name}={fields[name]}" for name in fields if name not in UNNAMED]
    return " ".join([f"{fields['time']} {fields['method']} {fields['route']} {fields['status']}", *rest])


class MessageLines(logging.Formatter):
    """Messages as JSON objects, one a line, with the traceback in the field `trace`.

    As "text", they are lines such as `2026-11-22T10:00:00.000Z WARNING webapp.web.errors [id] message`, tracebacks
    below.
    """

    def __init__(self, form: LogForm) -> None:
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """The line of one message."""
        # Granian adds the traceback to the message itself.
        message = record.getMessage().partition("\nTraceback (most recent call last):")[0]
        fields = {
            "time": _timestamp(datetime.fromtimestamp(record.created, UTC)),
            "event": "message",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": " ".join(message[:LONGEST_MESSAGE].split()),
            "id": getattr(record, "request_id", "") or report.current().request_id,
            "trace": without_messages(record.exc_info[1]) if record.exc_info and record.exc_info[1] else "",
        }
        if self._form == "json":
            return json.dumps({name: value for name, value in fields.items() if value or name == "message"})
        request = f" [{fields['id']}]" if fields["id"] else ""
        line = f"{fields['time']} {record.levelname} {record.name}{request} {fields['message']}"
        return f"{line}\n{fields['trace']}" if fields["trace"] else line


def configure(form: LogForm, stream: TextIO | None = None) -> None:
    """Send the messages of this process to `stream`, by default the standard error, as JSON or as readable lines."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(MessageLines(form))
    root = logging.getLogger()
    root.handlers = [other for other in root.handlers if not isinstance(other.formatter, MessageLines)] + [handler]
    logging.captureWarnings(True)
    sys.excepthook = lambda _kind, error, _trace: _log_end("process", error)
    threading.excepthook = lambda arguments: _log_end("thread", arguments.exc_value)


def _log_end(what: str, error: BaseException | None) -> None:
    if error is not None and not isinstance(error, KeyboardInterrupt | SystemExit):
        log.error("A %s ended with an exception", what, exc_info=error)


def announce(form: LogForm, message: str, stream: TextIO | None = None) -> None:
    """Print a message about the server's start or end, by default on the standard output, in every form of log."""
    fields = {"time": _timestamp(datetime.now(UTC)), "event": "server", "message": message, "pid": os.getpid()}
    _print(json.dumps(fields) if form == "json" else message, stream)


def _print(line: str, stream: TextIO | None) -> None:
    stream = stream or sys.stdout
    stream.write(f"{line}\n")  # in one call, so that the lines of several processes do not mix
    stream.flush()


def without_messages(error: BaseException) -> str:
    """A traceback whose exceptions are named without their messages, except for those of the system.

    >>> try:
    ...     {}["a visitor's text"]
    ... except KeyError as error:
    ...     print(without_messages(error).splitlines()[-1])
    KeyError
    """
    parts: list[str] = []
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        kind, cause = type(following), following.__cause__
        module = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
        detail = f": {following.strerror}" if isinstance(following, OSError) and following.strerror else ""
        frames = traceback.format_tb(following.__traceback__)
        trace = "".join(["Traceback (most recent call last):\n", *frames]) if frames else ""
        parts.append(f"{trace}{module}{kind.__qualname__}{detail}")
        following = cause or (None if following.__suppress_context__ else following.__context__)
        if cause:
            parts.append("The above exception was the direct cause of the following exception:\n")
        elif following is not None:
            parts.append("During handling of the above exception, another exception occurred:\n")
    return "\n".join(reversed(parts))


def _timestamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
