"""``python -m tests.benchmarks.readers``: the time and memory that reading or refusing files takes.

Each file is read in its own process. Memory is the growth of the process at its peak, as a multiple of the file,
without the reader's modules. Files have 25 MB, the largest upload, unless noted otherwise.
"""

from __future__ import annotations

import base64
import gzip
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import run

LARGEST = 25_000_000
SHARED = Path(__file__).parents[2].parent / "shared" / "vocabularies"


def repeated(unit: bytes, before: bytes = b"", after: bytes = b"") -> Callable[[], bytes]:
    """Return a file of one unit, repeated."""
    return lambda: before + unit * ((LARGEST - len(before) - len(after)) // len(unit)) + after


def numbered(line: str, many: int, before: str = "", after: str = "", between: str = "") -> Callable[[], bytes]:
    """Return a file of numbered lines."""
    return lambda: (before + between.join(line.format(at, at) for at in range(many)) + after).encode()


def ranks(many: int) -> bytes:
    """Return a `.tiktoken` file: the bytes, then pieces of eight digits."""
    pieces = [bytes([byte]) for byte in range(256)] + [b"%08d" % at for at in range(256, many)]
    return b"".join(base64.b64encode(piece) + b" %d\n" % at for at, piece in enumerate(pieces))


def word_level(many: int) -> bytes:
    """Return a `tokenizer.json` of many words."""
    vocabulary = {"<unk>": 0, **{f"word{at:012d}": at for at in range(1, many)}}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model}).encode()


def merging(many: int) -> bytes:
    """Return a `tokenizer.json` of a BPE whose pieces double: pieces of two letters, and pairs of them."""
    letters = [chr(0x4E00 + at) for at in range(1000)]
    pairs = [(left, right) for left in letters for right in letters][:many]
    vocabulary = {piece: at for at, piece in enumerate(["<unk>", *letters, *map("".join, pairs)])}
    model = {"type": "BPE", "unk_token": "<unk>", "vocab": vocabulary, "merges": [list(pair) for pair in pairs]}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model}, ensure_ascii=False).encode()


FILES: dict[str, Callable[[], bytes]] = {
    "refused: empty lists": repeated(b"[],", b"[", b"[]]"),
    "refused: numbers": repeated(b"1,", b"[", b"1]"),
    "refused: numbers in a tokenizer.json": repeated(b"1,", b'{"version": "1.0", "model": {"merges": [', b"1]}}"),
    "refused: objects with one key": repeated(b'{"a":{}},', b"[", b"{}]"),
    "refused: keys": numbered('"{0}":{1}', 1_400_000, "{", "}", ","),
    "refused: nesting": repeated(b"["),
    "refused: one string": repeated(b"x", b'{"a":"', b'"}'),
    "refused: lines of ranks": repeated(b"IQ== 0\n"),
    "refused: words, too many": numbered("{0:x}\n", 3_500_000),
    "refused: prose": repeated(b"It is a truth universally acknowledged\n"),
    "refused: pieces of a SentencePiece model": repeated(b"\n\x03\n\x01a"),
    "refused: gzip": lambda: gzip.compress(bytes(LARGEST)) * 1000,
    "read: .tiktoken": lambda: ranks(990_000),
    "read: tokenizer.json, WordLevel": lambda: word_level(900_000),
    "read: tokenizer.json, BPE": lambda: merging(590_000),
    "read: dictionary": numbered("word{0:012d} {1}\n", 990_000),
    "read: vocab.txt": numbered("piece{0:015d}\n", 990_000, "[UNK]\n"),
}


def measure(path: str) -> None:
    """Read a file and print the seconds, the growth in bytes and the message."""
    from webapp.core.formats import huggingface, sentencepiece  # noqa: F401 - so that they are loaded before
    from webapp.core.formats.fields import FormatError
    from webapp.core.formats.recognize import recognize

    content = Path(path).read_bytes()
    before, started = peak(), time.perf_counter()
    try:
        said = recognize(content).description
    except FormatError as error:
        said = str(error)
    seconds = time.perf_counter() - started
    print(json.dumps([seconds, peak() - before, said]))


def peak() -> int:
    """Return the peak memory of this process in bytes; the fallback, `getrusage`, includes that of its parent."""
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(status.read_text(encoding="ascii").partition("VmHWM:")[2].split()[0])
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Print a line for each file."""
    files = {**FILES, **{f"read: {path.name}": path.read_bytes for path in sorted(SHARED.glob("*/*"))}}
    print(f"{'file':42} {'MB':>6} {'seconds':>8} {'memory':>8}  message")
    for name, make in files.items():
        with tempfile.NamedTemporaryFile() as file:
            content = make()
            file.write(content)
            file.flush()
            done = run([sys.executable, "-m", __spec__.name, file.name], capture_output=True, text=True, check=True)
        seconds, growth, said = json.loads(done.stdout)
        size = len(content)
        print(f"{name:42} {size / 1e6:6.1f} {seconds:8.2f} {growth / size:7.1f}x  {said[:70]}", flush=True)


if __name__ == "__main__":
    measure(sys.argv[1]) if len(sys.argv) > 1 else main()
