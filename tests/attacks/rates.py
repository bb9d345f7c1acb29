"""More requests than one address may send, spread over all workers, while workers are replaced."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException

from tests.attacks.conftest import Watched
from tests.attacks.exchange import ask, form_bytes
from tests.storage.killing import WORKER, kill, processes_of

STORING = 20  # in five minutes
SETTINGS = {
    "WEB_CONCURRENCY": "4",
    "TOKENSCOPE_RATE_STORING": f"{STORING} per 5 minutes",  # longer than the attack takes
    "TOKENSCOPE_RATE_WORK": "2 per 5 minutes",
}
LONG = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(150_000))


def test_the_rates_of_one_address_hold_also_when_all_workers_are_killed(site: Watched) -> None:
    """160 results shared, and 23 texts of 450 KB."""
    assert 0 < _statuses(site, 160, _share)[201] <= STORING
    worked = _statuses(site, 15, _work, at_once=2)
    for _ in range(8):  # what was deducted by estimate is given back when it took less
        worked += _statuses(site, 1, _work)
    assert worked[429] > 0
    for pid in [pid for pid, role in processes_of(site.process).items() if role == WORKER]:
        kill(pid)
    for request in (_share, _work):
        assert set(_statuses(site, 10, request, at_once=2)) <= {429, 503}


def _statuses(site: Watched, times: int, request: Callable[[int], bytes], at_once: int = 6) -> Counter[int]:
    """Send so many requests; return how many times each status came, with 0 for no response."""

    def status(number: int) -> int:
        try:
            return ask(site.address, request(number), patience=20).status
        except (OSError, HTTPException):
            return 0

    with ThreadPoolExecutor(at_once) as clients:
        return Counter(clients.map(status, range(times)))


def _share(number: int) -> bytes:
    return form_bytes("/share", {"algorithm": "bpe", "text": f"text {number} at {time.monotonic()}"})


def _work(number: int) -> bytes:
    return form_bytes("/", {"algorithm": "bpe", "text": f"{number}{LONG}"})
