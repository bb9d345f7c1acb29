"""Vocabularies as files: a snapshot stores the file of its vocabulary, and so does not depend on the catalogue."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import cache

from webapp.core.formats import huggingface
from webapp.core.formats.dictionary import write_dictionary
from webapp.core.formats.recognize import Format, save
from webapp.core.models.dictionary_edits import unedited
from webapp.core.models.ngram import NGram
from webapp.core.models.word_models import DictionaryModel
from webapp.core.tokenizer import Tokenizer
from webapp.storage import VocabularyFile
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.shipped_vocabularies import FOLDER, NAMES, shipped_tokenizer
from webapp.vocabularies.uploads import algorithms_of, hash_of, number_of_ids


def vocabulary_file(
    format: Format, algorithms: Sequence[str], size: int, content: bytes, companion: bytes | None = None
) -> VocabularyFile:
    """A vocabulary file with the hash of its content, the same hash as for an upload."""
    return VocabularyFile(hash_of(content, companion), format, algorithms, size, content, companion)


def file_of(tokenizer: Tokenizer) -> VocabularyFile:
    """The vocabulary of a trained or pasted tokenizer as a file.

    A dictionary is written without a visitor's changes: the state has those, and would make them again.

    Raises FormatError if no file format can represent it.
    """
    if isinstance(tokenizer.model, DictionaryModel):
        dictionary = unedited(tokenizer.model.dictionary)
        content = write_dictionary(dictionary, separator="\t").encode()
        return vocabulary_file("dictionary", algorithms_of(tokenizer), len(dictionary), content)
    format: Format = "huggingface"
    if isinstance(tokenizer.model, NGram):
        format, content = "ngram-counts", save(tokenizer)
    else:
        content = huggingface.write(tokenizer).encode()
    return vocabulary_file(format, algorithms_of(tokenizer), number_of_ids(tokenizer), content)


def shipped_file(entry: CatalogueEntry) -> VocabularyFile:
    """The file of a built-in vocabulary: its `tokenizer.json`, or a list of words.

    Raises FormatError if no file format can represent it.
    """
    return _shipped_file(entry.name) if entry.name in NAMES else _written_file(entry)


@cache
def _shipped_file(name: str) -> VocabularyFile:
    content = gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes())
    tokenizer = shipped_tokenizer(name)
    return vocabulary_file("huggingface", algorithms_of(tokenizer), number_of_ids(tokenizer), content)


@cache
def _written_file(entry: CatalogueEntry) -> VocabularyFile:
    assert entry.load is not None  # it is built in
    return file_of(entry.load())
