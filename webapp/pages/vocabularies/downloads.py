"""A vocabulary as files for other libraries: which formats can hold it, and their content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.core.formats import (
    huggingface,
    minimal_bpe,
    ngram_counts,
    sentencepiece,
    tiktoken_encoding,
    vocab_json,
    vocab_txt,
)
from webapp.core.formats.fields import FormatError
from webapp.core.formats.loading_code import loading_code
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class DownloadFormat:
    """A format that a vocabulary can be downloaded in.

    `files` maps the last part of each file's address to its MIME type. `write` returns their content, or a tuple of
    their contents in that order; it raises FormatError for a tokenizer that the format cannot hold, so that reading the
    files back gives the same ids. `check` raises the same errors and takes less time. `note` says which library reads
    the files; `lowercase_note` does for a tokenizer that lower-cases.
    """

    files: Mapping[str, str]
    write: Callable[[Tokenizer], str | bytes | tuple[str | bytes, ...]]
    note: LazyString
    check: Callable[[Tokenizer], object] | None = None
    lowercase_note: LazyString | None = None

    def contents(self, tokenizer: Tokenizer) -> list[bytes]:
        """The content of each file, in the order of `files`; raises FormatError as `write` does."""
        written = self.write(tokenizer)
        parts = written if isinstance(written, tuple) else (written,)
        return [part.encode() if isinstance(part, str) else part for part in parts]


JSON, TEXT = "application/json", "text/plain"
FORMATS = (
    DownloadFormat(
        {"tokenizer.json": JSON},
        huggingface.write,
        _l("For Hugging Face’s tokenizers and transformers: the whole pipeline in one file."),
        huggingface.check,
    ),
    DownloadFormat(
        {"tokenizer.model": "application/octet-stream"},
        sentencepiece.write,
        _l("For SentencePiece: pieces, scores and normalization."),
        sentencepiece.check,
    ),
    DownloadFormat(
        {"ranks.tiktoken": TEXT, "encoding.json": JSON},
        tiktoken_encoding.write,
        _l("For tiktoken: pieces and ranks, and a JSON with the split pattern and the special tokens."),
    ),
    DownloadFormat(
        {"vocab.json": JSON, "merges.txt": TEXT},
        vocab_json.write,
        _l("For GPT-2 tokenizers, for example ByteLevelBPETokenizer, which read both files together."),
    ),
    DownloadFormat(
        {"vocab.txt": TEXT},
        vocab_txt.write,
        _l("For BERT tokenizers without lower-casing, for example BertWordPieceTokenizer(lowercase=False)."),
        lowercase_note=_l("For BERT tokenizers with lower-casing, for example BertWordPieceTokenizer(lowercase=True)."),
    ),
    DownloadFormat(
        {"ngrams.json": JSON},
        ngram_counts.write_json,
        _l("For this site and programs of your own: every n-gram with its count."),
        ngram_counts.counted_model,
    ),
    DownloadFormat(
        {"ngrams.txt": TEXT},
        ngram_counts.write_text,
        _l("For spreadsheets and programs of your own: an n-gram and its count in each line."),
        ngram_counts.check_text,
    ),
    DownloadFormat(
        {"bpe.json": JSON},
        minimal_bpe.write,
        _l("For your own minimal BPE class: merges and special tokens as nested lists."),
    ),
)
FORMAT_OF = {file: format for format in FORMATS for file in format.files}
"""The last part of a file's address → its format."""

_fitting: WeakKeyDictionary[Tokenizer, Sequence[DownloadFormat]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Download:
    """The files of a format, a sentence about the libraries that read them, and Python code that loads them."""

    files: Sequence[tuple[str, str]]  # the last part of the address, and the name of the saved file
    note: str
    code: str


def downloads_of(name: str, tokenizer: Tokenizer) -> list[Download]:
    """What the vocabulary `name` can be downloaded as."""
    lowercase = bool(getattr(tokenizer.normalizer, "lowercase", False))
    found = []
    for format in _fitting_formats(tokenizer):
        files = [(file, download_name(file, name)) for file in format.files]
        code = loading_code(files[0][1], lowercase=lowercase)
        note = (lowercase and format.lowercase_note) or format.note
        found.append(Download(files, str(note), code))
    return found


def content_of(tokenizer: Tokenizer, file: str) -> bytes:
    """The content of a file; `file` is a key of `FORMAT_OF`. Raises FormatError if it cannot hold the vocabulary."""
    format = FORMAT_OF[file]
    return format.contents(tokenizer)[list(format.files).index(file)]


def download_name(file: str, vocabulary: str) -> str:
    """The name of a saved file. Libraries expect fixed names, except for `.tiktoken` and `.model`.

    >>> download_name("vocab.json", "gpt2"), download_name("ranks.tiktoken", "cl100k_base")
    ('vocab.json', 'cl100k_base.tiktoken')
    """
    stem, _dot, ending = file.rpartition(".")
    return f"{vocabulary}.{ending}" if (stem, ending) in _NAMED_AFTER_VOCABULARY else file


_NAMED_AFTER_VOCABULARY = {("ranks", "tiktoken"), ("tokenizer", "model")}


def _fitting_formats(tokenizer: Tokenizer) -> Sequence[DownloadFormat]:
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
