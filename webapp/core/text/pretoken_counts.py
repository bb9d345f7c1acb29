"""Counts of the pre-tokens of a text, without a list of all pre-tokens.

- Exploits: most pre-tokens occur many times. A sequence of pre-tokenizers splits each distinct pre-token of its first
  one only once, and a long text is split chunk by chunk, so that only the pre-tokens of a chunk are in memory.
- Invariant: a chunk ends where a pre-token ends in any case, and a pre-tokenizer sees only its pre-token. The counts
  are in the order of first occurrence, since those of distinct pre-tokens are.
- Proved by: `Counter(pretokenizer.split(text))` in `tests.core.text.test_pretoken_counts`.
- Bought: 1.8 times for Unigram (2.8 MB of English), and a quarter of the memory of BPE on 20 MB.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from webapp.core.text.pretokenizers import (
    BertPreTokenizer,
    ByteLevel,
    PreTokenizer,
    PreTokenizerSequence,
    Split,
    Whitespace,
    WhitespaceSplit,
)
from webapp.core.text.split_patterns import MARKED_WORDS, WHITE_SPACE

CHUNK = 1 << 19  # characters
AFTER_WORD = re.compile(rf"(?<=[^{WHITE_SPACE}])[ \n]")  # no pre-token of these continues from a word to white space
BEFORE_MARK = re.compile("(?<=[^▁])▁")


def count(text: str, pretokenizer: PreTokenizer) -> dict[str, int]:
    """Return how often each pre-token of a text occurs, in order of first occurrence.

    >>> count("low lower low low", ByteLevel())
    {'low': 1, ' lower': 1, ' low': 2}
    """
    stages: Sequence[PreTokenizer] = [pretokenizer]
    if isinstance(pretokenizer, PreTokenizerSequence) and pretokenizer.pretokenizers:
        stages = pretokenizer.pretokenizers
    counter: Counter[str] = Counter()
    for chunk in chunks(text, stages[0]):
        counter.update(stages[0].split(chunk))
    counts = dict(counter)
    for stage in stages[1:]:
        outer, counts = counts, {}
        for pretoken, occurrences in outer.items():
            for inner in stage.split(pretoken):
                counts[inner] = counts.get(inner, 0) + occurrences
    return counts


def chunks(text: str, pretokenizer: PreTokenizer) -> Iterator[str]:
    """Yield a text in chunks that the pre-tokenizer can split separately: as one if it has no such boundaries."""
    boundary = _boundary(pretokenizer)
    start = 0
    while boundary is not None and (found := boundary.search(text, start + CHUNK)):
        yield text[start : found.start()]
        start = found.start()
    yield text[start:] if start else text


def _boundary(pretokenizer: PreTokenizer) -> re.Pattern[str] | None:
    match pretokenizer:
        case ByteLevel(add_prefix_space=False, use_regex=True) | Whitespace() | WhitespaceSplit() | BertPreTokenizer():
            return AFTER_WORD
        case Split(pattern=pattern, behavior="isolated", invert=False) if pattern == MARKED_WORDS:
            return BEFORE_MARK
        case _:
            return None
