"""The report of one request: what it counts, how it measures, and that it costs nothing when nobody asks for it."""

import threading
import time
from contextlib import suppress

import pytest

from webapp.observing import report


@pytest.fixture(autouse=True)
def _no_report_stays():
    yield
    report.finish()


def test_without_a_report_nothing_is_kept_and_nothing_fails():
    with report.current().phase("tokenize"):
        report.current().add("tokens_total", 5, algorithm="bpe")
    report.current().set_route("/")
    assert report.finish() == {}


def test_counters_add_up_by_labels_and_in_each_thread():
    report.start("id")
    for tokens, algorithm in ((5, "bpe"), (7, "bpe"), (1, "fmm")):
        report.current().add("tokens_total", tokens, algorithm=algorithm)
    other = threading.Thread(target=lambda: report.start("other").add("tokens_total", 9, algorithm="bpe"))
    other.start()
    other.join()
    assert report.current().request_id == "id"
    assert sorted(report.finish()["counters"], key=str) == [
        ["tokens_total", {"algorithm": "bpe"}, 12],
        ["tokens_total", {"algorithm": "fmm"}, 1],
    ]


def test_a_phase_does_not_count_the_phases_inside_it_even_if_they_raise():
    report.start()
    with report.current().phase("render"):
        time.sleep(0.02)
        with suppress(ValueError), report.current().phase("tokenize"):
            time.sleep(0.06)
            raise ValueError
    found = report.finish()["phases"]
    assert 0.06 <= found["tokenize"] < 0.2
    assert 0.02 <= found["render"] < 0.06 + 0.2
