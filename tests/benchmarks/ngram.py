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


def main() -> int:
    """Print both tables, and the goals that were missed; the exit status is 1 if there are any."""
    require_shared()
    book = (SHARED / "corpora" / "zh_luxun.txt").read_text(encoding="utf-8")
    text = book[len(beginning_of(book, THIRD // 2)) :]
    size = len(text.encode()) / MEGABYTE
    missed = []
    row = "{:<38}{:>12}{:>12}{:>12}"
    print(row.format("", "cold MB/s", "tables MB/s", "warm MB/s"))
    for order in (1, 2, 3):
        for smoothing in ("add-one", "kneser-ney"):
            tried = model(order, smoothing)
            cold = size / seconds(tried, text)
            tried._sentences.empty()
            tables, warm = size / seconds(tried, text), size / seconds(tried, text)
            name = f"order {order}, {smoothing}"
            print(row.format(name, *(f"{value:.2f}" for value in (cold, tables, warm))))
            if order == 2 and cold < LEAST_COLD:
                missed.append(f"{name}: {cold:.2f} MB/s cold, goal {LEAST_COLD}")
    unbroken = "".join(filter(str.isalnum, book))
    hostile = {
        "without punctuation": unbroken,
        "one character": "的" * MEGABYTE,
        "a repeated word": "哈" * MEGABYTE,
        "unknown characters": "烎" * MEGABYTE,
        "one Latin run": "a" * MEGABYTE,
        "Latin words": "ab " * MEGABYTE,
    }
    print(row.format("\na hostile megabyte", "seconds", "", ""))
    for name, content in hostile.items():
        megabyte = content.encode()[:MEGABYTE].decode(errors="ignore")
        took = seconds(model(2, "kneser-ney"), megabyte)
        print(row.format(name, f"{took:.2f}", "", ""))
        if took > MOST_HOSTILE:
            missed.append(f"{name}: {took:.2f} s, goal {MOST_HOSTILE}")
    words = " ".join(model(2, "kneser-ney").words(text))
    began = process_time()
    train(segmented(words), 3)
    print(f"\ntraining trigrams: {len(words.encode()) / MEGABYTE / (process_time() - began):.2f} MB/s")
    return end([], missed)


if __name__ == "__main__":
    sys.exit(main())
