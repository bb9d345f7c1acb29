"""Read and write PickyBPE in the form of a `tokenizer.json`.

The library `tokenizers` has no such model and refuses the file. Written as a list of merges, it would read it, and give
other ids: a merge list cannot take a piece back.

    "model": {"type": "PickyBPE", "vocab": {piece: id, …}, "events": [["o", "u"], ["c", "ou"], ["ou", "o", "u"], …]}

Events stand in the order of the training: a merge has two pieces, a removal the piece and the parts that it is split
into. Pieces are spelled as in byte-level BPE.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webapp.core.formats.fields import FormatError, field
from webapp.core.models.picky_bpe import PickyBPE
from webapp.core.text.byte_characters import bytes_to_characters, characters_to_bytes

KIND = "PickyBPE"


def read(part: dict[str, Any], names: Sequence[str]) -> PickyBPE:
    """Return the model of a part; `names` are its pieces by id. Raises FormatError for a malformed part."""
    events = field(part, "events", list)
    if not all(isinstance(event, list) and len(event) > 1 and set(map(type, event)) == {str} for event in events):
        raise FormatError('"events" should be a list of lists of two or more pieces')
    try:
        return PickyBPE(
            list(map(characters_to_bytes, names)), [tuple(map(characters_to_bytes, event)) for event in events]
        )
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError.of(error) from error


def write(model: PickyBPE) -> dict[str, Any]:
    """Return the part that describes a model.

    >>> pieces = [*(bytes([byte]) for byte in range(256)), b" a"]
    >>> write(PickyBPE(pieces, [(b" ", b"a")]))["events"]
    [['Ġ', 'a']]
    """
    return {
        "type": KIND,
        "vocab": {bytes_to_characters(piece): id for id, piece in enumerate(model.pieces)},
        "events": [list(map(bytes_to_characters, event)) for event in model.events],
    }
