"""``python -m tests.load``: what a visitor waits for while others send long texts, and whether the goals are reached.

    python -m tests.load [--address http://127.0.0.1:8000] [--seconds 60] [--scenario idle|paste|download|mix80|mix200]

Without an address, the test starts the site itself, as deployed, on this machine's loopback interface. A site that is
already running should have no rate limits (``TOKENSCOPE_RATE_READING=``, ``TOKENSCOPE_RATE_STORING=``,
``TOKENSCOPE_RATE_WORK=``) and trust one proxy (``TOKENSCOPE_PROXIES=1``), because each client comes from an address of
its own. With ``--hours``, the mix runs that long at ``--share`` of capacity, and the memory of the site's processes
must not grow. The exit code is 1 if a goal is missed. `pip install '.[test,load]'` first.
"""

# Locust replaces blocking functions of the standard library when it is imported, so it comes first.
import locust  # isort: skip # noqa: F401

import argparse
import json
import resource
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from tests.load.measuring import Load, Sampler
from tests.load.processes import growth
from tests.load.requests import Requests
from tests.load.table import Row, heading
from tests.load.texts import Texts
from tests.serving import serving

SCENARIOS = ("idle", "paste", "download", "mix80", "mix200")
CLIENTS = 8
# The largest growth of a process over the second half of a long run, as a share of its size, that counts as flat.
FLAT = 0.05


def main(arguments: list[str]) -> int:
    """Run the chosen scenarios and print their rows; return 1 if a goal is missed."""
    options = _options(arguments)
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with ExitStack() as stack:
        started = serving(environment=_environment(options.workers), patience=180)
        address = options.address or stack.enter_context(started).address
        every = 10.0 if options.hours else 2.0
        sampler = stack.enter_context(Sampler(address, every, options.csv))
        load = Load(address, Requests(Texts()), sampler, options.addresses)
        load.prepare()
        rows = []
        print(heading(), flush=True)
        for row in _long(load, options) if options.hours else _rows(load, options):
            rows.append(row)
            print("\n".join(row.lines()), flush=True)
        if options.json:
            options.json.write_text(json.dumps([row.record() for row in rows], indent=1) + "\n", encoding="utf-8")
    missed = [f"{row.name}: {wrong}" for row in rows for wrong in row.missed()]
    if options.hours:
        missed += _memory(rows[0], options.most_private)
    print(f"\nmissed: {'; '.join(missed)}" if missed else "\nall goals are reached")
    return 1 if missed else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--address", help="a running site (default: one that this test starts)")
    parser.add_argument("--workers", type=int, default=2, help="of a site that this test starts (default: 2)")
    parser.add_argument("--seconds", type=float, default=60, help="for each measurement (default: 60)")
    parser.add_argument("--scenario", action="append", choices=[*SCENARIOS, "all"], help="may be repeated")
    parser.add_argument("--capacity", type=float, help="requests of the mix a second (default: measured)")
    parser.add_argument("--addresses", type=int, default=200, help="of clients; 1: all from one; 0: no header for it")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    parser.add_argument("--hours", type=float, help="run only the mix, this long, and watch the memory")
    parser.add_argument("--share", type=float, default=0.8, help="of capacity, with --hours (default: 0.8)")
    parser.add_argument("--csv", type=Path, help="a file for memory and processor time of the site")
    parser.add_argument("--most-private", type=float, help="the bound for one process with --hours, in MB")
    return parser.parse_args(arguments)


def _environment(workers: int) -> dict[str, str]:
    return {"TOKENSCOPE_PROXIES": "1", "WEB_CONCURRENCY": str(workers), "DATABASE_URL": "", "REDIS_URL": ""}


def _rows(load: Load, options: argparse.Namespace) -> Iterator[Row]:
    chosen = options.scenario or ["all"]
    chosen = SCENARIOS if "all" in chosen else chosen
    requests, seconds = load.requests, options.seconds
    load.wait_until_quiet()
    if "idle" in chosen:
        yield Row("idle", "nothing", None, load.meanwhile(seconds))
    if "paste" in chosen:
        pastes = load.meanwhile(seconds, lambda load, plan: load.waiting(plan, requests.paste, CLIENTS))
        yield Row("paste", f"{CLIENTS} × paste of 1 MB at once", 0.3, pastes, refusals_allowed=True)
        load.wait_until_quiet()
    if "download" in chosen:
        downloads = load.meanwhile(seconds, lambda load, plan: load.waiting(plan, requests.download, CLIENTS))
        yield Row("download", f"{CLIENTS} × download of 1 MB as tokens.json", 0.3, downloads, refusals_allowed=True)
        load.wait_until_quiet()
    if not {"mix80", "mix200"} & set(chosen):
        return
    capacity = _capacity(load, options)
    for name, share, goal in (("mix80", 0.8, 0.5), ("mix200", 2.0, 1.0)):
        if name in chosen:
            yield _mix(load, name, share, goal, capacity, seconds)
            load.wait_until_quiet()


def _long(load: Load, options: argparse.Namespace) -> Iterator[Row]:
    capacity = _capacity(load, options)
    yield _mix(load, "hours", options.share, 0.5 if options.share < 1 else 1.0, capacity, 3600 * options.hours)


def _capacity(load: Load, options: argparse.Namespace) -> float:
    capacity: float = options.capacity or load.capacity(min(30.0, options.seconds))
    print(f"capacity: {capacity:.1f} requests of the mix a second", flush=True)
    load.wait_until_quiet()
    return capacity


def _mix(load: Load, name: str, share: float, goal: float, capacity: float, seconds: float) -> Row:
    rate = share * capacity
    measured = load.meanwhile(seconds, lambda load, plan: load.arrivals(plan, rate))
    meanwhile = f"the mix at {100 * share:.0f} % of capacity, {rate:.1f}/s"
    return Row(name, meanwhile, goal, measured, refusals_allowed=share > 1)


def _memory(row: Row, most: float | None) -> list[str]:
    """Print whether the memory of the site is flat; return what is wrong."""
    usages = row.measured.usages
    if len(usages) < 2:
        return ["the memory of the site's processes was not found"]
    largest, grown = max(usage.largest for usage in usages), growth(usages)
    print(
        f"\nthe largest process: at most {largest / 1e6:.0f} MB private, {grown / 1e6:+.0f} MB in the second half; "
        f"all together: at most {max(usage.total for usage in usages) / 1e6:.0f} MB"
    )
    wrong = [f"the largest process grew by {grown / 1e6:.0f} MB"] if grown > FLAT * largest else []
    if most is not None and largest > 1e6 * most:
        wrong.append(f"the largest process had {largest / 1e6:.0f} MB instead of at most {most:.0f} MB")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
