"""A large BPE vocabulary from a `tokenizer.json` as tables that processes map and share: see `mapped_bpe`.

Reading JSON creates an object for each of half a million merges, and looks three pieces up for each. Here nothing is
read before it is used; the file must not change in place. The first line has the version and the SHA-256 of all that
follows. The second one is JSON, with the `tokenizer.json` without pieces and merges. Then comes the block of `Tables`.
"""

import json
import sys
from hashlib import sha256
from itertools import accumulate, pairwise
from mmap import mmap
from operator import attrgetter
from typing import Any

from webapp.core.formats import huggingface
from webapp.core.formats.huggingface_equivalents import marker_to_suffix
from webapp.core.formats.reading import FormatError, read_float
from webapp.core.formats.recognize import Recognized
from webapp.core.models.bpe import BPE
from webapp.core.models.mapped_bpe import TYPES, MappedBPE, Tables, packed
from webapp.core.text.decoders import ByteLevelDecoder
from webapp.core.tokenizer import Tokenizer

LEAST_PIECES = 100_000
"""Smaller vocabularies are read fast enough from their files."""

# Change it with the format, and with what reading a `tokenizer.json` checks or makes of it.
_VERSION = f"compact-bpe-4-{sys.byteorder}"


def compact(found: Recognized) -> bytes | None:
    """Return the compact form of a file that was read; None without one. Its document loses pieces and merges.

    Only BPE of at least `LEAST_PIECES` pieces has one, in a `tokenizer.json` or in a file of another format that a
    `tokenizer.json` can express, such as GGUF.
    """
    tokenizer, document, model = found.tokenizer, found.document, found.tokenizer.model
    if type(model) is not BPE or len(model.pieces) < LEAST_PIECES:
        return None
    if document is None:
        try:
            document, size = huggingface.document_around(tokenizer)
        except FormatError:
            return None
    elif marker_to_suffix(document) is not document:
        return None
    else:
        part = document["model"]
        size = len(part["vocab"])
        part["merges"] = []  # makes room before more of it is needed
        contents = {token.content for token in tokenizer.added_tokens}
        part["vocab"] = {name: id for name, id in part["vocab"].items() if name in contents}
    parts, boundaries = packed(model)
    header: dict[str, Any] = {"format": found.format, "size": size, "document": document, "options": model.options}
    header |= {"bytes": tokenizer.decoder == ByteLevelDecoder(), "boundaries": boundaries}
    header["sizes"] = list(map(len, parts))
    content = json.dumps(header).encode() + b"\n" + b"".join(parts)
    content = _first_line(content) + content
    is_same = found.document is not None or _same_pipeline(tokenizer, read(content).tokenizer)
    return content if is_same else None


def _same_pipeline(a: Tokenizer, b: Tokenizer) -> bool:
    parts = attrgetter("normalizer", "pretokenizer", "decoder", "added_tokens", "postprocessor", "rules")
    return bool(parts(a) == parts(b))


def read(content: bytes | mmap) -> Recognized:
    """Return the tokenizer; raises FormatError if the content is damaged, or from another version of the site."""
    start = content.find(b"\n") + 1
    whole = memoryview(content)
    if bytes(whole[:start]) != _first_line(whole[start:]):
        raise FormatError("the stored file is damaged: its checksum does not match its name")
    end = content.find(b"\n", start)
    header = json.loads(bytes(whole[start:end]), parse_float=read_float)
    places = list(accumulate(header["sizes"], initial=end + 1))
    parts = (whole[start:end] for start, end in pairwise(places[1:]))
    arrays = [part.cast(type) for part, type in zip(parts, TYPES, strict=True)]
    tables = Tables(content, places[0], header["boundaries"], *arrays)
    tokenizer = huggingface.read_around(header["document"], MappedBPE(tables, **header["options"]), header["size"])
    if header["bytes"]:
        tokenizer = tokenizer.changed(decoder=ByteLevelDecoder())
    return Recognized(header["format"], tokenizer)


def _first_line(rest: bytes | memoryview) -> bytes:
    return f"{_VERSION} {sha256(rest).hexdigest()}\n".encode()
