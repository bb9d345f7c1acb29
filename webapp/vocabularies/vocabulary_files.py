"""A vocabulary as a file: what a kept result needs to be read again by, whatever becomes of the catalogue."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import cache

from webapp.core.formats import huggingface
from webapp.core.formats.dictionary import write_dictionary
from webapp.core.formats.recognize import Format
from webapp.core.models.matching import Matching
from webapp.core.tokenizer import Tokenizer
from webapp.storage import VocabularyFile
from webapp.vocabularies.algorithms import algorithms_of
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.shipped_vocabularies import FOLDER, NAMES, shipped_tokenizer
from webapp.vocabularies.uploads import hash_of, number_of_ids


def vocabulary_file(
    format: Format, algorithms: Sequence[str], size: int, content: bytes, companion: bytes | None = None
) -> VocabularyFile:
    """A file under the hash of its bytes, the one that an upload of the same content is named by."""
    return VocabularyFile(hash_of(content, companion), format, algorithms, size, content, companion)


def file_of(tokenizer: Tokenizer) -> VocabularyFile:
    """The vocabulary of a tokenizer that was learned or pasted here, as a file.

    Raises FormatError for one that no file says.
    """
    if isinstance(tokenizer.model, Matching):
        format: Format = "dictionary"
        content = write_dictionary(tokenizer.model.dictionary, separator="\t").encode()
    else:
        format, content = "huggingface", huggingface.write(tokenizer).encode()
    return vocabulary_file(format, algorithms_of(tokenizer), number_of_ids(tokenizer), content)


def shipped_file(entry: CatalogueEntry) -> VocabularyFile:
    """The file of a vocabulary that ships: its `tokenizer.json`, or a list of words.

    Raises FormatError for one that no file says.
    """
    return _shipped_file(entry.name) if entry.name in NAMES else _written_file(entry)


@cache
def _shipped_file(name: str) -> VocabularyFile:
    content = gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes())
    tokenizer = shipped_tokenizer(name)
    return vocabulary_file("huggingface", algorithms_of(tokenizer), number_of_ids(tokenizer), content)


@cache
def _written_file(entry: CatalogueEntry) -> VocabularyFile:
    assert entry.load is not None  # it ships
    return file_of(entry.load())
