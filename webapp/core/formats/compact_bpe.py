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
from typing import Any

from webapp.core.formats import huggingface
from webapp.core.formats.huggingface_equivalents import marker_to_suffix
from webapp.core.formats.reading import FormatError, read_float
from webapp.core.models.bpe import BPE
from webapp.core.models.mapped_bpe import TYPES, MappedBPE, Tables, packed
from webapp.core.tokenizer import Tokenizer

LEAST_PIECES = 100_000
"""Smaller vocabularies are read fast enough from their files."""

# Change it with the format, and with what reading a `tokenizer.json` checks or makes of it.
_VERSION = f"compact-bpe-3-{sys.byteorder}"


def compact(document: Any, tokenizer: Tokenizer) -> bytes | None:
    """Return the compact form of a parsed `tokenizer.json` that was read as `tokenizer`; None without one.

    Only BPE of at least `LEAST_PIECES` pieces has one. The document loses its pieces and merges.
    """
    model = tokenizer.model
    if type(model) is not BPE or len(model.pieces) < LEAST_PIECES:
        return None
    if marker_to_suffix(document) is not document:
        return None
    part = document["model"]
    names = part["vocab"]
    part["merges"] = []  # makes room before more of it is needed
    contents = {token.content for token in tokenizer.added_tokens}
    part["vocab"] = {name: id for name, id in names.items() if name in contents}
    parts, boundaries = packed(model)
    header = {"size": len(names), "document": document, "options": model.options, "boundaries": boundaries}
    header["sizes"] = list(map(len, parts))
    content = json.dumps(header).encode() + b"\n" + b"".join(parts)
    return _first_line(content) + content


def read(content: bytes | mmap) -> Tokenizer:
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
    return huggingface.read_around(header["document"], MappedBPE(tables, **header["options"]), header["size"])


def _first_line(rest: bytes | memoryview) -> bytes:
    return f"{_VERSION} {sha256(rest).hexdigest()}\n".encode()
