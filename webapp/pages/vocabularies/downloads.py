"""A vocabulary as files for other libraries: which formats can hold it, and their content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from flask_babel import gettext as _

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

    `files` maps the last part of each file's address to its MIME type. `write` returns their contents in that order; it
    raises FormatError for a tokenizer that the format cannot hold, so that reading the files back gives the same ids.
    `check` raises the same errors and takes less time.
    """

    files: Mapping[str, str]
    write: Callable[[Tokenizer], Sequence[bytes]]
    note: Callable[[Tokenizer], str]  # which library reads them, and what it has to be told
    check: Callable[[Tokenizer], object] | None = None


def _vocab_json_note(tokenizer: Tokenizer) -> str:
    return _("For GPT-2 tokenizers, for example ByteLevelBPETokenizer, which read both files together.")


def _vocab_txt_note(tokenizer: Tokenizer) -> str:
    if getattr(tokenizer.normalizer, "lowercase", False):
        return _("For BERT tokenizers with lower-casing, for example BertWordPieceTokenizer(lowercase=True).")
    return _("For BERT tokenizers without lower-casing, for example BertWordPieceTokenizer(lowercase=False).")


def _tiktoken_note(tokenizer: Tokenizer) -> str:
    return _("For tiktoken: pieces and ranks, and a JSON with the split pattern and the special tokens.")


def _huggingface_note(tokenizer: Tokenizer) -> str:
    return _("For Hugging Face’s tokenizers and transformers: the whole pipeline in one file.")


def _sentencepiece_note(tokenizer: Tokenizer) -> str:
    return _("For SentencePiece: pieces, scores and normalization.")


def _minimal_note(tokenizer: Tokenizer) -> str:
    return _("For your own minimal BPE class: merges and special tokens as nested lists.")


def _counts_note(tokenizer: Tokenizer) -> str:
    return _("For this site and programs of your own: every n-gram with its count.")


def _counts_text_note(tokenizer: Tokenizer) -> str:
    return _("For spreadsheets and programs of your own: an n-gram and its count in each line.")


FORMATS = (
    DownloadFormat(
        {"tokenizer.json": "application/json"},
        lambda tokenizer: [huggingface.write(tokenizer).encode()],
        _huggingface_note,
        huggingface.check,
    ),
    DownloadFormat(
        {"tokenizer.model": "application/octet-stream"},
        lambda tokenizer: [sentencepiece.write(tokenizer)],
        _sentencepiece_note,
        sentencepiece.check,
    ),
    DownloadFormat(
        {"ranks.tiktoken": "text/plain", "encoding.json": "application/json"},
        lambda tokenizer: _tiktoken_files(*tiktoken_encoding.write(tokenizer)),
        _tiktoken_note,
    ),
    DownloadFormat(
        {"vocab.json": "application/json", "merges.txt": "text/plain"},
        lambda tokenizer: [text.encode() for text in vocab_json.write(tokenizer)],
        _vocab_json_note,
    ),
    DownloadFormat(
        {"vocab.txt": "text/plain"}, lambda tokenizer: [vocab_txt.write(tokenizer).encode()], _vocab_txt_note
    ),
    DownloadFormat(
        {"ngrams.json": "application/json"},
        lambda tokenizer: [ngram_counts.write_json(tokenizer).encode()],
        _counts_note,
        ngram_counts.counted_model,
    ),
    DownloadFormat(
        {"ngrams.txt": "text/plain"},
        lambda tokenizer: [ngram_counts.write_text(tokenizer).encode()],
        _counts_text_note,
        ngram_counts.check_text,
    ),
    DownloadFormat(
        {"bpe.json": "application/json"}, lambda tokenizer: [minimal_bpe.write(tokenizer).encode()], _minimal_note
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
        found.append(Download(files, format.note(tokenizer), code))
    return found


def content_of(tokenizer: Tokenizer, file: str) -> bytes:
    """The content of a file; `file` is a key of `FORMAT_OF`. Raises FormatError if it cannot hold the vocabulary."""
    format = FORMAT_OF[file]
    return format.write(tokenizer)[list(format.files).index(file)]


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


def _tiktoken_files(ranks: bytes, encoding: str) -> Sequence[bytes]:
    return ranks, encoding.encode()
