"""Small GGUF files: a writer of metadata, and a model of each kind of tokenizer that a file can have."""

from collections.abc import Mapping
from struct import pack
from typing import Any

from webapp.core.models.scored_pieces import NAMED_BYTES
from webapp.core.text.utf8 import bytes_to_characters

UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
BYTES = [bytes_to_characters(bytes([byte])) for byte in range(256)]


def written(metadata: Mapping[str, Any], *, version: int = 3, tensors: int = 0) -> bytes:
    """Return a file with this metadata; keys without a dot are those of `tokenizer.ggml`."""
    keys = [(key if "." in key else f"tokenizer.ggml.{key}", value) for key, value in metadata.items()]
    header = pack("<4sIQQ", b"GGUF", version, tensors, len(keys))
    return header + b"".join(_text(key) + _value(value) for key, value in keys)


def _text(text: str) -> bytes:
    return pack("<Q", len(text.encode())) + text.encode()


def _value(value: Any) -> bytes:
    match value:
        case bool():
            return pack("<I?", BOOL, value)
        case int():
            return pack("<Ii" if value < 0 else "<II", INT32 if value < 0 else UINT32, value)
        case float():
            return pack("<If", FLOAT32, value)
        case str():
            return pack("<I", STRING) + _text(value)
        case bytes():
            return pack("<IIQ", ARRAY, 0, len(value)) + value
        case [str(), *_]:
            return pack("<IIQ", ARRAY, STRING, len(value)) + b"".join(map(_text, value))
        case [float(), *_]:
            return pack(f"<IIQ{len(value)}f", ARRAY, FLOAT32, len(value), *value)
        case list():
            return pack(f"<IIQ{len(value)}i", ARRAY, INT32, len(value), *value)
    raise TypeError(value)


def byte_level(**changes: Any) -> dict[str, Any]:
    """The metadata of a byte-level BPE with the pieces `ab`, `abc` and ` a`, and two added tokens."""
    tokens = [*BYTES, "ab", "abc", "Ġa", "<|x|>", "<y>"]
    kinds = [*[1] * 259, 3, 4]
    merges = ["a b", "ab c", "Ġ a"]
    return {"model": "gpt2", "pre": "gpt-2", "tokens": tokens, "token_type": kinds, "merges": merges} | changes


def scored(**changes: Any) -> dict[str, Any]:
    """The metadata of a BPE with scores: byte pieces, `▁`, `a`, `b`, `ab`, `▁ab`, and two added tokens."""
    tokens = ["<unk>", "<s>", "</s>", *NAMED_BYTES, "▁", "a", "b", "ab", "▁ab", "<y>"]
    kinds = [2, 3, 3, *[6] * 256, *[1] * 5, 4]
    scores = [0.0] * 259 + [-3.0, -4.0, -5.0, -1.0, -2.0, 0.0]
    return {"model": "llama", "tokens": tokens, "token_type": kinds, "scores": scores} | changes


def words(**changes: Any) -> dict[str, Any]:
    """The metadata of a WordPiece vocabulary: `un`, `##aff`, `##able`, `e`, `!`."""
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁un", "aff", "able", "▁e", "▁!", "▁研"]
    ids = {"unknown_token_id": 1, "bos_token_id": 2, "seperator_token_id": 3}
    return {"model": "bert", "tokens": tokens, "token_type": [3, 3, 3, 3, *[1] * 6], **ids} | changes


def unigram(**changes: Any) -> dict[str, Any]:
    """The metadata of a Unigram vocabulary: `▁`, `a`, `ab`, `▁ab`, `c` and an unused piece `d`."""
    tokens = ["<pad>", "</s>", "<unk>", "▁", "a", "ab", "▁ab", "c", "d"]
    scores = [0.0, 0.0, 0.0, -3.0, -4.0, -2.0, -1.0, -5.0, -6.0]
    kinds = [3, 3, 2, *[1] * 5, 5]
    return {"model": "t5", "tokens": tokens, "token_type": kinds, "scores": scores, "add_space_prefix": True} | changes


def characters(**changes: Any) -> dict[str, Any]:
    """The metadata of Gemma 4's kind of BPE, over characters: `▁a`, line ends, and byte pieces."""
    tokens = ["<pad>", "<eos>", "<bos>", "<unk>", *NAMED_BYTES, "▁", "a", "▁a", "\n", "\n\n"]
    kinds = [3, 3, 3, 3, *[6] * 256, *[1] * 5]
    ids = {"bos_token_id": 2, "eos_token_id": 1, "unknown_token_id": 3}
    return {"model": "gemma4", "tokens": tokens, "token_type": kinds, "merges": ["▁ a", "\n \n"], **ids} | changes
