"""How fast we encode, beside `tokenizers` and jieba: ``python -m tests.benchmarks.encoding``.

Each row is one vocabulary in both: ours is converted to the rival's format, and the ids are compared before anything
is timed. Cold is a fresh tokenizer with empty caches, warm the second text and all after it. Ratios are of CPU time,
both on one thread; above 1 we are faster.
"""

import gzip
import os
from collections.abc import Iterator
from typing import NamedTuple

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

import jieba
import tokenizers

from tests.benchmarks.texts import SHARED, SHIPPED, require_shared
from tests.benchmarks.texts import text as text_named
from tests.benchmarks.timing import Contender, end, medians
from webapp.core.formats import huggingface
from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.models.matching import Matching
from webapp.core.recipes import MATCHING
from webapp.core.tokenizer import Tokenizer

CHINESE = SHARED / "corpora" / "zh_luxun.txt"
HEADER = "{:<26}{:>8}{:>10}{:>10}{:>10}{:>8}{:>8}{:>7}"


class Row(NamedTuple):
    """One line of the table: seconds, and how many times the rival's time is ours."""

    name: str
    goal_warm: float
    goal_cold: float
    rival: float
    cold: float
    warm: float
    offsets: float


def vocabularies() -> Iterator[tuple[str, str]]:
    """The name and the `tokenizer.json` of every subword vocabulary that ships."""
    for name in ("bpe-bytes", "bpe-characters", "wordpiece", "unigram"):
        with gzip.open(SHIPPED / f"{name}.json.gz", "rt", encoding="utf-8") as file:
            yield name, file.read()


def subwords(name: str, file: str, text: str) -> Row:
    """Compare our encoding with that of `tokenizers`, which loads our export of the vocabulary."""
    warm = huggingface.read(file)
    rival = tokenizers.Tokenizer.from_str(huggingface.write(warm))
    rival.encode_special_tokens = True
    theirs = rival.encode(text, add_special_tokens=False)
    encoding = warm.encode(text)
    assert list(encoding.ids) == warm.ids(text) == theirs.ids, f"{name}: the ids differ"
    assert list(zip(encoding.starts, encoding.ends, strict=True)) == theirs.offsets, f"{name}: offsets differ"
    times = medians(
        [
            Contender("tokenizers", lambda _: rival.encode(text, add_special_tokens=False).ids),
            Contender("cold", lambda fresh: fresh.ids(text), lambda: huggingface.read(file)),
            Contender("warm", lambda _: warm.ids(text)),
            Contender("offsets", lambda _: warm.encode(text).ends),
        ]
    )
    return Row(name, 3, 1.5, *times)


def matching(text: str) -> Row:
    """Forward maximum matching over jieba's dictionary against jieba without its hidden Markov model."""
    dictionary = jieba_dictionary()

    def fresh() -> Tokenizer:
        """A tokenizer over the same dictionary, with empty caches."""
        return MATCHING.tokenizer(Matching(dictionary, "forward"))

    tokenizer = fresh()
    jieba.setLogLevel(60)
    jieba.initialize()
    assert tokenizer.decode(id for id in tokenizer.ids("研究生命科学")) == "研究生命科学"
    times = medians(
        [
            Contender("jieba", lambda _: jieba.lcut(text, HMM=False)),
            Contender("cold", lambda made: made.ids(text), fresh),
            Contender("warm", lambda made: made.ids(text), fresh),
            Contender("offsets", lambda made: made.encode(text).ends, fresh),
        ],
        runs=3,
    )
    return Row("FMM, jieba's dictionary", 3, 3, *times)


def main() -> int:
    """Print the table, and after it each goal that was missed."""
    require_shared()
    text = text_named("English")
    print(HEADER.format("", "rival s", "cold s", "warm s", "offsets s", "cold", "warm", "goal"))
    rows = []
    for name, file in vocabularies():
        rows.append(subwords(name, file, text))
        show(rows[-1])
    rows.append(matching(CHINESE.read_text(encoding="utf-8")))
    show(rows[-1])
    missed = [
        row.name
        for row in rows
        if round(row.rival / row.cold, 1) < row.goal_cold or round(row.rival / row.warm, 1) < row.goal_warm
    ]
    return end([], missed)


def show(row: Row) -> None:
    """Print one line."""
    ratios = f"{row.rival / row.cold:.1f}x", f"{row.rival / row.warm:.1f}x"
    seconds = (f"{value:.3f}" for value in (row.rival, row.cold, row.warm, row.offsets))
    print(HEADER.format(row.name, *seconds, *ratios, f"{row.goal_cold:g}/{row.goal_warm:g}"), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
