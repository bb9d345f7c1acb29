"""``python -m tests.benchmarks.first_use``: a vocabulary of 262,144 pieces in a fresh worker, read or inherited.

The vocabulary is made up: byte-level BPE whose merges join earlier pieces. The first worker reads its file, fetched or
uploaded, those after it map the compact form that the first one stores, or inherit the vocabulary (TOKENSCOPE_FETCH):
at most 1 s, and 10 MB of memory that they do not share.
"""

import gc
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from webapp import create_app
from webapp.core.formats import huggingface
from webapp.core.models.bpe import BPE
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies import hash_of, library, tokenizer_of
from webapp.vocabularies.wellknown import WELL_KNOWN

NAME, PIECES, SECONDS, MEGABYTES = "gemma-3", 262_144, 1.0, 10.0
TEXT = "A sample: 12 words, 词语 and\tsome 代码 f(x) = 3.14;\n"


def made_up() -> bytes:
    """Return a tokenizer.json with `PIECES` pieces."""
    choose = random.Random(1)
    pieces, merges = [bytes([byte]) for byte in range(256)], []
    known = set(pieces)
    while len(pieces) < PIECES:
        left, right = choose.randrange(len(pieces)), choose.randrange(256)
        piece = pieces[left] + pieces[right]
        if piece not in known and len(piece) < 12:
            known.add(piece)
            pieces.append(piece)
            merges.append((left, right))
    return huggingface.write(Tokenizer(BPE(pieces, merges, byte_level=True))).encode()


def private() -> float:
    """Return the megabytes of this process that it does not share."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")) / 1024


def first_use(folder: Path, fetch: str, vocabulary: str) -> tuple[float, float]:
    """Return the processor seconds and the megabytes of the first use in a process that forks after the start."""
    paths = {"DATABASE_FILE": str(folder / "a.sqlite"), "VOCABULARY_FOLDER": str(folder)}
    app = create_app({**paths, "HUB": "http://127.0.0.1:9", "PRELOAD": True, "FETCH": fetch})
    gc.collect()
    gc.freeze()
    reader, writer = os.pipe()
    if not (child := os.fork()):
        with app.app_context():
            library().find("upload-0000000000000000")  # opens the database
            before, started = private(), time.process_time()
            _ = tokenizer_of(vocabulary).encode(TEXT).starts
            os.write(writer, f"{time.process_time() - started} {private() - before}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    seconds, megabytes = os.read(reader, 100).split()
    gc.unfreeze()
    return float(seconds), float(megabytes)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = {"DATABASE_FILE": str(folder / "a.sqlite"), "VOCABULARY_FOLDER": name}
        with create_app({**paths, "HUB": "http://127.0.0.1:9"}).app_context():
            content = made_up()
            library().fetcher.disk_cache.put(WELL_KNOWN[NAME], [content])
            library().uploads.add(content)
            for table in folder.glob("*.compact"):
                table.unlink()
        missed = False
        for how, fetch, vocabulary in (
            ("fetched, read by the first worker", "", NAME),
            ("fetched, read by the second worker", "", NAME),
            ("uploaded, read by the second worker", "", f"upload-{hash_of(content)[:16]}"),
            ("inherited", NAME, NAME),
        ):
            seconds, megabytes = first_use(folder, fetch, vocabulary)
            print(f"{how}: {seconds:.2f} s, {megabytes:.1f} MB")
            missed |= "first" not in how and (seconds > SECONDS or megabytes > MEGABYTES)
    sys.exit(missed)
