"""Serializes snapshots as compressed JSON, and hashes their state, which determines their link."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import Any

import zstandard


@dataclass(frozen=True)
class Snapshot:
    """A text, the state of the playground, and all tokens at the time of sharing.

    `starts` and `ends` are character offsets, one pair per token; `pieces` maps every id that occurs to its piece;
    `unknown` and `special` are indexes of tokens. `state` is plain JSON: algorithm, vocabulary, the options that
    differ from their defaults, title, note and `vocabulary_hash`.

    A comparison has `rows` instead of tokens: snapshots of the same text, whose states are also the `rows` of its own
    state.
    """

    text: str
    state: Mapping[str, Any]
    ids: Sequence[int]
    starts: Sequence[int]
    ends: Sequence[int]
    pieces: Mapping[int, str | bytes]
    unknown: Sequence[int] = field(default=())
    special: Sequence[int] = field(default=())
    decoded: str = ""
    core_version: str = ""
    rows: Sequence[Snapshot] = field(default=())


NOTHING = Snapshot("", {}, (), (), (), {})
"""The empty content of a snapshot that is expired, deleted or removed."""


def content_hash(snapshot: Snapshot) -> str:
    """The hash of text and state in hexadecimal, independent of the order of keys.

    Raises ValueError for a state that is not JSON.
    """
    try:
        return sha256(_json({"text": snapshot.text, "state": snapshot.state})).hexdigest()
    except TypeError as error:
        raise ValueError(str(error)) from None


def pack(snapshot: Snapshot) -> bytes:
    """The snapshot as compressed JSON.

    >>> low = Snapshot("low low", {"algorithm": "bpe"}, (5, 6, 5), (0, 3, 4), (3, 4, 7), {5: "low", 6: b" "})
    >>> unpack(pack(low)) == low
    True
    """
    packed = {"text": snapshot.text, "state": snapshot.state, **_tokens(snapshot)}
    if snapshot.rows:
        packed["rows"] = [_tokens(row) for row in snapshot.rows]
    return zstandard.compress(_json(packed))


def unpack(content: bytes) -> Snapshot:
    """The snapshot from the bytes of `pack`; its sequences are tuples."""
    stored = json.loads(zstandard.decompress(content).decode("utf-8", "surrogatepass"))
    text, state = stored["text"], stored["state"]
    pairs = zip(state.get("rows", ()), stored.get("rows", ()), strict=True)
    rows = tuple(_snapshot(text, row_state, row) for row_state, row in pairs)
    return replace(_snapshot(text, state, stored), rows=rows)


def _tokens(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "ids": list(snapshot.ids),
        # Differences are small and repetitive: compressed, they take a quarter of the space of offsets.
        "steps": [later - earlier for earlier, later in pairwise((0, *snapshot.starts))],
        "lengths": [end - start for start, end in zip(snapshot.starts, snapshot.ends, strict=True)],
        "pieces": {str(id): piece for id, piece in snapshot.pieces.items() if isinstance(piece, str)},
        "bytes": {str(id): piece.hex() for id, piece in snapshot.pieces.items() if isinstance(piece, bytes)},
        "unknown": sorted(snapshot.unknown),
        "special": sorted(snapshot.special),
        "decoded": None if snapshot.decoded == snapshot.text else snapshot.decoded,
        "core_version": snapshot.core_version,
    }


def _snapshot(text: str, state: Mapping[str, Any], stored: Mapping[str, Any]) -> Snapshot:
    starts = tuple(accumulate(stored["steps"]))
    pieces: dict[int, str | bytes] = {int(id): piece for id, piece in stored["pieces"].items()}
    return Snapshot(
        text=text,
        state=state,
        ids=tuple(stored["ids"]),
        starts=starts,
        ends=_ends(starts, stored["lengths"]),
        pieces=pieces | {int(id): bytes.fromhex(piece) for id, piece in stored["bytes"].items()},
        unknown=tuple(stored["unknown"]),
        special=tuple(stored["special"]),
        decoded=text if stored["decoded"] is None else stored["decoded"],
        core_version=stored["core_version"],
    )


def _ends(starts: Iterable[int], lengths: Iterable[int]) -> tuple[int, ...]:
    return tuple(start + length for start, length in zip(starts, lengths, strict=True))


def _json(value: object) -> bytes:
    """JSON with sorted keys and no spaces, in UTF-8; lone surrogates stay unchanged."""
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return written.encode("utf-8", "surrogatepass")
