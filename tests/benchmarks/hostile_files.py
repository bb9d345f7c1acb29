"""``python -m tests.benchmarks.hostile_files``: what files that cost much for their size cost to read or refuse.

Every file of `tests.core.hostile_files` at the size of the largest upload, each in its own process. `seconds` are CPU
time to read the file and to encode and decode a line with it; `memory` is the growth of the process at its peak as a
multiple of the file, and `held` what the tokenizer keeps. Names as arguments select some files, `size=…` another size.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from subprocess import run

from tests.benchmarks.timing import end
from tests.core.hostile_files import MAKERS
from tests.processes import peak_bytes, resident_bytes
from webapp.settings import DEFAULTS

MOST_SECONDS, MOST_TIMES = 3.0, 3.0
# Vocabularies that are as large as ours may be: what a piece takes in tables is many times what it takes in a file.
LARGE_BUT_VALID = ("pieces", "words", "merges", "bigrams", "scores", "counts as text", "counts as JSON", "minimal BPE")


def measure(paths: list[str]) -> None:
    """Read a file, use what was read, and print seconds, bytes at the peak, bytes held and the message."""
    from tests.core.mutations import TEXT
    from webapp.core.formats import huggingface, sentencepiece  # noqa: F401 - so that they are loaded before
    from webapp.core.formats.fields import FormatError
    from webapp.core.formats.recognize import recognize
    from webapp.core.text.split_patterns import TextError

    contents = [Path(path).read_bytes() for path in paths]
    recognize(b"a 1\n").tokenizer.ids(TEXT)
    before, started = peak_bytes(os.getpid()), time.process_time()
    tokenizer = None
    try:
        found = recognize(*contents)
        said, tokenizer = found.description, found.tokenizer
        tokenizer.decode(tokenizer.encode(TEXT, special=True, template=True).ids)
    except (FormatError, TextError) as error:
        said = ("" if tokenizer else "refused: ") + str(error)
    seconds, highest = time.process_time() - started, peak_bytes(os.getpid()) - before
    gc.collect()
    print(json.dumps([seconds, highest, resident_bytes(os.getpid()) - before, said]))


def main(chosen: list[str]) -> int:
    """Print a line for each file; 1 if one costs too much."""
    sizes = [int(each.removeprefix("size=")) for each in chosen if each.startswith("size=")]
    chosen = [each for each in chosen if not each.startswith("size=")]
    size = sizes[0] if sizes else DEFAULTS["MAX_UPLOAD_BYTES"] - 100_000
    print(f"{'file':40} {'MB':>6} {'seconds':>8} {'memory':>8} {'held':>7}  message")
    missed = []
    for name, make in MAKERS.items():
        if chosen and not any(each in name for each in chosen):
            continue
        contents = make(size)
        with ExitStack() as stack:
            paths = []
            for content in contents:
                file = stack.enter_context(tempfile.NamedTemporaryFile())
                file.write(content)
                file.flush()
                paths.append(file.name)
            command = [sys.executable, "-m", __spec__.name, "--measure", *paths]
            done = run(command, capture_output=True, text=True, check=False)
        total = sum(map(len, contents))
        if done.returncode:
            print(f"{name:40} {total / 1e6:6.1f}  {done.stderr.strip().splitlines()[-1:]}", flush=True)
            missed.append(name)
            continue
        seconds, highest, held, said = json.loads(done.stdout)
        # A small file may cost what its reader's tables cost.
        times, kept = highest / max(total, 1 << 20), max(0, held) / max(total, 1 << 20)
        print(f"{name:40} {total / 1e6:6.1f} {seconds:8.2f} {times:7.1f}x {kept:6.1f}x  {said[:90]}", flush=True)
        is_large = any(word in name for word in LARGE_BUT_VALID) and not said.startswith("refused")
        if seconds > MOST_SECONDS * (2 if is_large else 1) or (times > MOST_TIMES and not is_large):
            missed.append(name)
    return end([], missed)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2:])
    else:
        raise SystemExit(main(sys.argv[1:]))
