"""How fast we encode with `tiktoken`'s vocabularies, beside it: ``python -m tests.benchmarks.tiktoken``.

Each row is one vocabulary under one split pattern on one text, the ids compared before anything is timed. Cold is a
fresh tokenizer with empty caches, warm the second text and all after it. Ratios are of CPU time, both on one thread;
above 1 we are faster. Behind the table stands what has to stay near n log n, and what loading costs.
"""

import sysconfig
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import process_time
from typing import NamedTuple

import tiktoken

from tests.benchmarks.encoding import ENGLISH, SHARED
from tests.benchmarks.timing import Contender, medians
from webapp.core.formats.tiktoken import ENCODINGS, model_ranks, read
from webapp.core.tokenizer import Tokenizer

RANKS = SHARED / "vocabularies" / "tiktoken" / "cl100k_base.tiktoken"
JAPANESE = SHARED / "texts" / "ja_wagahai.txt"
HEADER = "{:<32}{:>9}{:>9}{:>9}{:>8}{:>8}{:>10}"
MEGABYTE = 1_000_000


class Goal(NamedTuple):
    """How many times the rival's time ours may not exceed, cold and warm; 0 where nothing is asked."""

    cold: float
    warm: float


def source_code(size: int = 5 * MEGABYTE) -> str:
    """The first megabytes of the standard library."""
    texts: list[str] = []
    folder = Path(sysconfig.get_path("stdlib"))
    for path in sorted(folder.rglob("*.py")):
        if "site-packages" not in path.parts and sum(map(len, texts)) < size:
            texts.append(path.read_bytes().decode("utf-8", errors="ignore"))
    return "".join(texts)[:size]


def rival_of(tokenizer: Tokenizer, pattern: str) -> tiktoken.Encoding:
    """The same vocabulary in `tiktoken`."""
    return tiktoken.Encoding("rival", pat_str=pattern, mergeable_ranks=model_ranks(tokenizer), special_tokens={})


def compare(name: str, encoding: str, content: bytes, text: str, goal: Goal) -> bool:
    """Print one row; whether the goal was reached."""
    pattern = ENCODINGS[encoding].pattern

    def fresh() -> Tokenizer:
        tokenizer = read(content, pattern=pattern, special_tokens={})
        tokenizer.ids("a")  # the pattern is compiled once a process
        return tokenizer

    warm = fresh()
    rival = rival_of(warm, pattern)
    assert warm.ids(text) == rival.encode_ordinary(text), f"{name}: the ids differ"
    theirs, cold, again = medians(
        [
            Contender("tiktoken", lambda _: rival.encode_ordinary(text)),
            Contender("cold", lambda tokenizer: tokenizer.ids(text), fresh),
            Contender("warm", lambda _: warm.ids(text)),
        ]
    )
    seconds = (f"{value:.3f}" for value in (theirs, cold, again))
    ratios = f"{theirs / cold:.2f}x", f"{theirs / again:.2f}x"
    print(HEADER.format(name, *seconds, *ratios, f"{goal.cold:g}/{goal.warm:g}"), flush=True)
    return theirs / cold >= goal.cold and theirs / again >= goal.warm


def hostile(size: int) -> dict[str, str]:
    """Texts of `size` bytes that no space cuts."""
    random = Random(7)
    ideographs = [chr(code) for code in range(0x4E00, 0x9FA6)]
    return {
        "one letter": "a" * size,
        "random ideographs": "".join(random.choices(ideographs, k=size // 3)),
        "emoji and joiners": "\u200d".join(random.choices("👩👨👧👦🏽🎉❤🌍", k=size // 7)),
        "random letters": "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=size)),
    }


def growth(content: bytes) -> None:
    """Print seconds for a quarter, a half and a whole megabyte of each hostile text."""
    print("\nseconds, cold:              250 KB   500 KB     1 MB")
    for name in hostile(7):
        taken = []
        for size in (MEGABYTE // 4, MEGABYTE // 2, MEGABYTE):
            tokenizer = read(content, "cl100k_base")
            tokenizer.ids("a")
            text = hostile(size)[name]
            taken.append(seconds_of(lambda tokenizer=tokenizer, text=text: tokenizer.ids(text)))  # type: ignore[misc]
        print(f"{name:<24}" + "".join(f"{value:>9.2f}" for value in taken), flush=True)


def loading(content: bytes) -> None:
    """Print what a vocabulary of 100,256 pieces costs to load, in seconds and in memory."""
    tracemalloc.start()
    tokenizer = read(content, "cl100k_base")
    size, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(tokenizer.model.pieces) == 100_256
    seconds = seconds_of(lambda: read(content, "cl100k_base"))
    print(f"\nloading 100,256 pieces: {seconds:.2f} s, {size / 1e6:.0f} MB kept, {most / 1e6:.0f} MB at most")


def seconds_of(run: Callable[[], object]) -> float:
    """CPU time of one run."""
    start = process_time()
    run()
    return process_time() - start


def main() -> None:
    """Print the table, growth and loading, and after them each goal that was missed."""
    if not SHARED.is_dir():
        raise SystemExit(f"there is no {SHARED}: the texts are not at hand")
    content = RANKS.read_bytes()
    english, japanese = (path.read_text(encoding="utf-8") for path in (ENGLISH, JAPANESE))
    code = source_code()
    rows = [
        ("cl100k_base, English", "cl100k_base", english, Goal(0.6, 1)),
        ("cl100k_base, Japanese", "cl100k_base", japanese, Goal(0, 1)),
        ("cl100k_base, source code", "cl100k_base", code, Goal(0.6, 1)),
        ("o200k's pattern, English", "o200k_base", english, Goal(0, 0.6)),
        ("o200k's pattern, Japanese", "o200k_base", japanese, Goal(0, 0.6)),
        ("o200k's pattern, source code", "o200k_base", code, Goal(0, 0.6)),
    ]
    print(HEADER.format("", "tiktoken", "cold s", "warm s", "cold", "warm", "goal"))
    missed = [name for name, encoding, text, goal in rows if not compare(name, encoding, content, text, goal)]
    growth(content)
    loading(content)
    for name in missed:
        print(f"below its goal: {name}")


if __name__ == "__main__":
    main()
