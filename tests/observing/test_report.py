"""The report of one request: what it counts, how it measures, and that it costs nothing when nobody asks for it."""

import threading
import time
import timeit

import pytest

from webapp.observing import report


@pytest.fixture(autouse=True)
def _no_report_stays():
    yield
    report.finish()


def test_without_a_report_nothing_is_kept_and_nothing_fails():
    with report.current().phase("tokenize"):
        report.current().add("tokens_total", 5, algorithm="bpe")
    report.current().set_route("playground.page", "/")
    assert report.finish() == {}


def test_counters_add_up_by_labels():
    report.start("id")
    report.current().add("tokens_total", 5, algorithm="bpe")
    report.current().add("tokens_total", 7, algorithm="bpe")
    report.current().add("tokens_total", 1, algorithm="fmm")
    assert sorted(report.finish()["counters"], key=str) == [
        ["tokens_total", {"algorithm": "bpe"}, 12],
        ["tokens_total", {"algorithm": "fmm"}, 1],
    ]


def test_a_phase_does_not_count_the_phases_inside_it():
    report.start()
    with report.current().phase("render"):
        time.sleep(0.02)
        with report.current().phase("tokenize"):
            time.sleep(0.06)
    found = report.finish()
    assert 0.06 <= found["phases"]["tokenize"] < 0.2
    assert 0.02 <= found["phases"]["render"] < 0.06 + 0.2
    (outer, begin, end, around), (inner, inner_begin, inner_end, within) = found["intervals"]
    assert (outer, around, inner, within) == ("render", -1, "tokenize", 0)
    assert begin <= inner_begin <= inner_end <= end
    assert found["phases"]["render"] == pytest.approx((end - begin) - (inner_end - inner_begin), abs=1e-4)


def test_a_phase_that_raises_is_measured_and_raises():
    report.start()
    with pytest.raises(ValueError, match=r"^no$"), report.current().phase("tokenize"):
        raise ValueError("no")
    with report.current().phase("render"):
        pass
    found = report.finish()
    assert list(found["phases"]) == ["tokenize", "render"]
    assert [interval[3] for interval in found["intervals"]] == [-1, -1]


def test_many_phases_keep_the_report_short():
    report.start()
    for _ in range(10_000):
        with report.current().phase("encode"):
            pass
    found = report.finish()
    assert len(found["intervals"]) == report.MOST_INTERVALS
    assert found["phases"].keys() == {"encode"}


def test_threads_have_reports_of_their_own():
    seen = []

    def handle(name: str) -> None:
        report.start(name)
        report.current().add("requests", 1)
        time.sleep(0.01)
        seen.append((report.current().request_id, report.finish()["counters"]))

    threads = [threading.Thread(target=handle, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [(str(number), [["requests", {}, 1]]) for number in range(8)]


def test_unused_it_takes_less_than_a_microsecond():
    def both() -> None:
        report.current().add("tokens_total", 5, algorithm="bpe")
        with report.current().phase("tokenize"):
            pass

    # The best of several: other processes use this machine too.
    assert min(timeit.repeat(both, number=10_000, repeat=20)) / 10_000 < 2e-6
