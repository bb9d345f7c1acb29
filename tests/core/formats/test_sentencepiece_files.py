"""Broken SentencePiece files get one clear sentence, soon, and no other error."""

import struct
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from tests.core.mutations import mutated_bytes, read_or_refused
from tests.core.sentencepieces import made, parsed, trained
from tests.core.texts import CORPUS
from webapp.core.formats import sentencepiece as format
from webapp.core.formats.reading import LARGEST_FILE
from webapp.core.formats.sentencepiece import FormatError
from webapp.core.text.character_map import CharacterMap, CharacterMapError

SMALL = [("<unk>", 0.0, 2), ("a", -1.0, 1), ("b", -2.0, 1)]
BYTES = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
SECONDS = 2.0


def refused(content: bytes) -> str:
    """Return the message a file is refused with."""
    started = time.process_time()
    with pytest.raises(FormatError) as error:
        format.read(content)
    assert time.process_time() - started < SECONDS
    message = str(error.value)
    assert message
    assert "\n" not in message
    assert len(message) < 250
    return message


def with_map(blob: bytes) -> bytes:
    return made(SMALL, model_type=1, precompiled_charsmap=blob)


@pytest.fixture(scope="module")
def character_map() -> bytes:
    blob: bytes = parsed(trained(model_type="unigram")).normalizer_spec.precompiled_charsmap
    return blob


@pytest.mark.parametrize(
    ("pieces", "options", "message"),
    [
        ([], {}, "there are no pieces"),
        (SMALL[1:], {}, "one unknown piece, not 0"),
        ([*SMALL, ("<unk2>", 0.0, 2)], {}, "one unknown piece, not 2"),
        ([*SMALL, ("a", 0.0, 1)], {}, "'a' occurs twice"),
        ([*SMALL, ("", 0.0, 1)], {}, "the piece with the id 3 is empty"),
        ([*SMALL, ("c", float("nan"), 1)], {}, "'c' is nan, which is not a number"),
        ([*SMALL, ("c", float("-inf"), 1)], {}, "'c' is -inf, which is not a number"),
        ([*SMALL, ("x" * 9000, 0.0, 1)], {}, "9,000 bytes is too long"),
        ([*SMALL, ("c\0", 0.0, 1)], {}, "contains a null character"),
        (SMALL, {"byte_fallback": True}, "needs the 256 byte pieces"),
        ([*SMALL, *BYTES[:-1], ("<0x100>", 0.0, 6)], {"byte_fallback": True}, "needs the 256 byte pieces"),
        ([*SMALL, *BYTES], {}, "byte fallback is off"),
    ],
)
def test_contradictory_models(pieces: list[tuple[str, float, int]], options: dict[str, Any], message: str) -> None:
    assert message in refused(made(pieces, model_type=1, **options))


def test_files_of_other_formats_are_refused(shared: Path) -> None:
    for path in sorted((shared / "vocabularies").rglob("*")):
        if path.is_file() and path.suffix != ".model":
            refused(path.read_bytes())
    for content in (b"", b"\0" * 1000, b"\n", b"#version: 0.2\ne s\n", "研究 5\n".encode(), bytes(range(256))):
        refused(content)


def test_unknown_types_of_pieces_and_models_are_refused() -> None:
    message = parsed(made(SMALL, model_type=1)).SerializeToString()
    assert "the model type 9" in refused(message + b"\x12\x02\x18\x09")
    assert "99 is not a piece type" in refused(message + b"\n\x05\n\x01c\x18\x63")
    assert "not valid UTF-8" in refused(message + b"\n\x04\n\x02c\xff")


def test_a_model_that_is_too_large_is_refused() -> None:
    assert "bytes, too many" in refused(b"\0" * (LARGEST_FILE + 1))
    assert "pieces, too many" in refused(b"\n\0" * 3_100_000)


def test_hostile_lengths_and_nesting_are_refused() -> None:
    refused(b"\n\xff\xff\xff\xff\x0f")  # a piece of four gigabytes
    refused(b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f")
    refused(b"\x53" * 5_000_000)  # groups in groups
    refused(b"\n\0" * 1_000_000)  # a million empty pieces


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda blob: blob[:3], "wrong length"),
        (lambda blob: struct.pack("<I", 1 << 31) + blob[4:], "wrong length"),
        (lambda blob: struct.pack("<I", 1030) + blob[4:], "wrong length"),
        (lambda blob: blob[:-1] + b"x", "have no end"),
        (lambda blob: blob[:-3] + b"\xff\xff\0", "not valid UTF-8"),
        (lambda blob: blob[:4] + b"\0" * (len(blob) - 4), "a branch without a replacement"),
        (lambda blob: blob[:4] + b"\xff\xff\xff\x7f" + blob[8:], "points outside"),
        # Every unit is the letter "a" and leads back to itself: a trie without an end.
        (lambda blob: struct.pack("<I", 1024) + struct.pack("<I", 0x61) * 256 + b"a\0", "has a cycle"),
    ],
)
def test_broken_character_maps(character_map: bytes, change: Callable[[bytes], bytes], message: str) -> None:
    with pytest.raises(CharacterMapError, match=message):
        CharacterMap.read(change(character_map))
    assert "the character map" in refused(with_map(change(character_map)))


@given(random=st.integers(0, 1 << 32).map(Random))
def test_mutated_character_maps_are_read_or_refused(random: Random) -> None:
    message = parsed(trained(model_type="unigram"))
    message.normalizer_spec.precompiled_charsmap = mutated_bytes(message.normalizer_spec.precompiled_charsmap, random)
    read_or_refused(message.SerializeToString())


@given(random=st.integers(0, 1 << 32).map(Random))
def test_mutated_pieces_equal_sentencepiece(random: Random) -> None:
    """Where both read a mutated model without its character map, they agree on its content."""
    message = parsed(trained(model_type="bpe"))
    message.normalizer_spec.ClearField("precompiled_charsmap")
    content = mutated_bytes(message.SerializeToString(), random)
    try:
        ours = format.read(content)
        theirs = sentencepiece.SentencePieceProcessor(model_proto=content)
        expected = theirs.encode(CORPUS[:500])
    except (FormatError, RuntimeError):
        return
    assert ours.ids(CORPUS[:500]) == expected
