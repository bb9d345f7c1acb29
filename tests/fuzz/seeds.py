"""What fuzzing starts from: small files of every format, files and patterns that cost much, texts that cost much.

Everything is generated here; nothing is read from disk.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.core.hostile_files import MAKERS
from tests.core.mutations import STRANGERS, TEXT
from tests.core.small_files import MODELS, OTHERS, small

SIZE = 3_000
"""Bytes of a hostile file to start from."""

APART = b"\0\n----\n\0"
"""Stands between the two files of an upload, in the one input that a fuzzer mutates."""

PATTERNS = [
    *(stranger["Regex"] for stranger in STRANGERS if isinstance(stranger, dict) and "Regex" in stranger),
    "a|" * 4_000, "[" + "a" * 8_000 + "]", "(?:)|x", "x|(?:)", "x*", "(?=x)|$", r"\b", r"\G", r"\w?\w?\w?\w?!|x",
    r"(\w+\s?)+!", "(?:a|aa)+$", r"(?=\w+ \w+ \w+!)a", r"'s|'t| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}]*[\p{Ll}\p{M}]+(?i:'s|'t)?|\p{N}{1,3}", r"\p{N}{1,3}(?=(?:\p{N}{3})*(?:\P{N}|$))",
    "(?i)(?:ß|SS)+", r"(?r)x*", r"(?b)(?:abc){e<=2}", r"(?<=(a|ab)+)b", r"(?>a+)b|(?|a|(b))", r"\X+",
    "(?V1)[a-z--[aeiou]]",
]  # fmt: skip

# Section by section: what expands in normalization, what is one pre-token, what no vocabulary has, what is invisible.
TEXTS = [
    TEXT, "", "\ufdfa" * 300, "a" * 1_000, "ab" * 500, "\0" * 1_000, "\r\n" * 500, " " * 1_000, "👩‍👩‍👧‍👦" * 100,
    "e" + "\u0301" * 999, "\u0300\u0316" * 400, "\x01\x02\x7f\x85" * 200, "🏴\U000e0067\U000e0062\U000e007f" * 100,
    "🇩🇪" * 300, "\u200d" * 1_000, "\ud800a\udc00" * 200, "\u202e\u2066" * 300, "𠀀" * 500, "क्षि" * 250, "각" * 400,
    "\u1100\u1161\u11a8" * 200, "\u0f71\u0f72" * 300, "研究生命起源" * 150, "İ" * 500, "ŉǰΐ" * 200, "Σ" * 500,
    "<s></s><unk>[UNK][CLS]" * 40, "<0x41>" * 150, "▁" * 1_000, "Ġ" * 500, "##a" * 300, "'" * 1_000, "1" * 1_000,
    "<|endoftext|>" * 70, "\ufeff" * 500, "A" * 500 + "é" * 500, "\u3099" * 500, "\U0001f468\U0001f3fb" * 200,
]  # fmt: skip


def files() -> Iterator[tuple[bytes, ...]]:
    """Small files, and hostile ones of a few kilobytes: one, or a file and its companion."""
    for name in (*OTHERS, *MODELS):
        yield small(name)
    for make in MAKERS.values():
        yield make(SIZE)
