"""How fast n-grams segment and train: ``python -m tests.benchmarks.ngram``.

The built-in model on the rest of the modern book, of which it was not counted, and on hostile megabytes; MB are of
UTF-8, seconds of CPU time.
"""

import sys
from time import process_time

from tests.benchmarks.texts import SHARED, require_shared
from tests.benchmarks.timing import end
from webapp.core.models.ngram import NGram
from webapp.core.trainers.ngram import segmented, train
from webapp.vocabularies.corpus import THIRD, beginning_of
from webapp.vocabularies.shipped_vocabularies import ngram_tokenizer

MEGABYTE = 1_000_000
LEAST_COLD = 0.5  # MB/s
MOST_HOSTILE = 5.0  # seconds for a megabyte


def model(order: int, smoothing: str) -> NGram:
    """The built-in model with empty tables and caches."""
    shipped = ngram_tokenizer().model
    assert isinstance(shipped, NGram)
    return NGram(
        shipped.counts,
        smoothing,
        order,
        base=shipped.base,
        characters=shipped.characters,
        dictionary=shipped.dictionary,
    )


def seconds(model: NGram, text: str) -> float:
    """The CPU time for the ids of a text."""
    began = process_time()
    model.ids(text)
    return process_time() - began


def least_seconds(order: int, smoothing: str, text: str) -> tuple[float, float, float]:
    """The least CPU time of three new models: from empty tables, with full ones, and with the sentences known."""
    times: list[tuple[float, float, float]] = []
    for _ in range(3):
        tried = model(order, smoothing)
        cold = seconds(tried, text)
        tried._sentences.empty()
        times.append((cold, seconds(tried, text), seconds(tried, text)))
    cold, tables, warm = map(min, zip(*times, strict=True))
    return cold, tables, warm


def main() -> int:
    """Print the tables, and the goals that were missed; the exit status is 1 if there are any."""
    require_shared()
    book = (SHARED / "corpora" / "zh_luxun.txt").read_text(encoding="utf-8")
    text = book[len(beginning_of(book, THIRD // 2)) :]
    size = len(text.encode()) / MEGABYTE
    missed = []
    row = "{:<38}{:>12}{:>12}{:>12}{:>16}"
    print(row.format("", "cold MB/s", "tables MB/s", "warm MB/s", "goal, cold"))
    for order in (1, 2, 3):
        for smoothing in ("add-one", "kneser-ney"):
            cold, *others = (size / each for each in least_seconds(order, smoothing, text))
            name = f"order {order}, {smoothing}"
            is_default = (order, smoothing) == (2, "kneser-ney")
            goal = f"{LEAST_COLD} MB/s" if is_default else ""
            print(row.format(name, *(f"{value:.2f}" for value in (cold, *others)), goal), flush=True)
            if is_default and cold < LEAST_COLD:
                missed.append(f"{name}: {cold:.2f} MB/s cold, goal {LEAST_COLD}")
    unbroken = "".join(filter(str.isalnum, book))
    hostile = {
        "without punctuation": unbroken,
        "half of it": unbroken[: MEGABYTE // 6],
        "one character": "的" * MEGABYTE,
        "a repeated word": "哈" * MEGABYTE,
        "unknown characters": "烎" * MEGABYTE,
        "one Latin run": "a" * MEGABYTE,
        "Latin words": "ab " * MEGABYTE,
    }
    print(row.format("\na hostile megabyte", "seconds", "", "", "goal"))
    for name, content in hostile.items():
        megabyte = content.encode()[:MEGABYTE].decode(errors="ignore")
        took = seconds(model(2, "kneser-ney"), megabyte)
        print(row.format(name, f"{took:.2f}", "", "", f"{MOST_HOSTILE:g} s"), flush=True)
        if took > MOST_HOSTILE:
            missed.append(f"{name}: {took:.2f} s, goal {MOST_HOSTILE}")
    words = " ".join(model(2, "kneser-ney").words(text))
    began = process_time()
    train(segmented(words), 3)
    print(f"\ntraining trigrams: {len(words.encode()) / MEGABYTE / (process_time() - began):.2f} MB/s")
    return end([], missed)


if __name__ == "__main__":
    sys.exit(main())
