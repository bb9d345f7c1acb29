"""Our encoding speed with `tiktoken`'s vocabularies, against `tiktoken`: ``python -m tests.benchmarks.tiktoken``.

Each row is one vocabulary under one split pattern on one text, the ids compared before anything is timed. Cold is a
fresh tokenizer with empty caches; warm is the second text and later ones. Ratios are of CPU time, both on one thread;
above 1 we are faster.
"""

import tiktoken

from tests.benchmarks.texts import VOCABULARIES, require_shared, text
from tests.benchmarks.timing import Contender, Goal, Row, end, medians, show, show_header
from webapp.core.formats.tiktoken import ENCODINGS, model_ranks, read
from webapp.core.tokenizer import Tokenizer

GOALS = {
    ("cl100k_base", "English"): Goal(0.6, 1),
    ("cl100k_base", "Japanese"): Goal(0, 1),
    ("cl100k_base", "code"): Goal(0.6, 1),
    ("o200k_base", "English"): Goal(0, 0.6),
    ("o200k_base", "Japanese"): Goal(0, 0.6),
    ("o200k_base", "code"): Goal(0, 0.6),
}


def measured(encoding: str, name: str, ranks: bytes, goal: Goal) -> Row:
    """Measure both on one text, after asserting equal ids."""
    pattern = ENCODINGS[encoding].pattern
    content = text(name)

    def fresh() -> Tokenizer:
        tokenizer = read(ranks, pattern=pattern, special_tokens={})
        tokenizer.ids("a")  # the pattern is compiled once per process
        return tokenizer

    warm = fresh()
    rival = tiktoken.Encoding("rival", pat_str=pattern, mergeable_ranks=model_ranks(warm), special_tokens={})
    assert warm.ids(content) == rival.encode_ordinary(content), f"{encoding}, {name}: the ids differ"
    times = medians(
        [
            Contender("tiktoken", lambda _: rival.encode_ordinary(content)),
            Contender("cold", lambda tokenizer: tokenizer.ids(content), fresh),
            Contender("warm", lambda _: warm.ids(content)),
        ],
        runs=5 if name == "code" else 9,
    )
    return Row(encoding if encoding == "cl100k_base" else "cl100k, o200k's pattern", name, *times, goal)


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    ranks = (VOCABULARIES / "tiktoken" / "cl100k_base.tiktoken").read_bytes()
    show_header("rival s")
    rows = []
    for (encoding, name), goal in GOALS.items():
        rows.append(measured(encoding, name, ranks, goal))
        show(rows[-1])
    return end(rows)


if __name__ == "__main__":
    raise SystemExit(main())
