"""A worker sends long exports whole, and its memory stays small."""

from __future__ import annotations

import json
import sys
import urllib.request
from urllib.parse import urlencode

import pytest

from tests.processes import forget_peak, own_bytes, peak_bytes, resident_bytes, workers_of
from tests.serving import serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

MEGABYTES = 1_000_000
NULS = "\0" * 300_000


@pytest.mark.exhaustive
def test_long_exports_leave_a_worker_small() -> None:
    with serving(environment={"WEB_CONCURRENCY": "1"}) as site:
        _downloaded(site.address, "txt", "low")
        before = {worker: (own_bytes(worker), resident_bytes(worker)) for worker in workers_of(site.process.pid)}
        for worker in before:
            forget_peak(worker)
        for _ in range(2):
            found = json.loads(_downloaded(site.address, "json", NULS))
            assert len(found["tokens"]) == len(NULS)
        assert _downloaded(site.address, "html", NULS).rstrip().endswith(b"</html>")
        remaining = [worker for worker in workers_of(site.process.pid) if worker in before]
        assert remaining, "every worker was replaced"
        for worker in remaining:
            own, resident = before[worker]
            assert peak_bytes(worker) - resident < 150 * MEGABYTES
            assert own_bytes(worker) - own < 80 * MEGABYTES


def _downloaded(address: str, kind: str, text: str) -> bytes:
    body = urlencode({"text": text, "algorithm": "bpe"}).encode()
    with urllib.request.urlopen(f"{address}/download/tokens.{kind}", body, timeout=120) as answer:
        content: bytes = answer.read()
    return content
