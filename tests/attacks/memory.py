"""Small requests that become gigabytes, or seconds: they are refused, or take little, and leave nothing."""

import gzip
import html
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import zstandard

from tests.attacks.exchange import BrokenError, ask, form_bytes
from tests.attacks.findings import Finding
from tests.attacks.site import Site

LIMIT = 8  # seconds: the site's TOKENSCOPE_MAX_REQUEST_SECONDS
GROWTH = 100  # megabytes, of all processes together
SECONDS = 4.0  # of processor time
INTERVAL = 0.1  # seconds between two looks at the memory

TEXT = "a" * 85_000
CAPTURES = "(?:" + "(" * 90 + "a" + ")" * 90 + ")*"


@dataclass(frozen=True)
class Bomb:
    """A request, and whether its text must be in a response with an error."""

    name: str
    request: Callable[[], bytes]
    has_text: bool = False


def _packed() -> bytes:
    """Return 1.2 GB of text as 118 KB."""
    line = b"low lower lowest\n" * 60_000
    packer = zstandard.ZstdCompressor().compressobj()
    return b"".join([*(packer.compress(line) for _ in range(1_180)), packer.flush()])


def _corpus(content: bytes, number: int) -> bytes:
    return form_bytes("/train/corpus", {}, [("files", content)] * number)


def _members() -> bytes:
    return gzip.compress(b"", mtime=0) * 2_000_000


def _vocabulary() -> bytes:
    split = {"type": "Split", "pattern": {"Regex": CAPTURES}, "behavior": "Isolated", "invert": False}
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0]]}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model, "pre_tokenizer": split}).encode()


BOMBS = (
    Bomb("four files of zstd, 1.2 GB each", lambda: _corpus(_packed(), 4)),
    Bomb("two million empty members of gzip", lambda: _corpus(_members(), 1)),
    Bomb("ninety groups in a loop", lambda: form_bytes("/pretokens", {"text": TEXT, "pattern": CAPTURES}), True),
    Bomb(
        "the same in a vocabulary",
        lambda: form_bytes("/upload", {"text": TEXT}, [("vocabulary_file", _vocabulary())]),
        True,
    ),
)


def memory(site: Site) -> Iterator[Finding]:
    """Send each request once, and watch the memory of the site."""
    for bomb in BOMBS:
        yield _sent(site, bomb)
    left = [path.name for path in site.corpora.glob("*") if path.is_dir()]
    yield Finding("what the corpora leave", f"{len(left)} folders", "nothing", not left)


def _sent(site: Site, bomb: Bomb) -> Finding:
    goal = f"{SECONDS:.0f} s of work, below {GROWTH} MB"
    request = bomb.request()
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
    except BrokenError as error:
        return Finding(bomb.name, f"no response: {error}", goal, False)
    finally:
        ended.set()
        looking.join()
    grown = (peak - before) / 1e6
    seconds = sum(used - worked.get(process, 0.0) for process, used in site.processor_seconds().items())
    seen = f"{answer.status} after {seconds:.1f} s of work, {max(grown, 0):.0f} MB more"
    is_right = answer.status in (200, 303, 413, 422, 503)
    if bomb.has_text and answer.status != 200 and TEXT not in html.unescape(answer.text):
        seen, is_right = f"{seen}, without the text that was sent", False
    return Finding(bomb.name, seen, goal, is_right and seconds < SECONDS and grown < GROWTH)
