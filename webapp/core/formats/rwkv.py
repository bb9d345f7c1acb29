"""RWKV World's vocabulary: a line for each piece, with its id, its text or bytes as Python writes them, and its length.

    300 ' A' 2
    1000 b'\\xe7\\xa0' 2

The file is that of the package `rwkv`; `rwkv_tokenizer.py` there reads it. Ids begin at 1; 0 ends a text.
"""

import re
from ast import literal_eval

from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError, parts_of_file
from webapp.core.models.byte_matching import ByteMatching
from webapp.core.text.decoders import ByteLevelDecoder
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

END_OF_TEXT = "<|endoftext|>"

# What `repr` writes: other escapes would be a warning of Python's parser, and a long literal takes it much memory.
_LINE = re.compile(
    r"""([0-9]{1,9})[ ](b?(['"])(?:[^\\\n]|\\(?:[\\'"tnr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})){1,4000}\3)"""
    r"[ ]([0-9]{1,9})"
)


def is_vocabulary(text: str) -> bool:
    """Whether the first line of a text is an id, a literal and a length.

    >>> is_vocabulary("1 '\\\\x00' 1\\n2 '\\\\x01' 1\\n"), is_vocabulary("it's 5 n\\n")
    (True, False)
    """
    return _LINE.fullmatch(text[:5_000].partition("\n")[0].rstrip("\r")) is not None


def read(text: str) -> Tokenizer:
    """Return the tokenizer of a file, with `<|endoftext|>` as id 0.

    Raises FormatError, which names the first line that is wrong, or says which id or byte is missing.
    """
    if text.count("\n") > LARGEST_VOCABULARY:
        raise FormatError("more than %(most)s lines, too many for a vocabulary", most=f"{LARGEST_VOCABULARY:,}")
    pieces = [END_OF_TEXT.encode()]
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        found = _LINE.fullmatch(line.rstrip("\r"))
        try:
            value = literal_eval(found[2]) if found else None
            piece = value if isinstance(value, bytes) else str(value).encode()
        except (ValueError, SyntaxError):
            found = None
        if found is None:
            raise FormatError(
                "line %(number)s should be an id, a text or bytes as Python writes them, and the number of bytes, not "
                "%(line)s",
                number=number,
                line=shown(line),
            )
        if int(found[1]) != len(pieces):
            raise FormatError(
                "line %(number)s should have the id %(id)s, not %(found)s",
                number=number,
                id=len(pieces),
                found=found[1],
            )
        if int(found[4]) != len(piece):
            raise FormatError(
                "line %(number)s: the piece has %(count)s bytes, not %(found)s",
                number=number,
                count=len(piece),
                found=found[4],
            )
        pieces.append(piece)
    with parts_of_file():
        model = ByteMatching(pieces, reserved=1)
    return Tokenizer(model, decoder=ByteLevelDecoder(), special_tokens={END_OF_TEXT: 0})


def write(tokenizer: Tokenizer) -> str:
    """Return the file of a tokenizer, which `read` reads back to the same ids; raises FormatError for another model."""
    model = tokenizer.model
    if not isinstance(model, ByteMatching):
        raise FormatError("%(model)s cannot be written as RWKV's vocabulary", model=type(model).__name__)
    lines = []
    for id, piece in enumerate(model.pieces[model.reserved :], start=model.reserved):
        try:
            literal = repr(piece.decode())
        except UnicodeDecodeError:
            literal = repr(piece)
        lines.append(f"{id} {literal} {len(piece)}\n")
    return "".join(lines)
