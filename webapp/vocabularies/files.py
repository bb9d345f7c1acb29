"""A vocabulary as a file: what a kept result needs to be read again by, whatever becomes of the catalogue."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from webapp.core.formats import huggingface
from webapp.core.formats.dictionary import write_dictionary
from webapp.core.formats.recognize import Format
from webapp.core.models.matching import Matching
from webapp.core.tokenizer import Tokenizer
from webapp.vocabularies.algorithms import Algorithm, algorithms_of
from webapp.vocabularies.loading import FOLDER, jieba_words
from webapp.vocabularies.uploads import hash_of, number_of_ids


@dataclass(frozen=True)
class VocabularyFile:
    """The bytes of a vocabulary, and what is known of them without reading them. `hash` is their SHA-256."""

    format: Format
    algorithms: Sequence[Algorithm]
    size: int
    content: bytes
    companion: bytes | None = None

    @cached_property
    def hash(self) -> str:
        """64 hexadecimal digits, those that an upload of the same content is named by."""
        return hash_of(self.content, self.companion)


def file_of(tokenizer: Tokenizer) -> VocabularyFile:
    """The vocabulary of a tokenizer that was learned or pasted here, as a file."""
    if isinstance(tokenizer.model, Matching):
        format: Format = "dictionary"
        content = write_dictionary(tokenizer.model.dictionary, separator="\t").encode()
    else:
        format, content = "huggingface", huggingface.write(tokenizer).encode()
    return VocabularyFile(format, algorithms_of(tokenizer), number_of_ids(tokenizer), content)


@cache
def shipped_file(name: str) -> VocabularyFile:
    """The file of a vocabulary that ships: its `tokenizer.json`, or jieba's list of words."""
    if name == "jieba":
        content = write_dictionary(jieba_words(), separator="\t").encode()
        return VocabularyFile("dictionary", ("fmm", "bmm"), len(jieba_words()), content)
    content = gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes())
    tokenizer = huggingface.read(content.decode())
    return VocabularyFile("huggingface", algorithms_of(tokenizer), number_of_ids(tokenizer), content)
