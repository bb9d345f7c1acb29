"""Small requests that become gigabytes, or seconds: they are refused, or take little, and leave nothing."""

import gzip
import html
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.attacks.conftest import Watched
from tests.attacks.exchange import ask, form_bytes

LIMIT = 8  # seconds
SETTINGS = {"TOKENSCOPE_MAX_REQUEST_SECONDS": str(LIMIT)}
GROWTH = 100  # megabytes, of all processes together
SECONDS = 4.0  # of processor time
INTERVAL = 0.1  # seconds between two looks at the memory

TEXT = "a" * 85_000
CAPTURES = "(?:" + "(" * 90 + "a" + ")" * 90 + ")*"


def _packed() -> bytes:
    """Return 1.2 GB of text as 118 KB."""
    line = b"low lower lowest\n" * 60_000
    packer = zstandard.ZstdCompressor().compressobj()
    return b"".join([*(packer.compress(line) for _ in range(1_180)), packer.flush()])


def _corpus(content: bytes, number: int) -> bytes:
    return form_bytes("/train/corpus", {}, [("files", content)] * number)


def _vocabulary() -> bytes:
    split = {"type": "Split", "pattern": {"Regex": CAPTURES}, "behavior": "Isolated", "invert": False}
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0]]}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model, "pre_tokenizer": split}).encode()


# Requests by name; those of a text, which a page with an error repeats, come last.
BOMBS: dict[str, Callable[[], bytes]] = {
    "four files of zstd, 1.2 GB each": lambda: _corpus(_packed(), 4),
    "two million empty members of gzip": lambda: _corpus(gzip.compress(b"", mtime=0) * 2_000_000, 1),
    "ninety groups in a loop": lambda: form_bytes("/pretokens", {"text": TEXT, "pattern": CAPTURES}),
    "the same in a vocabulary": lambda: form_bytes("/upload", {"text": TEXT}, [("vocabulary_file", _vocabulary())]),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_request_takes_little(site: Watched, name: str) -> None:
    request, corpora = BOMBS[name](), _corpora(site)
    before, worked, peak = site.memory(), site.processor_seconds(), 0
    ended = threading.Event()

    def look() -> None:
        nonlocal peak
        while not ended.wait(INTERVAL):
            peak = max(peak, site.memory())

    looking = threading.Thread(target=look)
    looking.start()
    try:
        answer = ask(site.address, request, patience=LIMIT + 2)
    finally:
        ended.set()
        looking.join()
    seconds = sum(used - worked.get(process, 0.0) for process, used in site.processor_seconds().items())
    assert answer.status in (200, 303, 413, 422, 503)
    assert answer.status == 200 or TEXT.encode() not in request or TEXT in html.unescape(answer.text)
    assert seconds < SECONDS
    assert (peak - before) / 1e6 < GROWTH
    assert _corpora(site) == corpora


def _corpora(site: Watched) -> set[Path]:
    return {path for path in site.corpora.glob("*") if path.is_dir()}
