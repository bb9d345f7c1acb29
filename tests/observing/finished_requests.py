"""Finished requests for the observers' tests."""

from typing import Any

from webapp.observing import report
from webapp.observing.report import RequestRecord


def finished(**facts: Any) -> RequestRecord:
    """A finished request, of which `facts` replace some."""
    usual: dict[str, Any] = {
        "id": "4f2a",
        "sent_method": "GET",
        "status": 200,
        "received_bytes": 0,
        "sent_bytes": 5_000,
        "queued_seconds": 0.001,
        "worked_seconds": 0.02,
        "total_seconds": 0.03,
        "lane": "light",
        "refused": "",
        "client": "192.0.2.7",
        "report": reported(),
    }
    return RequestRecord(**{**usual, **facts})


def reported(route: str = "/s/<id>", *, tokens: int = 12, **phases: float) -> dict[str, Any]:
    """The report of a worker that has counted `tokens`."""
    report.start("4f2a")
    report.current().set_route(route)
    report.current().add("tokens_total", tokens, algorithm="bpe")
    report.current().add("cache_hits_total", 3, cache="words")
    return {**report.finish(), "phases": phases or {"tokenize": 0.005, "render": 0.01}}
