"""A small `tekken.json` built from a trained vocabulary."""

import base64
from typing import Any

from tests.core.texts import CORPUS
from webapp.core.recipes import BYTE_BPE
from webapp.core.text import split_patterns
from webapp.core.trainers.bpe import train_bytes

BYTES = [bytes([byte]) for byte in range(256)]
RANKS = [*BYTES, *(bytes(piece) for piece in train_bytes(BYTE_BPE.count(CORPUS), 700).model.pieces[256:])]  # type: ignore[arg-type]


def tekken_file(**changes: Any) -> dict[str, Any]:
    """Return a `tekken.json` with 600 pieces in use after 100 ids for special tokens, two of which have a name."""
    config = {
        "pattern": split_patterns.TEKKEN,
        "num_vocab_tokens": len(RANKS),
        "default_vocab_size": 600 + 100,
        "default_num_special_tokens": 100,
        "version": "v3",
    }
    vocabulary = [
        {"rank": rank, "token_bytes": base64.b64encode(piece).decode(), "token_str": None}
        for rank, piece in enumerate(RANKS)
    ]
    special_tokens = [
        {"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(["<unk>", "<s>"])
    ]
    return {"config": config, "vocab": vocabulary, "special_tokens": special_tokens, **changes}
