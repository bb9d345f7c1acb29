"""The metadata at the beginning of a GGUF file: keys and values, before the tensors that take up the rest of it.

The layout is that of llama.cpp's `docs/gguf.md`, versions 2 and 3, with numbers in little-endian order.
"""

import json
from struct import Struct
from typing import Any

from webapp.core.formats.reading import LARGEST_FILE, FormatError
from webapp.core.vocabulary_error import Phrase, shown

MAGIC = b"GGUF"
MOST_KEYS = 10_000
MOST_ITEMS = 2_000_000
"""In an array; Gemma 4 has half a million merges."""

_HEADER, _LENGTH, _TYPE, _ARRAY = Struct("<4sIQQ"), Struct("<Q"), Struct("<I"), Struct("<IQ")
_NUMBERS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd", strict=True))
_STRING, _LIST = 8, 9
# The only arrays that a tokenizer needs; others, such as a list of layers, are skipped.
_NEEDED = frozenset(f"tokenizer.ggml.{name}" for name in ("tokens", "scores", "token_type", "merges"))
_CHARACTER_MAP = "tokenizer.ggml.precompiled_charsmap"

_CUT_SHORT = Phrase(
    "the first %(size)s bytes of this GGUF file end inside its metadata; at least %(more)s more are needed",
    size="",
    more="",
)


class CutShortError(FormatError):
    """The bytes end inside the metadata; `needed` is the least number of bytes that contain all of it."""

    def __init__(self, size: int, needed: int) -> None:
        super().__init__(_CUT_SHORT.sentence, size=f"{size:,}", more=f"{needed - size:,}")
        self.needed = needed


def is_gguf(content: bytes) -> bool:
    """Whether bytes are the beginning of a GGUF file."""
    return content[:4] == MAGIC


def read_metadata(content: bytes) -> dict[str, Any]:
    """Return the metadata of a file, of which `content` is all or a beginning.

    Lists of numbers and texts that no tokenizer needs are left out; the character map is bytes.

    Raises CutShortError if the beginning is too short, FormatError if it is not a GGUF file or has more than the
    metadata of a model.
    """
    return _Reader(content).metadata()


def needed(prefix: bytes) -> int:
    """Return how many more bytes of a GGUF file its metadata takes at least; 0 if `prefix` contains all of it.

    For a download by ranges: repeat until it is 0, and ask for at least a megabyte at a time, because the lengths of
    texts are known only as far as the bytes go.

    >>> needed(b"GGUF"), needed(_HEADER.pack(b"GGUF", 3, 0, 1)), needed(_HEADER.pack(b"GGUF", 3, 0, 0))
    (20, 13, 0)

    Raises FormatError as `read_metadata` does.
    """
    try:
        read_metadata(prefix)
    except CutShortError as error:
        return error.needed - len(prefix)
    return 0


def header_of(content: bytes) -> bytes:
    """Return a GGUF file without its tensors; other bytes unchanged. Raises FormatError as `read_metadata` does."""
    if not is_gguf(content):
        return content
    reader = _Reader(content)
    reader.metadata()
    return content[: reader.at]


def chat_config(content: bytes) -> str:
    """Return the chat templates and special tokens of a GGUF file, as a `tokenizer_config.json` has them.

    Raises FormatError as `read_metadata` does.
    """
    metadata = read_metadata(content)
    tokens = metadata.get("tokenizer.ggml.tokens", [])
    config = {
        f"{name}_token": tokens[id]
        for name, key in {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}.items()
        if isinstance(id := metadata.get(f"tokenizer.ggml.{key}_token_id"), int) and 0 <= id < len(tokens)
    }
    key = "tokenizer.chat_template"
    default = metadata.get(key)
    named = [
        {"name": name.removeprefix(f"{key}."), "template": template}
        for name, template in metadata.items()
        if name.startswith(f"{key}.") and isinstance(template, str)
    ]
    if isinstance(default, str):
        named.insert(0, {"name": "default", "template": default})
    return json.dumps({**config, **({"chat_template": named} if named else {})})


class _Reader:
    """Reads values one after the other; `at` is where the next one begins."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def metadata(self) -> dict[str, Any]:
        magic, version, _tensors, count = self._unpack(_HEADER)
        if magic != MAGIC:
            raise FormatError("not a GGUF file")
        if version not in (2, 3):
            if version & 0xFFFF == 0:
                raise FormatError("this GGUF file is big-endian; convert it to little-endian")
            raise FormatError("version %(version)s of GGUF is not supported, only 2 and 3", version=version)
        if count > MOST_KEYS:
            raise FormatError("the GGUF file has more than %(most)s keys", most=f"{MOST_KEYS:,}")
        metadata: dict[str, Any] = {}
        for left in range(count, 0, -1):
            # Each key takes at least its length, its type and a byte.
            self._check(13 * left)
            key = self._text()
            value = self._value(key, *self._unpack(_TYPE))
            if value is not None:
                metadata[key] = value
        return metadata

    def _value(self, key: str, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        if kind == _LIST:
            return self._list(key, *self._unpack(_ARRAY))
        return self._unpack(self._number(key, kind, 1))[0]

    def _list(self, key: str, kind: int, count: int) -> Any:
        if count > MOST_ITEMS:
            raise FormatError(
                "%(key)s has %(count)s items; at most %(most)s are allowed",
                key=shown(key),
                count=f"{count:,}",
                most=f"{MOST_ITEMS:,}",
            )
        if kind == _STRING:
            return self._texts(count, key in _NEEDED)
        number = self._number(key, kind, count)
        start = self.at
        self._check(number.size)
        self.at += number.size
        if key == _CHARACTER_MAP:
            return self.content[start : self.at]
        return list(number.unpack_from(self.content, start)) if key in _NEEDED else None

    def _texts(self, count: int, keep: bool) -> list[str] | None:
        texts: list[str] | None = [] if keep else None
        content, at, size, length = self.content, self.at, len(self.content), _LENGTH.unpack_from
        for left in range(count, 0, -1):
            if at + 8 * left > size:
                raise self._cut_short(at + 8 * left)
            end = at + 8 + length(content, at)[0]
            if end > size:
                raise self._cut_short(end + 8 * (left - 1))
            if texts is not None:
                texts.append(_decoded(content[at + 8 : end]))
            at = end
        self.at = at
        return texts

    def _text(self) -> str:
        (length,) = self._unpack(_LENGTH)
        self._check(length)
        self.at += length
        return _decoded(self.content[self.at - length : self.at])

    def _number(self, key: str, kind: int, count: int) -> Struct:
        if kind not in _NUMBERS:
            raise FormatError("%(key)s has the type %(type)s, which GGUF does not define", key=shown(key), type=kind)
        return Struct(f"<{count}{_NUMBERS[kind]}")

    def _unpack(self, layout: Struct) -> tuple[Any, ...]:
        self._check(layout.size)
        self.at += layout.size
        return layout.unpack_from(self.content, self.at - layout.size)

    def _check(self, length: int) -> None:
        if self.at + length > len(self.content):
            raise self._cut_short(self.at + length)

    def _cut_short(self, needed: int) -> FormatError:
        if needed > LARGEST_FILE:
            return FormatError("the metadata of the GGUF file has more than %(most)s bytes", most=f"{LARGEST_FILE:,}")
        return CutShortError(len(self.content), needed)


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise FormatError("the text %(content)s is not valid UTF-8", content=shown(content)) from None
