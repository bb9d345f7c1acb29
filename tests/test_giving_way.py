"""A process that gives way takes a tenth of a processor that others want, and all of one that is idle."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from webapp.processes import has_proc, processor_seconds

COMPUTE = "while True: pass"
GIVE_WAY = f"from webapp.processes import give_way\ngive_way()\n{COMPUTE}"


@pytest.fixture
def one_processor() -> Iterator[None]:
    if not has_proc():
        pytest.skip("the system does not say how long threads wait")
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("one_processor")
def test_a_process_that_gives_way_takes_a_tenth_beside_busy_ones() -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", code], start_new_session=True) for code in (GIVE_WAY, COMPUTE, COMPUTE)
    ]
    try:
        time.sleep(2)
        before, began = processor_seconds(processes[0].pid), time.monotonic()
        time.sleep(8)
        share = (processor_seconds(processes[0].pid) - before) / (time.monotonic() - began)
    finally:
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert 0.07 < share < 0.2  # with an ordinary priority, a third
