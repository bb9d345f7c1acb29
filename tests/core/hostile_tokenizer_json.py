"""Hostile `tokenizer.json` files of any size, for `tests.core.hostile_files`."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from itertools import islice
from typing import Any

Files = tuple[bytes, ...]
Maker = Callable[[int], Files]


# --- repetition -------------------------------------------------------------------------------------------------------


def repeated(unit: str | bytes, before: str = "", after: str = "", most: int = 1 << 62) -> Maker:
    """A file of one unit, repeated."""
    plain = unit if isinstance(unit, bytes) else unit.encode()

    def make(size: int) -> Files:
        count = min(most, max(1, (size - len(before.encode()) - len(after.encode())) // len(plain)))
        return (before.encode() + plain * count + after.encode(),)

    return make


def numbered(line: str, before: str = "", after: str = "", between: str = "", most: int = 1 << 62) -> Maker:
    """A file of numbered units: `{0}` is the number, padded to a fixed width where `line` says so."""

    def make(size: int) -> Files:
        width = len((line.format(size // 10) + between).encode())
        count = min(most, max(1, (size - len(before) - len(after)) // width))
        return ((before + between.join(map(line.format, range(count))) + after).encode(),)

    return make


def growing(size: int) -> list[str]:
    """Words of one letter, each one letter longer than the last: `a`, `aa`, … , so many that they fill a file."""
    return ["a" * length for length in range(1, max(3, int((2 * size) ** 0.5) - 8))]


# --- tokenizer.json ---------------------------------------------------------------------------------------------------


def tokenizer_json(model: dict[str, Any] | None = None, **parts: Any) -> Files:
    """A `tokenizer.json`; without a model, it has three words."""
    model = model or {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1, "b": 2}, "unk_token": "<unk>"}
    document = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], **parts, "model": model}
    return (json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(),)


def sequence(kind: str, steps: list[Any]) -> dict[str, Any]:
    """A part that applies others: `kind` is `normalizers`, `pretokenizers`, `processors` or `decoders`."""
    return {"type": "Sequence", kind: steps}


def split(source: str) -> dict[str, Any]:
    """A pre-tokenizer with a pattern."""
    return {"type": "Split", "pattern": {"Regex": source}, "behavior": "Isolated", "invert": False}


def replace(source: str, content: str = "", kind: str = "Regex") -> dict[str, Any]:
    """A normalizer or a decoder with a pattern."""
    return {"type": "Replace", "pattern": {kind: source}, "content": content}


def nested(kind: str, innermost: dict[str, Any]) -> Maker:
    """A Sequence in a Sequence in a Sequence …"""
    part = {"normalizers": "normalizer", "pretokenizers": "pre_tokenizer", "processors": "post_processor"}
    name = part.get(kind, "decoder")

    def make(size: int) -> Files:
        opening, closing = f'{{"type":"Sequence","{kind}":[', "]}"
        depth = min(400_000, max(1, (size - 300) // len(opening + closing)))
        [whole] = tokenizer_json(**{name: "HERE"})
        return (whole.replace(b'"HERE"', (opening * depth + json.dumps(innermost) + closing * depth).encode()),)

    return make


def many_parts(name: str, kind: str, part: dict[str, Any]) -> Maker:
    """A Sequence of many equal parts."""
    return lambda size: tokenizer_json(**{name: sequence(kind, [part] * max(1, size // 29))})


# About 0.05 s on the runs that a pattern is checked with, and 0.4 s on a megabyte of ordinary text.
SLOW = r"\w?\w?\w?\w?!|x"


def slow_patterns(many: int, *, different: bool) -> Maker:
    """Patterns of which each alone stays below its time limit."""
    return lambda size: tokenizer_json(
        pre_tokenizer=sequence("pretokenizers", [split(SLOW + f"|{at}" * different) for at in range(many)])
    )


def added_token(content: str, id: int, **flags: bool) -> dict[str, Any]:
    """An entry of `added_tokens`."""
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {"id": id, "content": content, **plain, **flags}


def added_tokens(**flags: bool) -> Maker:
    """Added tokens, as many as fit."""

    def make(size: int) -> Files:
        count = max(1, size // 150)
        tokens = [added_token(f"<{at:08d}>", at + 3, **flags) for at in range(count)]
        return tokenizer_json(added_tokens=tokens, normalizer={"type": "NFKC"})

    return make


def template(size: int) -> Files:
    """A template that names a token of very many ids a thousand times."""
    names = [{"SpecialToken": {"id": "x", "type_id": 0}}] * min(1_000, max(1, size // 100))
    ids = [1] * min(2_900_000, max(1, (size - len(json.dumps(names))) // 2))
    tokens = {"x": {"id": "x", "ids": ids, "tokens": ["x"]}}
    part = {"type": "TemplateProcessing", "single": names, "pair": names, "special_tokens": tokens}
    return tokenizer_json(post_processor=part)


def word_level(size: int) -> Files:
    """Many words."""
    vocabulary = {"<unk>": 0, **{f"word{at:012d}": at for at in range(1, max(2, size // 27))}}
    return tokenizer_json({"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"})


def bpe_merges(size: int, texts: bool = False, byte_level: bool = False) -> Files:
    """As many merges as fit, of two letters, or of two letters and a third."""
    singles = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x144)] if byte_level else range(0x4E00, 0x5300)
    letters = list(map(chr, singles))
    some = letters[:90] if byte_level else letters
    twos = [left + right for left in some for right in some] if byte_level else []
    count = max(1, size // (27 if texts or byte_level else 34) - len(twos))
    made = ((left, right) for left in twos or some for right in some)
    pairs = [*((two[0], two[1]) for two in twos), *islice(made, min(count, 740_000 if texts else 590_000))]
    names = [*([] if byte_level else ["<unk>"]), *letters]
    vocabulary = {piece: at for at, piece in enumerate([*names, *(left + right for left, right in pairs)])}
    merges = [f"{left} {right}" for left, right in pairs] if texts else [list(pair) for pair in pairs]
    model = {"type": "BPE", "unk_token": None if byte_level else "<unk>", "vocab": vocabulary, "merges": merges}
    return tokenizer_json(model, pre_tokenizer={"type": "ByteLevel", "add_prefix_space": False} if byte_level else None)


def doubling(size: int) -> Files:
    """Merges of which each doubles the piece before it, and many more of the letter `a`."""
    pieces = growing(size // 2)
    merges = [[piece, "a"] for piece in pieces[:-1]]
    vocabulary = {piece: at for at, piece in enumerate(pieces)}
    return tokenizer_json({"type": "BPE", "vocab": vocabulary, "merges": merges, "unk_token": None})


def unigram(pieces: Callable[[int], list[str]]) -> Maker:
    """A Unigram model of these pieces."""

    def make(size: int) -> Files:
        entries = [["<unk>", 0.0], *([piece, -float(at)] for at, piece in enumerate(pieces(size)))]
        return tokenizer_json({"type": "Unigram", "unk_id": 0, "vocab": entries})

    return make


def word_pieces(size: int) -> Files:
    """Pieces of one letter, each one longer than the last."""
    pieces = ["[UNK]", *growing(size // 2), *("##" + piece for piece in growing(size // 2))]
    vocabulary = {piece: at for at, piece in enumerate(pieces)}
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocabulary}
    return tokenizer_json(model | {"max_input_chars_per_word": 1_000_000})


def character_map(size: int) -> Files:
    """A precompiled character map whose trie is a broken one."""
    units = struct.pack("<256I", *(0x200 | at << 10 for at in range(256))) * max(1, size // 1400)
    blob = struct.pack("<I", len(units)) + units + b"a\0"
    part = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(blob).decode()}
    return tokenizer_json(normalizer=part)
