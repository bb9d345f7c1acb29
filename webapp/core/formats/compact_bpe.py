"""A large BPE vocabulary from a `tokenizer.json` as arrays, which are read five times as fast as the file.

Reading JSON creates an object for each of half a million merges, and looks three pieces up for each. Here a merge is
three numbers. The first line has the version and the SHA-256 of all that follows. The second one is JSON, with the
`tokenizer.json` without pieces and merges. Then come the pieces, their lengths, the pairs of ids and the ids of what
they make.
"""

import json
import sys
from array import array
from hashlib import sha256
from itertools import accumulate, chain

from webapp.core.formats import huggingface
from webapp.core.formats.huggingface_equivalents import marker_to_suffix
from webapp.core.formats.reading import FormatError, read_float
from webapp.core.models.bpe import BPE, PackedMerges
from webapp.core.tokenizer import Tokenizer

LEAST_PIECES = 100_000
"""Smaller vocabularies are read fast enough from their files."""

# Change it with the format, and with what reading a `tokenizer.json` checks or makes of it.
_VERSION = f"compact-bpe-1-{sys.byteorder}"


def compact(text: str, tokenizer: Tokenizer) -> bytes | None:
    """Return the compact form of a `tokenizer.json` that was read as `tokenizer`; None if it is small or has no form.

    Only BPE of at least `LEAST_PIECES` pieces has one.
    """
    model = tokenizer.model
    if type(model) is not BPE or len(model.pieces) < LEAST_PIECES:
        return None
    document = json.loads(text, parse_float=read_float)
    if marker_to_suffix(document) is not document:
        return None
    part = document["model"]
    names = part["vocab"]
    contents = {token.content for token in tokenizer.added_tokens}
    part["vocab"] = {name: id for name, id in names.items() if name in contents}
    part["merges"] = []
    header = {"size": len(names), "document": document, "options": model.options}
    joined = b"".join(model.pieces) if model.byte_level else "".join(map(str, model.pieces)).encode()  # type: ignore[arg-type]
    arrays = [array("I", map(len, model.pieces)), model.packed.pairs, array("I", model.packed.made)]
    parts = [joined, *(each.tobytes() for each in arrays)]
    header["sizes"] = list(map(len, parts))
    content = json.dumps(header).encode() + b"\n" + b"".join(parts)
    return _first_line(content) + content


def read(content: bytes) -> Tokenizer:
    """Return the tokenizer; raises FormatError if the content is damaged, or from another version of the site."""
    first, newline, rest = content.partition(b"\n")
    if first + newline != _first_line(rest):
        raise FormatError("the stored file is damaged: its checksum does not match its name")
    line, _, data = rest.partition(b"\n")
    header = json.loads(line, parse_float=read_float)
    ends = list(accumulate(header["sizes"]))
    joined, *numbers = (data[start:end] for start, end in zip((0, *ends), ends, strict=False))
    lengths, pairs, made = map(array, "IqI", numbers)
    options = header["options"]
    whole = joined if options["byte_level"] else joined.decode()
    ends = list(accumulate(lengths))
    pieces = [whole[start:end] for start, end in zip(chain((0,), ends), ends, strict=False)]
    model = BPE(pieces, PackedMerges(pairs, made), **options)  # type: ignore[arg-type]
    return huggingface.read_around(header["document"], model, header["size"])


def _first_line(rest: bytes) -> bytes:
    return f"{_VERSION} {sha256(rest).hexdigest()}\n".encode()
