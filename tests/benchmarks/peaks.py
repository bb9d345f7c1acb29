"""The memory of the whole site at its peak: ``python -m tests.benchmarks.peaks [--checkout FOLDER] [NAME ...]``.

For each of the requests that take most memory, alone and several at once from as many addresses: the sum of the PSS of
all processes of a fresh site with two workers, sampled every 50 ms, the private memory of its largest process, and the
responses. The goal is 1.5 GB together.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from urllib.parse import urlencode

import zstandard

from tests.benchmarks.hostile import SIX, texts
from tests.benchmarks.texts import require_shared
from tests.benchmarks.timing import end
from tests.processes import descendants, own_bytes, proportional_bytes
from tests.serving import ROOT, serving

GOAL = 1_500  # megabytes
SECONDS = 0.05  # between two samples
FORM = "application/x-www-form-urlencoded"
CAPTURES = "(?:" + "(" * 90 + "a" + ")" * 90 + ")*"

Asked = tuple[str, bytes, str]  # path, body and content type


@cache
def bomb() -> bytes:
    """Return 1.2 GB of text as 118 KB of zstd."""
    line = b"low lower lowest\n" * 60_000
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    return b"".join([*(packer.compress(line) for _ in range(1_180)), packer.flush()])


def files(path: str, name: str, field: str, *contents: bytes, text: str = "") -> Asked:
    """Return a form with files, and perhaps a text."""
    written = f'--limit\r\nContent-Disposition: form-data; name="text"\r\n\r\n{text}\r\n'.encode() if text else b""
    head = f'--limit\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'.encode()
    body = written + b"".join(head + content + b"\r\n" for content in contents) + b"--limit--\r\n"
    return path, body, "multipart/form-data; boundary=limit"


def form(path: str, **values: str | Sequence[str]) -> Asked:
    """Return a form without files."""
    return path, urlencode(values, doseq=True).encode(), FORM


def corpus(number: int) -> Asked:
    """Return an upload of so many bombs as one corpus."""
    return files("/train/corpus", "low.txt.zst", "files", *[bomb()] * number)


def pretokens() -> Asked:
    """Return a text with the pattern whose captures take most memory."""
    return form("/pretokens", text="a" * 85_000, pattern=CAPTURES)


def upload() -> Asked:
    """Return an upload of a vocabulary with that pattern, and the text."""
    split = {"type": "Split", "pattern": {"Regex": CAPTURES}, "behavior": "Isolated", "invert": False}
    model = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.0]]}
    document = {"version": "1.0", "added_tokens": [], "model": model, "pre_tokenizer": split}
    content = json.dumps(document).encode()
    return files("/upload", "tokenizer.json", "vocabulary_file", content, text="a" * 85_000)


def six(text: str) -> Asked:
    """Return a comparison of six tokenizers."""
    return form("/compare", text=text, **{"with": SIX})


def messages(text: str) -> Asked:
    """Return a conversation of one message whose markers are plain text."""
    said = json.dumps([{"role": "user", "content": text}], ensure_ascii=False)
    return form("/messages", json=said, paste="1", markers="text")


def export(text: str) -> Asked:
    """Return the export of all tokens as JSON."""
    return form("/download/tokens.json", text=text, algorithm="bpe")


def cases() -> dict[str, Callable[[], list[Asked]]]:
    """Return what is sent at once, by name."""
    known = texts()
    emoji, marks, english = known["joined emoji"], known["combining marks"], known["English"]
    return {
        "nothing": list,
        "bomb": lambda: [corpus(1)],
        "bombs4": lambda: [corpus(4)],
        "bomb x3": lambda: [corpus(1)] * 3,
        "captures": lambda: [pretokens()],
        "captures x8": lambda: [pretokens()] * 8,
        "upload": lambda: [upload()],
        "upload x8": lambda: [upload()] * 8,
        "six English": lambda: [six(english)],
        "six emoji": lambda: [six(emoji)],
        "six marks": lambda: [six(marks)],
        "messages": lambda: [messages(emoji)],
        "export": lambda: [export(emoji)],
        "six x8": lambda: [six(marks)] * 8,
        "six+messages x8": lambda: [six(english), messages(emoji)] * 4,
        "eight": lambda: [six(marks), messages(emoji), pretokens(), corpus(4)] * 2,
    }


def ask(address: str, asked: Asked, client: int) -> str:
    """Send a request from an address of its own; return the status with the seconds."""
    path, body, kind = asked
    headers = {"Content-Type": kind, "X-Forwarded-For": f"198.51.100.{client}", "Accept": "text/html"}
    begun = time.monotonic()
    try:
        with urllib.request.urlopen(urllib.request.Request(address + path, body, headers), timeout=120) as answer:
            status = answer.status
            while answer.read(1 << 16):
                pass
    except urllib.error.HTTPError as error:
        error.close()
        status = error.code
    except OSError:
        status = 0
    return f"{status} ({time.monotonic() - begun:.0f} s)"


class Sampler(threading.Thread):
    """Samples the memory of a process with all that it has started, until `ended` is set."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.ended = threading.Event()
        self.together = self.largest = 0
        self._root = root

    def run(self) -> None:
        """Sample."""
        while not self.ended.wait(SECONDS):
            try:
                found = [self._root, *dict.fromkeys(descendants(self._root))]
            except OSError:  # one of them has ended
                continue
            self.together = max(self.together, sum(map(proportional_bytes, found)))
            self.largest = max(self.largest, *map(own_bytes, found))


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--checkout", type=Path, default=ROOT, help="the checkout whose site is measured")
    parser.add_argument("names", nargs="*", help="the cases to measure (default: all)")
    options = parser.parse_args()
    require_shared()
    missed = []
    settings = {"WEB_CONCURRENCY": "2", "TOKENSCOPE_WORKER": "true", "TOKENSCOPE_PROXIES": "1"}
    settings["TOKENSCOPE_MAX_REQUEST_SECONDS"] = "120"  # so that a busy machine does not stop what would take more
    print(f"{'':<18}{'all, MB':>8}{'largest':>9}  responses", flush=True)
    for name, made in cases().items():
        if options.names and name not in options.names:
            continue
        asked = made()
        with serving(folder=options.checkout, environment=settings, patience=300) as site:
            time.sleep(1)
            sampler = Sampler(site.process.pid)
            sampler.start()
            with ThreadPoolExecutor(max(1, len(asked))) as clients:
                statuses = Counter(clients.map(ask, [site.address] * len(asked), asked, range(len(asked))))
            time.sleep(0.5)
            sampler.ended.set()
            sampler.join()
        together, largest = sampler.together / 1e6, sampler.largest / 1e6
        told = ", ".join(f"{number} × {status}" if number > 1 else status for status, number in statuses.items())
        print(f"{name:<18}{together:>8.0f}{largest:>9.0f}  {told}", flush=True)
        if together > GOAL:
            missed.append(name)
    return end([], missed)


if __name__ == "__main__":
    raise SystemExit(main())
