"""Every vocabulary at hand, by name, each with the function that reads it.

Not a benchmark of its own.
"""

import gzip
from collections.abc import Callable, Iterator

from tests.benchmarks.texts import SHIPPED, VOCABULARIES
from webapp.core.formats import huggingface, scores, sentencepiece, tiktoken
from webapp.core.formats.dictionary import jieba_dictionary
from webapp.core.models.matching import Matching
from webapp.core.recipes import MATCHING
from webapp.core.tokenizer import Tokenizer


def readers() -> Iterator[tuple[str, Callable[[], Tokenizer]]]:
    """The name of each vocabulary, and what reads it anew."""
    for name in ("cl100k_base", "r50k_base"):
        content = (VOCABULARIES / "tiktoken" / f"{name}.tiktoken").read_bytes()
        yield name, lambda content=content, name=name: tiktoken.read(content, name)  # type: ignore[misc]
    for path in sorted((VOCABULARIES / "tokenizers").glob("*.json")):
        file = path.read_text(encoding="utf-8")
        yield path.stem, lambda file=file: huggingface.read(file)  # type: ignore[misc]
    for path in sorted((VOCABULARIES / "sentencepiece").glob("*.model")):
        content = path.read_bytes()
        yield path.stem, lambda content=content: sentencepiece.read(content)  # type: ignore[misc]
    file = (VOCABULARIES / "scores" / "stories15m_tokens_scores.json").read_text(encoding="utf-8")
    yield "stories15m", lambda: scores.read(file)
    for name in ("bpe-bytes", "bpe-characters", "wordpiece", "unigram"):
        with gzip.open(SHIPPED / f"{name}.json.gz", "rt", encoding="utf-8") as opened:
            file = opened.read()
        yield f"shipped {name}", lambda file=file: huggingface.read(file)  # type: ignore[misc]
    for direction in ("forward", "backward", "both"):
        yield (
            f"jieba, {direction}",
            lambda direction=direction: MATCHING.tokenizer(  # type: ignore[misc]
                Matching(jieba_dictionary(), direction)
            ),
        )
