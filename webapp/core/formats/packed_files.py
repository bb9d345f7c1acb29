"""Reads the published files of open vocabularies that ship packed, byte for byte as their publishers have them.

`NAME.xz` is the file itself, compressed with LZMA. Where that would be too large, `NAME.json` is the file without its
pieces, and `NAME.xz` has the pieces as in `packed_ranks`. Qwen's pieces begin with those of cl100k_base, except the
numbers of two and three digits, and each further byte in its packed file is the length of a merge's left part.
"""

import json
import lzma
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from typing import Any

from webapp.core.formats import huggingface, tekken
from webapp.core.formats.packed_ranks import FILTERS, pack_pieces, unpack
from webapp.core.formats.recognize import recognize
from webapp.core.text.utf8 import bytes_to_characters, decoded
from webapp.core.tokenizer import Tokenizer

FILES = ("bert-base-cased", "bert-base-chinese", "t5", "mistral-7b-v0-1", "mistral-nemo", "qwen3")
"""The vocabularies, by name."""

Read = Callable[[str], bytes]
"""The content of a file of the folder by its name."""

_HEAD = "cl100k_base.xz"


def published_file(name: str, read: Read) -> bytes:
    """The publisher's file of one of `FILES`."""
    if name not in _DOCUMENTS:
        return lzma.decompress(read(f"{name}.xz"))
    text = json.dumps(_DOCUMENTS[name](name, read), ensure_ascii=False, indent=2)
    return text.encode() if name == "qwen3" else text.replace("\x7f", "\\u007f").encode() + b"\n"


def tokenizer_of(name: str, read: Read) -> Tokenizer:
    """The tokenizer of one of `FILES`."""
    if name not in _DOCUMENTS:
        return recognize(published_file(name, read)).tokenizer
    document = _DOCUMENTS[name](name, read)
    return tekken.read(document) if tekken.is_tekken(document) else huggingface.read_document(document)


def pack_file(name: str, content: bytes, read: Read) -> dict[str, bytes]:
    """The files to ship for a published one, by their names; raises ValueError if it cannot be restored from them."""
    if name in _DOCUMENTS:
        document = json.loads(content)
        if name == "mistral-nemo":
            pieces, more = [a2b_base64(entry["token_bytes"]) for entry in document["vocab"]], b""
            document["vocab"] = []
        else:
            model = huggingface.read(content.decode()).model
            merges = document["model"]["merges"]
            pieces = [bytes(piece) for piece in model.pieces[len(_qwen_head(read)) :]]  # type: ignore[arg-type]
            more = bytes(len(left) for left, _right in merges)
            document["model"] |= {"vocab": {}, "merges": []}
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        files = {f"{name}.json": text.encode(), f"{name}.xz": pack_pieces(pieces, more)}
    else:
        files = {f"{name}.xz": lzma.compress(content, filters=FILTERS)}
    if published_file(name, lambda file: files.get(file) or read(file)) != content:
        raise ValueError(f"{name} differs after unpacking")
    return files


def _tekken(name: str, read: Read) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(read(f"{name}.json"))
    document["vocab"] = [
        {"rank": rank, "token_bytes": b2a_base64(piece, newline=False).decode(), "token_str": decoded(piece)}
        for rank, piece in enumerate(unpack(read(f"{name}.xz"))[0])
    ]
    return document


def _qwen(name: str, read: Read) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(read(f"{name}.json"))
    pieces, lengths = unpack(read(f"{name}.xz"))
    names = list(map(bytes_to_characters, _qwen_head(read) + pieces))
    merged = names[len(names) - len(lengths) :]
    document["model"]["vocab"] = {name: id for id, name in enumerate(names)}
    # A character of a name is a byte of its piece.
    document["model"]["merges"] = [[name[:end], name[end:]] for name, end in zip(merged, lengths, strict=True)]
    return document


def _qwen_head(read: Read) -> list[bytes]:
    return [piece for piece in unpack(read(_HEAD))[0] if len(piece) < 2 or not piece.isdigit()]


_DOCUMENTS: dict[str, Callable[[str, Read], dict[str, Any]]] = {"mistral-nemo": _tekken, "qwen3": _qwen}
