"""Python code that loads a vocabulary's file with the library that it is for."""

import json
import tomllib
from functools import cache
from pathlib import Path

_SAME = {"merges.txt": "vocab.json", "ngrams.txt": "ngrams.json", "tagger.json": "ngrams.json"}


def loading_code(file: str, *, lowercase: bool = False) -> str:
    """Return code that loads a file and prints the ids of a text.

    `lowercase` is for a `vocab.txt`.

    >>> print(loading_code("own.model"), end="")
    from sentencepiece import SentencePieceProcessor
    <BLANKLINE>
    tokenizer = SentencePieceProcessor(model_file="own.model")
    print(tokenizer.encode("Hello world"))

    Raises KeyError for a file of no such format.
    """
    template = _templates().get(_SAME.get(file, file)) or _templates()[file.rpartition(".")[2]]
    return template.format(file=json.dumps(file), lowercase=lowercase)


@cache
def _templates() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
