"""Identify the format of a vocabulary file by its content, never by its name; save a tokenizer as a file to load."""

import re
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from webapp.core.formats import (
    dictionary,
    minimal_bpe,
    ngram_counts,
    rwkv,
    subword_nmt,
    tagger_weights,
    tekken,
    tiktoken,
    tiktoken_encoding,
    vocab_json,
    vocab_txt,
)
from webapp.core.formats.gguf_metadata import MAGIC, is_gguf
from webapp.core.formats.reading import LARGEST_DICTIONARY, LARGEST_FILE, FormatError, decoded, read_float, read_json
from webapp.core.models.byte_matching import ByteMatching
from webapp.core.models.matching import Matching
from webapp.core.models.ngram import NGram
from webapp.core.models.tagger import Tagger
from webapp.core.recipes import MATCHING
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase

Format = Literal[
    "tiktoken",
    "tekken",
    "huggingface",
    "sentencepiece",
    "gguf",
    "scores",
    "minimal-bpe",
    "vocab.json",
    "vocab.txt",
    "subword-nmt",
    "rwkv",
    "dictionary",
    "ngram-counts",
    "ngram-text",
    "tagger-weights",
]


@dataclass(frozen=True)
class Recognized:
    """The format of a file, and the tokenizer that it defines; `document` is the content of a `tokenizer.json`."""

    format: Format
    tokenizer: Tokenizer
    document: Any = field(default=None, repr=False)


def recognize(content: bytes, companion: bytes | None = None) -> Recognized:
    """Identify a vocabulary file and read it.

    GPT-2's `vocab.json` and `merges.txt` belong together: pass one as `content` and the other as `companion`, in either
    order; so do a `.tiktoken` and its encoding. Text that matches no other format is read as a dictionary.

    >>> found = recognize("研究 5 v\\n生命 4 n\\n".encode())
    >>> found.format, found.tokenizer.ids("研究生命")
    ('dictionary', [0, 1])

    Raises FormatError, with one sentence that says what is wrong and where, for a file that has another format, is
    malformed, inconsistent or compressed, or is too large.
    """
    for part in (content, companion or b""):
        if len(part) > LARGEST_FILE:
            raise FormatError(
                "the file has %(count)s bytes; at most %(most)s are allowed",
                count=f"{len(part):,}",
                most=f"{LARGEST_FILE:,}",
            )
    if companion is not None:
        return _pair(content, companion)
    if not content.strip(b" \t\r\n"):
        raise FormatError("the file is empty")
    if is_gguf(content):
        from webapp.core.formats import gguf

        return Recognized("gguf", gguf.read(content))
    check_foreign(content)
    if _is_sentencepiece(content):
        from webapp.core.formats import sentencepiece

        return Recognized("sentencepiece", sentencepiece.read(content))
    return _text(content)


def _text(content: bytes) -> Recognized:
    if is_tiktoken(content):
        return Recognized("tiktoken", tiktoken.read(content))
    text = decoded(content)
    if rwkv.is_vocabulary(text):
        return Recognized("rwkv", rwkv.read(text))
    if _UNKNOWN_LINE.search(text):
        return Recognized("vocab.txt", vocab_txt.read(text))
    if text.lstrip()[:1] in ("{", "["):
        return _json(text)
    if _MARKED_CODES.search(text):
        return Recognized("subword-nmt", subword_nmt.read(text))
    if text.startswith("#version"):
        raise FormatError("this is a GPT-2 merges.txt; it can only be read together with its vocab.json")
    if _is_ngram_text(text):
        return Recognized("ngram-text", ngram_counts.read_text(text))
    return Recognized("dictionary", _dictionary(text))


def _json(text: str) -> Recognized:
    from webapp.core.formats import tokens_and_scores

    if _HUGGINGFACE.match(text):
        return _tokenizer_json(text)
    document = read_json(text)
    if tekken.is_tekken(document):
        return Recognized("tekken", tekken.read(document))
    if isinstance(document, dict):
        # Checked first, because any word may be a piece: GPT-2 has "model", "tokens", "version" and "config".
        if document.get("type") == ngram_counts.TYPE:
            return Recognized("ngram-counts", ngram_counts.read(document))
        if document.get("type") == tagger_weights.TYPE:
            return Recognized("tagger-weights", tagger_weights.read(document))
        if vocab_json.is_vocabulary(document):
            raise FormatError("this is a GPT-2 vocab.json; it can only be read together with its merges.txt")
        if isinstance(document.get("model"), dict):
            return _tokenizer_json(text)
        if isinstance(document.get("tokens"), list) and isinstance(document.get("scores"), list):
            return Recognized("scores", tokens_and_scores.read(text))
        if minimal_bpe.is_minimal(document):
            return Recognized("minimal-bpe", minimal_bpe.read(document))
        if tiktoken_encoding.is_encoding(document):
            raise FormatError("this is the encoding of a .tiktoken file; it can only be read together with that file")
    raise FormatError(
        "this JSON is not a known vocabulary format: it is not a tokenizer.json, tekken.json or vocab.json, and it has "
        'neither "tokens" and "scores" nor "merges"'
    )


def _pair(content: bytes, companion: bytes) -> Recognized:
    # Sorted, so that the messages do not depend on the order of the two files.
    parts = sorted((content, companion), key=lambda part: (not _BRACE.match(part), part))
    for part in parts:
        check_foreign(part)
    if _BRACE.match(parts[0]) and is_tiktoken(parts[1]):
        return Recognized("tiktoken", tiktoken_encoding.read(parts[1], decoded(parts[0])))
    vocabulary, merges = map(decoded, parts)
    if _BRACE.match(parts[1]):
        raise FormatError("both files are JSON; one of them should be the merges.txt")
    if not _BRACE.match(parts[0]):
        if all(text.startswith("#version") for text in (vocabulary, merges)):
            raise FormatError("both files are a merges.txt; one of them should be the vocab.json")
        raise FormatError("neither file is JSON; one should be a vocab.json, the other its merges.txt")
    if _HUGGINGFACE.match(vocabulary):
        raise FormatError("one of the files is a tokenizer.json; choose that file alone")
    return Recognized("vocab.json", vocab_json.read(read_json(vocabulary), merges))


def _tokenizer_json(text: str) -> Recognized:
    from webapp.core.formats import huggingface

    document = read_json(text, read_float)
    return Recognized("huggingface", huggingface.read_document(document), document)


def _dictionary(text: str) -> Tokenizer:
    if text.count("\n") > LARGEST_DICTIONARY:
        raise FormatError("more than %(most)s lines, too many for a dictionary", most=f"{LARGEST_DICTIONARY:,}")
    try:
        words = dictionary.read_dictionary(text)
    except dictionary.DictionaryError as error:
        if error.lines == 1:
            raise FormatError(
                "not a known vocabulary format; read as a dictionary, line %(line)s is wrong: %(wrong)s",
                line=error.line_number,
                wrong=error.message,
            ) from None
        raise FormatError(
            "not a known vocabulary format; read as a dictionary, %(count)s of its %(lines)s lines are wrong, line "
            "%(line)s for example: %(wrong)s",
            count=f"{error.wrong:,}",
            lines=f"{error.lines:,}",
            line=error.line_number,
            wrong=error.message,
        ) from None
    if not len(words):
        raise FormatError("the file is empty")
    return MATCHING.tokenizer(Matching(words, "both"))


# --- signatures -------------------------------------------------------------------------------------------------------

# The usual beginning of a tokenizer.json; a JSON that begins otherwise is parsed to identify it.
_HUGGINGFACE = re.compile(
    r'\s*\{\s*"(?:version"\s*:\s*"|(?:truncation|padding|normalizer|pre_tokenizer)"\s*:\s*(?:null|\{)|added_tokens"\s*:\s*\[)'
)
_BRACE = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_RANK_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2}[ \t]+[0-9]+\s*")
_MARKED_CODES = re.compile(r"^(?:\S+ \S*</w>|\S*</w> \S+)\r?$", re.MULTILINE)
_UNKNOWN_LINE = re.compile(r"^\[UNK\]\s*$", re.MULTILINE)
_SINGLE_BYTE = re.compile(rb"^[A-Za-z0-9+/]{2}==[ \t]+[0-9]+\s*$", re.MULTILINE)


_COUNT_LINE = re.compile(r"\s*\S+(?:[ \t]+\S+){0,2}[ \t]+[0-9]+\s*")
_NGRAM_LINE = re.compile(r"^\S+[ \t]+(?![0-9]+[ \t])\S+(?:[ \t]+\S+)?[ \t]+[0-9]+\r?$", re.MULTILINE)


def is_tiktoken(content: bytes) -> bool:
    """Whether the first lines are base64 and a rank, and some line is a single byte, which ends in `==`.

    Without the second condition, words and frequencies would match too.
    """
    lines = [line for line in content[:20_000].removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()][:256]
    ranked = sum(_RANK_LINE.fullmatch(line) is not None for line in lines)
    return 2 * ranked >= len(lines) > 0 and _SINGLE_BYTE.search(content) is not None


def _is_ngram_text(text: str) -> bool:
    """Whether the first lines are words and counts, and some have several words: `人生 如 2`.

    >>> _is_ngram_text("人生 3\\n人生 如 2\\n"), _is_ngram_text("人生 3 n\\n"), _is_ngram_text("人生 3\\n")
    (True, False, False)
    """
    # The bigrams may come after all words.
    found = _NGRAM_LINE.search(text)
    if found is None:
        return False
    lines = [line for line in text[:20_000].splitlines() if line.strip()][:256]
    return 10 * sum(_COUNT_LINE.fullmatch(line) is not None for line in lines) >= 9 * len(lines)


def _is_sentencepiece(content: bytes) -> bool:
    """Whether the file begins like a SentencePiece model, a protocol buffer: with a piece, its text and its score.

    >>> model = b"\\x0a\\x0e\\x0a\\x05<unk>\\x15" + bytes(4) + b"\\x18\\x02\\x0a\\x0c"
    >>> _is_sentencepiece(model), _is_sentencepiece(b"\\nlow\\nlower\\n")
    (True, False)
    """
    if len(content) < 12 or content[0] != 0x0A or content[2] != 0x0A:
        return False
    inner = content[3]
    return 0 < inner < content[1] < 0x80 and content[4 + inner : 5 + inner] in (b"\x15", b"\x18")


def check_foreign(content: bytes) -> None:
    """Raise FormatError for a file that is not a vocabulary, saying what it is and what to do.

    >>> check_foreign("low".encode("utf-16"))
    Traceback (most recent call last):
    webapp.core.formats.reading.FormatError: this is text in UTF-16; save it as UTF-8
    """
    if b"\0" in content[:1] and not content.strip(b" \t\r\n\0"):
        raise FormatError("the file contains only NUL bytes")
    for beginning, what in _FOREIGN.items():
        if content.startswith(beginning):
            if beginning in _PACKED:
                raise FormatError("this is %(what)s, not a vocabulary; unpack it first", what=what)
            if beginning in _TEXT:
                raise FormatError("this is %(what)s; save it as UTF-8", what=what)
            raise FormatError("this is %(what)s, not a vocabulary", what=what)
    if content.startswith(b"version https://git-lfs.github.com/spec/"):
        raise FormatError("this is a Git LFS pointer, not the file itself; fetch the file with git lfs pull")
    if re.search(rb"^\\data\\[ \t]*\r?$", content[: 1 << 20], re.MULTILINE):
        raise FormatError("this is an ARPA file, which has probabilities; upload the counts of the n-grams instead")
    if _HTML.match(content):
        raise FormatError("this is a web page, not a vocabulary; download the file itself, not the page that shows it")


_PACKED = {
    b"\x1f\x8b": Phrase("a gzip archive"),
    **dict.fromkeys((b"PK\x03\x04", b"PK\x05\x06"), Phrase("a zip archive")),
    b"BZh": Phrase("a bzip2 archive"),
    b"\xfd7zXZ\x00": Phrase("an xz archive"),
    b"(\xb5/\xfd": Phrase("a zstd archive"),
    b"7z\xbc\xaf'\x1c": Phrase("a 7z archive"),
}
_TEXT = {
    **dict.fromkeys((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff"), Phrase("text in UTF-32")),
    **dict.fromkeys((b"\xff\xfe", b"\xfe\xff"), Phrase("text in UTF-16")),
}
_FOREIGN = {
    **_PACKED,
    **_TEXT,
    b"%PDF": Phrase("a PDF"),
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), Phrase("an image")),
}
_HTML = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,1000}(?:<!doctype html|<html)[\s>]", re.IGNORECASE)


def load(source: str | PathLike[str] | bytes, companion: str | PathLike[str] | bytes | None = None) -> Tokenizer:
    """Return the tokenizer of a vocabulary file: a path to it, or its content as bytes.

    The content decides which format it is (see `recognize`). GPT-2's `vocab.json` needs its `merges.txt` as
    `companion`. Of a GGUF file only the beginning is read, however large it is; a folder stands for its first one.

    >>> load("研究\\n研究生\\n生命\\n起源\\n".encode()).ids("研究生命起源")
    [0, 2, 3]

    Raises OSError for a file that cannot be opened, FormatError for one that is not a vocabulary.
    """
    return recognize(_content(source), None if companion is None else _content(companion)).tokenizer


def _content(source: str | PathLike[str] | bytes) -> bytes:
    if isinstance(source, bytes):
        return source
    path = Path(source)
    if path.is_dir():
        path = min(path.glob("*.gguf"), default=path)
    with path.open("rb") as file:
        beginning = file.read(len(MAGIC))
        # A model has up to hundreds of gigabytes after its metadata.
        return beginning + file.read(LARGEST_FILE - len(MAGIC) if is_gguf(beginning) else -1)


def save(tokenizer: Tokenizer) -> bytes:
    """Return the content of a file that `load` reads back to the same ids.

    Counts as JSON for n-gram models, weights as JSON for taggers; RWKV's file for its model; a `.model` for
    SentencePiece's models and pipeline; else a `tokenizer.json`. Raises FormatError for a tokenizer that none of them
    can hold.

    >>> from webapp.core.formats.recognize import load
    >>> tokenizer = load(b"[UNK]\\nun\\n##aff\\n##able\\n")
    >>> load(save(tokenizer)).ids("unaffable")
    [1, 2, 3]
    """
    from webapp.core.formats import huggingface, sentencepiece

    if isinstance(tokenizer.model, NGram):
        return ngram_counts.write_json(tokenizer).encode()
    if isinstance(tokenizer.model, Tagger):
        return tagger_weights.write(tokenizer).encode()
    if isinstance(tokenizer.model, ByteMatching):
        return rwkv.write(tokenizer).encode()
    try:
        return sentencepiece.write(tokenizer)
    except FormatError:
        return huggingface.write(tokenizer).encode()
