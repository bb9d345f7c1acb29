"""More requests than one address may send, spread over all workers, while workers are replaced."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from tests.attacks.exchange import BrokenError, ask, form_bytes
from tests.attacks.findings import Finding
from tests.attacks.site import Site
from tests.storage.killing import WORKER, kill, processes_of

STORING = 20  # in five minutes
SETTINGS = {
    "WEB_CONCURRENCY": "4",
    "TOKENSCOPE_RATE_STORING": f"{STORING} per 5 minutes",  # longer than the attack takes
    "TOKENSCOPE_RATE_WORK": "2 per 5 minutes",
}
LONG = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(150_000))


def rates(site: Site) -> Iterator[Finding]:
    """Share more, and ask for more work, than one address may; kill all workers, and do so again."""
    goal = f"201 at most {STORING} times"
    stored = _statuses(site, 160, _share)
    yield Finding("160 shares of one address", _shown(stored), goal, 0 < stored[201] <= STORING)
    worked = _statuses(site, 15, _work, at_once=2)
    for _ in range(8):  # what was deducted by estimate is given back when it took less
        worked += _statuses(site, 1, _work)
    yield Finding("23 texts of 450 KB", _shown(worked), "some 429", worked[429] > 0)
    for pid in [pid for pid, role in processes_of(site.process.pid).items() if role == WORKER]:
        kill(pid)
    for what, request in (("shares", _share), ("texts", _work)):
        later = _statuses(site, 10, request, at_once=2)
        holds = set(later) <= {429, 503}
        yield Finding(f"10 {what} after all workers were killed", _shown(later), "none that is answered", holds)


def _statuses(site: Site, times: int, request: Callable[[int], bytes], at_once: int = 6) -> Counter[int]:
    """Send so many requests; return how many times each status came, with 0 for no response."""

    def status(number: int) -> int:
        try:
            return ask(site.address, request(number), patience=20).status
        except BrokenError:
            return 0

    with ThreadPoolExecutor(at_once) as clients:
        return Counter(clients.map(status, range(times)))


def _share(number: int) -> bytes:
    return form_bytes("/share", {"algorithm": "bpe", "text": f"text {number} at {time.monotonic()}"})


def _work(number: int) -> bytes:
    return form_bytes("/", {"algorithm": "bpe", "text": f"{number}{LONG}"})


def _shown(statuses: Counter[int]) -> str:
    return ", ".join(f"{status} {count} times" for status, count in sorted(statuses.items()))
