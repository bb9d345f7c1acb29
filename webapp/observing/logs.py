"""Logs: a line for each request on the standard output, and all other messages on the standard error.

`TOKENSCOPE_LOG=json` makes each line a JSON object. No line has a text, a query or a path, which may be a visitor's
secret: a request is named by its id and its route, an exception by its type and where it was raised. An exception's
message may repeat what the visitor sent, so only the system's own are logged.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import traceback
from datetime import UTC, datetime
from typing import Any, TextIO

from webapp.observing import report
from webapp.observing.finished import RequestRecord, method_of, reason_of, route_of
from webapp.observing.options import LogForm, Options

log = logging.getLogger(__name__)

# The phase of a request outside of all measured ones.
OTHER = "other"
# Characters of one message; a line of a request is much shorter.
LONGEST_MESSAGE = 2_000
_OWN = "_tokenscope_handler"


class RequestLog:
    """Writes a line for each finished request, and a warning for a slow one."""

    def __init__(self, options: Options, stream: TextIO | None = None) -> None:
        self._options = options
        self._stream = stream or sys.stdout

    def __call__(self, request: RequestRecord) -> None:
        """Log a finished request."""
        if self._options.log:
            fields = line_of(request, with_address=self._options.log_addresses)
            text = json.dumps(fields) if self._options.log == "json" else _readable(fields)
            # In one call, so that the lines of several processes do not mix.
            self._stream.write(text + "\n")
            self._stream.flush()
        if request.worked_seconds > self._options.slow_seconds:
            _warn_of(request)


def line_of(request: RequestRecord, *, with_address: bool) -> dict[str, Any]:
    """The fields of a request's line; times in milliseconds."""
    found: dict[str, Any] = {
        "time": _timestamp(datetime.now(UTC)),
        "event": "request",
        "id": request.id,
        "method": method_of(request),
        "route": route_of(request),
        "status": request.status,
        "received_bytes": request.received_bytes,
        "sent_bytes": request.sent_bytes,
        "queue_ms": _milliseconds(request.queued_seconds),
        "work_ms": _milliseconds(request.worked_seconds),
        "total_ms": _milliseconds(request.total_seconds),
        "lane": request.lane,
    }
    if reason := reason_of(request):
        found["refused"] = reason
    if with_address:
        found["address"] = request.client
    return found


def slowest_phase(request: RequestRecord) -> tuple[str, float]:
    """The phase that took most of a request's time with a worker, and its seconds."""
    phases: dict[str, float] = dict(request.report.get("phases") or {})
    phases[OTHER] = max(request.worked_seconds - sum(phases.values()), 0.0)
    name = max(phases, key=phases.__getitem__)
    return name, phases[name]


def _warn_of(request: RequestRecord) -> None:
    name, seconds = slowest_phase(request)
    log.warning(
        "A slow request: %s %s worked for %.1f s, of which %r took %.1f s",
        method_of(request),
        route_of(request),
        request.worked_seconds,
        name,
        seconds,
        extra={"request_id": request.id, "phase": name},
    )


class JsonLines(logging.Formatter):
    """Messages as JSON objects, one a line, with the traceback in the field `trace`."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of one message."""
        fields = {
            "time": _timestamp(datetime.fromtimestamp(record.created, UTC)),
            "event": "message",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _message(record),
            "id": getattr(record, "request_id", "") or report.current().request_id,
            "phase": getattr(record, "phase", ""),
            "trace": without_messages(record.exc_info[1]) if record.exc_info and record.exc_info[1] else "",
        }
        return self._line({name: value for name, value in fields.items() if value or name == "message"})

    def _line(self, fields: dict[str, Any]) -> str:
        return json.dumps(fields)


class ReadableLines(JsonLines):
    """Messages as `2026-11-22T10:00:00.000Z WARNING webapp.web.errors [id] message`, tracebacks below."""

    def _line(self, fields: dict[str, Any]) -> str:
        request = f" [{fields['id']}]" if "id" in fields else ""
        line = f"{fields['time']} {fields['level'].upper()} {fields['logger']}{request} {fields['message']}"
        return "\n".join((line, fields["trace"])) if "trace" in fields else line


def configure(form: LogForm, stream: TextIO | None = None) -> None:
    """Send the messages of this process to `stream`, by default the standard error, as JSON or as readable lines."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else ReadableLines())
    setattr(handler, _OWN, True)
    root = logging.getLogger()
    root.handlers = [other for other in root.handlers if not hasattr(other, _OWN)] + [handler]
    logging.captureWarnings(True)
    sys.excepthook = _log_exception
    threading.excepthook = _log_exception_of_thread


def granian_configuration(form: LogForm) -> dict[str, Any]:
    """The logging of Granian, in the form of `logging.config.dictConfig`: the same lines as ours on the same stream."""
    formatter = JsonLines if form == "json" else ReadableLines
    return {
        "formatters": {"lines": {"()": f"{formatter.__module__}.{formatter.__qualname__}"}},
        "handlers": {"lines": {"formatter": "lines", "class": "logging.StreamHandler", "stream": "ext://sys.stderr"}},
        "loggers": {"_granian": {"handlers": ["lines"], "propagate": False}},
    }


def announce(form: LogForm, message: str, stream: TextIO | None = None) -> None:
    """Print a message about the server's start or end, by default on the standard output, in every form of log."""
    stream = stream or sys.stdout
    fields = {"time": _timestamp(datetime.now(UTC)), "event": "server", "message": message, "pid": os.getpid()}
    stream.write((json.dumps(fields) if form == "json" else message) + "\n")
    stream.flush()


def without_messages(error: BaseException) -> str:
    """A traceback whose exceptions are named without their messages, except for those of the system.

    >>> try:
    ...     {}["a visitor's text"]
    ... except KeyError as error:
    ...     print(without_messages(error).splitlines()[-1])
    KeyError
    """
    trace = traceback.TracebackException.from_exception(error)
    return "".join(_lines(trace, error)).rstrip("\n")


def _lines(trace: traceback.TracebackException, error: BaseException | None) -> list[str]:
    lines: list[str] = []
    if trace.__cause__ is not None:
        lines += _lines(trace.__cause__, error.__cause__ if error else None)
        lines.append("The above exception was the direct cause of the following exception:\n")
    elif trace.__context__ is not None and not trace.__suppress_context__:
        lines += _lines(trace.__context__, error.__context__ if error else None)
        lines.append("During handling of the above exception, another exception occurred:\n")
    if trace.stack:
        lines.append("Traceback (most recent call last):\n")
        lines += trace.stack.format()
    kind = type(error)
    module = "" if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}."
    detail = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
    lines.append(f"{module}{kind.__qualname__}{detail}\n")
    return lines


def _message(record: logging.LogRecord) -> str:
    message = record.getMessage()
    # Granian adds the traceback to the message itself.
    message = message.partition("\nTraceback (most recent call last):")[0]
    return " ".join(message[:LONGEST_MESSAGE].split())


def _log_exception(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    log.error("A process ended with an exception", exc_info=(kind, error, trace))


def _log_exception_of_thread(arguments: threading.ExceptHookArgs) -> None:
    if arguments.exc_value is not None and not isinstance(arguments.exc_value, SystemExit):
        log.error("A thread ended with an exception", exc_info=arguments.exc_value)


def _readable(fields: dict[str, Any]) -> str:
    shown = dict(fields)
    begin = f"{shown.pop('time')} {shown.pop('method')} {shown.pop('route')} {shown.pop('status')}"
    shown.pop("event")
    return " ".join([begin, *(f"{name}={value}" for name, value in shown.items())])


def _milliseconds(seconds: float) -> float:
    return round(1000 * seconds, 1)


def _timestamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
