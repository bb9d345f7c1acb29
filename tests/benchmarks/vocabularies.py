"""Every available vocabulary, by name, with the function that reads it.

Not a benchmark itself.
"""

import gzip
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tests.benchmarks.texts import SHIPPED, VOCABULARIES
from webapp.core.formats import huggingface, sentencepiece, tiktoken, tokens_and_scores
from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.models.matching import Matching
from webapp.core.recipes import MATCHING
from webapp.core.tokenizer import Tokenizer


def readers() -> Iterator[tuple[str, Callable[[], Tokenizer]]]:
    """Yield the name of each vocabulary, and a function that reads it afresh."""
    for name in ("cl100k_base", "r50k_base"):
        path = VOCABULARIES / "tiktoken" / f"{name}.tiktoken"
        yield name, partial(_read, path, partial(tiktoken.read, encoding=name))
    for path in sorted((VOCABULARIES / "tokenizers").glob("*.json")):
        yield path.stem, partial(_read, path, lambda content: huggingface.read(content.decode()))
    for path in sorted((VOCABULARIES / "sentencepiece").glob("*.model")):
        yield path.stem, partial(_read, path, sentencepiece.read)
    path = VOCABULARIES / "scores" / "stories15m_tokens_scores.json"
    yield "stories15m", partial(_read, path, lambda content: tokens_and_scores.read(content.decode()))
    for name in ("bpe-bytes", "bpe-characters", "wordpiece", "unigram"):
        path = SHIPPED / f"{name}.json.gz"
        yield (
            f"shipped {name}",
            partial(_read, path, lambda content: huggingface.read(gzip.decompress(content).decode())),
        )
    directions: tuple[Literal["forward", "backward", "both"], ...] = ("forward", "backward", "both")
    for direction in directions:
        yield f"jieba, {direction}", partial(_matching, direction)


def _read(path: Path, read: Callable[[bytes], Tokenizer]) -> Tokenizer:
    return read(path.read_bytes())


def _matching(direction: Literal["forward", "backward", "both"]) -> Tokenizer:
    return MATCHING.tokenizer(Matching(jieba_dictionary(), direction))
