"""How fast each inference is, beside the vocabulary's own rule: ``python -m tests.benchmarks.inference``.

Each row is one inference of one shipped vocabulary, in megabytes per second of CPU time: the English novel with empty
caches, and one letter in one pre-token. The last column is the own rule's time for the novel divided by this one's.
"""

import gzip
from collections.abc import Callable
from statistics import median
from time import process_time

from tests.benchmarks.texts import MEGABYTE, SHIPPED, require_shared
from tests.benchmarks.texts import text as text_named
from webapp.core.formats.recognize import load
from webapp.core.inference import infer, inferences_for
from webapp.core.tokenizer import Tokenizer

HEADER = "{:<16}{:<10}{:>12}{:>12}{:>10}"
RUNS = 3


def tokenizer_of(name: str) -> Tokenizer:
    """A shipped vocabulary, with empty caches."""
    return load(gzip.decompress((SHIPPED / f"{name}.json.gz").read_bytes()))


def seconds(make: Callable[[], Tokenizer], text: str, runs: int = RUNS) -> float:
    """The median CPU time of the ids of a text with a tokenizer that has not seen it."""
    taken = []
    for _ in range(runs):
        tokenizer = make()
        tokenizer.ids("low")  # tables that are built once
        began = process_time()
        tokenizer.ids(text)
        taken.append(process_time() - began)
    return median(taken)


def main() -> None:
    """Print the table."""
    require_shared()
    novel, letter = text_named("English"), "a" * MEGABYTE
    print(HEADER.format("vocabulary", "inference", "novel MB/s", "letter MB/s", "own ÷ it"))
    for name in ("bpe-bytes", "bpe-characters", "wordpiece", "unigram"):
        own = 0.0
        for inference in inferences_for(tokenizer_of(name).model):

            def make(name: str = name, inference: str = inference) -> Tokenizer:
                return infer(tokenizer_of(name), inference, seed=1)

            for_novel, for_letter = seconds(make, novel), seconds(make, letter, 1)
            own = own or for_novel
            size = len(novel.encode()) / MEGABYTE
            figures = f"{size / for_novel:.2f}", f"{1 / for_letter:.2f}", f"{own / for_novel:.2f}"
            print(HEADER.format(name, inference, *figures), flush=True)


if __name__ == "__main__":
    main()
