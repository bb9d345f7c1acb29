"""``python -m tests.attacks``: attack a site that this script starts, and report every hole.

    python -m tests.attacks [--connections N] [ATTACK ...]

Without names, all attacks run. Each gets a fresh site, started with ``python -m webapp``. The exit code is 1 when a
hole is found. Everything stays on this machine's loopback interface and is bounded in time, memory and number. It needs
Linux, whose ``/proc`` shows what the processes of the site do.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.attacks import long_requests, memory, rates, slow_clients, static_files
from tests.attacks.findings import Finding, heading, row
from tests.attacks.site import Site


@dataclass(frozen=True)
class Attack:
    """What to do to a site, and the settings to start it with."""

    run: Callable[[Site], Iterator[Finding]]
    settings: Mapping[str, str] = field(default_factory=dict)


def main(arguments: list[str]) -> int:
    """Run the named attacks and print a row for each finding; return 1 if any attack succeeds."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--connections", type=int, default=500, help="slow clients of each kind (default: 500)")
    parser.add_argument("names", nargs="*", metavar="ATTACK", help="the attacks to run (default: all)")
    options = parser.parse_args(arguments)
    attacks = _attacks(options.connections)
    if unknown := [name for name in options.names if name not in attacks]:
        parser.error(f"there is no attack {unknown[0]!r}; there are {', '.join(attacks)}")
    if not Path("/proc/net/tcp").exists():
        parser.error("the attacks watch the site through /proc, and this system has none; run them on Linux")
    began = time.monotonic()
    print(heading(), flush=True)
    holes = 0
    for name in options.names or attacks:
        attack = attacks[name]
        with Site(attack.settings) as site:
            for finding in _findings(attack, site):
                holes += not finding.holds
                print(row(name, finding), flush=True)
    seconds = time.monotonic() - began
    print(f"\n{holes or 'no'} hole{'' if holes == 1 else 's'} found in {seconds:.0f} s")
    return 1 if holes else 0


def _attacks(connections: int) -> dict[str, Attack]:
    limited = {"TOKENSCOPE_MAX_REQUEST_SECONDS": str(long_requests.LIMIT)}
    return {
        "missing-static": Attack(static_files.missing_static),
        "path-traversal": Attack(static_files.path_traversal),
        "slow-clients": Attack(partial(slow_clients.slow_clients, connections=connections)),
        "long-request": Attack(long_requests.long_request, limited),
        "memory": Attack(memory.memory, {"TOKENSCOPE_MAX_REQUEST_SECONDS": str(memory.LIMIT)}),
        "client-left": Attack(long_requests.client_left, limited),
        "rates": Attack(rates.rates, rates.SETTINGS),
    }


def _findings(attack: Attack, site: Site) -> Iterator[Finding]:
    yield from attack.run(site)
    yield site.afterwards()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
