"""The lines of the log: what they say, and that they never repeat what a visitor sent."""

import io
import json
import logging
import re
import warnings
from collections.abc import Iterator

import pytest

from tests.observing.finished_requests import finished, reported
from webapp.observing import logs, report
from webapp.observing.options import Options

MARKER = "visitor-text-乸"


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """What the process logs as JSON."""
    root, hooks = logging.getLogger(), (logs.sys.excepthook, logs.threading.excepthook)
    before = list(root.handlers)
    written = io.StringIO()
    logs.configure("json", written)
    yield written
    root.handlers = before
    logging.captureWarnings(False)
    logs.sys.excepthook, logs.threading.excepthook = hooks
    report.finish()


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def logged(options: Options, **facts: object) -> list[str]:
    written = io.StringIO()
    logs.RequestLog(options, written)(finished(**facts))
    return written.getvalue().splitlines()


def test_a_request_is_one_json_line():
    (line,) = logged(Options(log="json"), sent_method="POST", received_bytes=1_234)
    found = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", found.pop("time"))
    assert found == {
        "event": "request",
        "id": "4f2a",
        "method": "POST",
        "route": "/s/<id>",
        "status": 200,
        "received_bytes": 1_234,
        "sent_bytes": 5_000,
        "queue_ms": 1.0,
        "work_ms": 20.0,
        "total_ms": 30.0,
        "lane": "light",
        "phase": "render",
    }


def test_a_line_has_what_the_operator_asks_for():
    assert logged(Options()) == []
    (hidden,) = logged(Options(log="json", log_addresses=True), sent_method=MARKER, report=reported(""))
    assert MARKER not in hidden
    assert json.loads(hidden)["method"] == "other"
    assert "192.0.2.7" not in logged(Options(log="json"))[0]
    assert json.loads(logged(Options(log="json", log_addresses=True))[0])["address"] == "192.0.2.7"
    assert json.loads(logged(Options(log="json"), refused="busy", status=503)[0])["refused"] == "busy"
    (line,) = logged(Options(log="text"), refused="much", status=429)
    assert re.match(r"\S+Z GET /s/<id> 429 id=4f2a received_bytes=0 .*lane=light phase=render refused=much$", line)


def test_an_exception_is_logged_with_its_place_but_without_its_message(stream: io.StringIO):
    report.start("4f2a")
    try:
        try:
            {}[MARKER]
        except KeyError as error:
            raise ValueError(f"no {MARKER}") from error
    except ValueError:
        logging.getLogger("webapp.web.errors").exception("GET / failed")
    (line,) = lines(stream)
    assert (line["id"], line["level"], line["message"]) == ("4f2a", "error", "GET / failed")
    trace = str(line["trace"])
    assert MARKER not in trace
    assert "KeyError\nThe above exception was the direct cause" in trace
    assert trace.endswith("ValueError")
    assert "test_logs.py" in trace


def test_the_systems_own_reasons_are_logged(stream: io.StringIO):
    try:
        open(f"/nowhere/{MARKER}")  # noqa: SIM115
    except OSError:
        logging.getLogger("webapp").exception("A file is missing")
    (line,) = lines(stream)
    assert str(line["trace"]).endswith("FileNotFoundError: No such file or directory")
    assert MARKER not in stream.getvalue()


def test_exceptions_in_a_loop_of_causes_end(stream: io.StringIO):
    first, second = ValueError(), KeyError()
    first.__context__, second.__context__ = second, first
    logging.getLogger("webapp").error("odd", exc_info=first)
    assert str(lines(stream)[0]["trace"]).endswith("ValueError")


def test_a_message_stays_on_one_line(stream: io.StringIO):
    logging.getLogger("webapp").warning('one\ntwo\r\n{"event": "request"}')
    (line,) = lines(stream)
    assert line["message"] == 'one two {"event": "request"}'
    written = io.StringIO()
    logs.configure("text", written)
    logging.getLogger("webapp").warning("one\ntwo")
    assert written.getvalue().count("\n") == 1


def test_warnings_of_libraries_are_lines_too(stream: io.StringIO):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert lines(stream)[0]["logger"] == "py.warnings"
