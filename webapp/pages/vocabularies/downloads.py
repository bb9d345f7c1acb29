"""A vocabulary as files for other libraries: which formats can hold it, and their content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from webapp.core.formats import (
    huggingface,
    minimal_bpe,
    ngram_counts,
    sentencepiece,
    tiktoken_encoding,
    vocab_json,
    vocab_txt,
)
from webapp.core.formats.reading import FormatError
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class DownloadFormat:
    """A format that a vocabulary can be downloaded in.

    `files` maps the last part of each file's address to its MIME type. `write` returns their content, or a tuple of
    their contents in that order; it raises FormatError for a tokenizer that the format cannot hold, so that reading the
    files back gives the same ids. `check` raises the same errors and takes less time.
    """

    files: Mapping[str, str]
    write: Callable[[Tokenizer], str | bytes | tuple[str | bytes, ...]]
    check: Callable[[Tokenizer], object] | None = None

    def contents(self, tokenizer: Tokenizer) -> list[bytes]:
        """The content of each file, in the order of `files`; raises FormatError as `write` does."""
        written = self.write(tokenizer)
        parts = written if isinstance(written, tuple) else (written,)
        return [part.encode() if isinstance(part, str) else part for part in parts]


JSON, TEXT = "application/json", "text/plain"
FORMATS = (
    DownloadFormat({"tokenizer.json": JSON}, huggingface.write, huggingface.check),
    DownloadFormat({"tokenizer.model": "application/octet-stream"}, sentencepiece.write, sentencepiece.check),
    DownloadFormat({"ranks.tiktoken": TEXT, "encoding.json": JSON}, tiktoken_encoding.write),
    DownloadFormat({"vocab.json": JSON, "merges.txt": TEXT}, vocab_json.write),
    DownloadFormat({"vocab.txt": TEXT}, vocab_txt.write),
    DownloadFormat({"ngrams.json": JSON}, ngram_counts.write_json, ngram_counts.counted_model),
    DownloadFormat({"ngrams.txt": TEXT}, ngram_counts.write_text, ngram_counts.check_text),
    DownloadFormat({"bpe.json": JSON}, minimal_bpe.write),
)
FORMAT_OF = {file: format for format in FORMATS for file in format.files}
"""The last part of a file's address → its format."""

_fitting: WeakKeyDictionary[Tokenizer, Sequence[DownloadFormat]] = WeakKeyDictionary()


def content_of(tokenizer: Tokenizer, file: str) -> bytes:
    """The content of a file; `file` is a key of `FORMAT_OF`. Raises FormatError if it cannot hold the vocabulary."""
    format = FORMAT_OF[file]
    return format.contents(tokenizer)[list(format.files).index(file)]


def download_name(file: str, vocabulary: str) -> str:
    """The name of a saved file. Libraries expect fixed names, except for `.tiktoken` and `.model`.

    >>> download_name("vocab.json", "gpt2"), download_name("ranks.tiktoken", "cl100k_base")
    ('vocab.json', 'cl100k_base.tiktoken')
    """
    ending = file.rpartition(".")[2]
    return f"{vocabulary}.{ending}" if ending in ("tiktoken", "model") else file


def fitting_formats(tokenizer: Tokenizer) -> Sequence[DownloadFormat]:
    """The formats that can hold a vocabulary, cached as long as the tokenizer exists.

    To find out, those without a check are written once, which takes up to 0.7 s for 50,000 pieces.
    """
    formats = _fitting.get(tokenizer)
    if formats is None:
        formats = _fitting[tokenizer] = [format for format in FORMATS if _fits(format, tokenizer)]
    return formats


def _fits(format: DownloadFormat, tokenizer: Tokenizer) -> bool:
    try:
        (format.check or format.write)(tokenizer)
    except FormatError:
        return False
    return True
