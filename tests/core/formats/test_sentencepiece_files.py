"""SentencePiece's files: written for both libraries, refused if they are broken."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sentencepiece
import tokenizers
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.core.mutations import mutated_bytes, read_or_refused
from tests.core.sentencepieces import made, parsed, trained
from tests.core.texts import CORPUS, any_text
from webapp.core.formats import huggingface
from webapp.core.formats import sentencepiece as format
from webapp.core.formats import sentencepiece as reader
from webapp.core.formats.reading import LARGEST_FILE, FormatError
from webapp.core.formats.recognize import load
from webapp.core.models.scored_pieces import NAMED_BYTES
from webapp.core.recipes import UNIGRAM, sentencepiece_tokenizer
from webapp.core.text.character_map import CharacterMap, CharacterMapError
from webapp.core.text.normalizers import NFC
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import unigram

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


VARIANTS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram"},
    "bpe-bytes": {"model_type": "bpe", "byte_fallback": True, "vocab_size": 700},
    "word": {"model_type": "word", "user_defined_symbols": "<sep>", "normalization_rule_name": "nmt_nfkc_cf"},
    "char": {"model_type": "char", "treat_whitespace_as_suffix": True, "normalization_rule_name": "identity"},
}
SPECIAL = {"<s>": 1, "</s>": 2}


@dataclass
class Both:
    """A tokenizer of this site, and its two files in the original libraries."""

    ours: Tokenizer
    sentencepiece: Any
    tokenizers: Any

    @classmethod
    def of(cls, ours: Tokenizer) -> Both:
        model = reader.write(ours)
        theirs = tokenizers.Tokenizer.from_str(huggingface.write(ours))
        theirs.encode_special_tokens = True
        return cls(ours, sentencepiece.SentencePieceProcessor(model_proto=model), theirs)


def bpe(*, byte_fallback: bool = False) -> Tokenizer:
    """A BPE of this site with SentencePiece's training pieces, as a trainer makes it."""
    message = reader.read(
        trained(model_type="bpe", remove_extra_whitespaces=False, normalization_rule_name="identity")
    ).model
    pieces, scores = [*message.pieces], [*message.scores]  # type: ignore[attr-defined]
    if byte_fallback:
        pieces += NAMED_BYTES
        scores += [0.0] * 256
    return sentencepiece_tokenizer(pieces, scores, algorithm="bpe", special_tokens=SPECIAL)


def own_unigram() -> Tokenizer:
    """A Unigram vocabulary of this site's trainer."""
    model = unigram.train(UNIGRAM.count(CORPUS), 300).model
    pieces = [model.pieces[0], *SPECIAL, *model.pieces[1:]]
    scores = [0.0, 0.0, 0.0, *model.scores[1:]]
    return sentencepiece_tokenizer(pieces, scores, algorithm="unigram", special_tokens=SPECIAL)


@pytest.fixture(scope="module", params=["unigram", "bpe", "bpe-bytes"])
def both(request: pytest.FixtureRequest) -> Both:
    return Both.of(own_unigram() if request.param == "unigram" else bpe(byte_fallback="bytes" in request.param))


@given(text=any_text)
def test_a_trained_vocabulary_has_the_same_ids_in_both_libraries(both: Both, text: str) -> None:
    assume(not any(token in text for token in ("<unk>", *SPECIAL)))
    ids = both.ours.ids(text)
    assert ids == both.sentencepiece.encode(text) == both.tokenizers.encode(text).ids
    assert both.ours.decode(ids) == both.sentencepiece.decode(ids)
    if both.ours.model.unknown_id not in ids and "▁" not in text:
        assert both.ours.decode(ids) == text == both.tokenizers.decode(ids)


def test_control_pieces(both: Both) -> None:
    assert both.sentencepiece.is_control(1)
    assert both.sentencepiece.bos_id() == 1
    assert both.tokenizers.token_to_id("</s>") == 2
    both.tokenizers.encode_special_tokens = False
    assert both.tokenizers.encode("<s>").ids == both.ours.ids("<s>", special=True)
    both.tokenizers.encode_special_tokens = True


@st.composite
def small_bpe(draw: st.DrawFn) -> Tokenizer:
    """A BPE over two letters, in which many pieces overlap with themselves."""
    pieces, scores = ["<unk>", "▁", "a", "b"], [0.0, -100.0, -101.0, -102.0]
    for rank in range(draw(st.integers(1, 9))):
        parts = st.sampled_from(pieces[1:])
        piece = draw(parts) + draw(parts)
        if piece not in pieces and len(piece) < 9:
            pieces.append(piece)
            scores.append(-float(rank))
    return sentencepiece_tokenizer(pieces, scores, algorithm="bpe")


@given(tokenizer=small_bpe(), text=st.text("ab ", max_size=20))
def test_merges_are_derived_from_scores(tokenizer: Tokenizer, text: str) -> None:
    theirs = tokenizers.Tokenizer.from_str(huggingface.write(tokenizer))
    model = sentencepiece.SentencePieceProcessor(model_proto=reader.write(tokenizer))
    assert tokenizer.ids(text) == theirs.encode(text).ids == model.encode(text)


@st.composite
def small_unigram(draw: st.DrawFn) -> Tokenizer:
    """A Unigram vocabulary over two letters, in which many paths have almost the same score."""
    pieces = draw(st.lists(st.text("ab▁", min_size=1, max_size=4), min_size=1, max_size=12, unique=True))
    scores = draw(
        st.lists(st.sampled_from([-1.0, -2.001, -3.0, -3.3, -6.0]), min_size=len(pieces), max_size=len(pieces))
    )
    return sentencepiece_tokenizer(["<unk>", *pieces], [0.0, *scores], algorithm="unigram")


@given(tokenizer=small_unigram(), text=st.text("abc ", max_size=20))
def test_equal_paths_of_unigram(tokenizer: Tokenizer, text: str) -> None:
    theirs = tokenizers.Tokenizer.from_str(huggingface.write(tokenizer))
    model = sentencepiece.SentencePieceProcessor(model_proto=reader.write(tokenizer))
    assert tokenizer.ids(text) == theirs.encode(text).ids == model.encode(text)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_model_of_sentencepiece_is_written_as_it_was_read(name: str) -> None:
    content = trained(**VARIANTS[name])
    ours = reader.read(content)
    written = sentencepiece.SentencePieceProcessor(model_proto=reader.write(ours))
    original = sentencepiece.SentencePieceProcessor(model_proto=content)
    again = reader.read(reader.write(ours))
    assert (again.normalizer, again.decoder) == (ours.normalizer, ours.decoder)
    assert (again.added_tokens, again.postprocessor) == (ours.added_tokens, ours.postprocessor)
    assert again.model.vocabulary.kinds == ours.model.vocabulary.kinds  # type: ignore[attr-defined]
    for text in (CORPUS[:2000], "  Ünknown ﬁne <sep>\t東京 x ", ""):
        ids = original.encode(text)
        assert written.encode(text) == ids == ours.ids(text)
        assert written.decode(ids) == original.decode(ids)


def test_llama_2_in_both_libraries(shared: Path) -> None:
    both = Both.of(reader.read((shared / "vocabularies" / "sentencepiece" / "llama2.model").read_bytes()))
    for text in (CORPUS[:3000], "x" + " " * 37 + "y龘\n\n", "-" * 50 + "=" * 33):
        assert both.ours.ids(text) == both.sentencepiece.encode(text) == both.tokenizers.encode(text).ids


def test_what_a_model_cannot_hold_is_refused() -> None:
    with pytest.raises(FormatError, match="WordPiece cannot be written to a SentencePiece model"):
        reader.write(load(b"[UNK]\nlow\n"))
    pieces, scores = ["<unk>", "a"], [0.0, -1.0]
    with_nfc = sentencepiece_tokenizer(pieces, scores, algorithm="unigram", normalizer=NFC())
    with pytest.raises(FormatError, match="implies SentencePiece's pipeline"):
        reader.write(with_nfc)
    composed = tokenizers.Tokenizer.from_str(huggingface.write(with_nfc))
    assert composed.encode("e\u0301a").ids == with_nfc.ids("e\u0301a")
    with pytest.raises(FormatError, match=r"would round the score -0\.1"):
        reader.write(sentencepiece_tokenizer(pieces, [0.0, -0.1], algorithm="bpe"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model_type": "bpe"}, "the normalizer of this SentencePiece model"),
        ({"model_type": "bpe", "user_defined_symbols": "<sep>"}, "the user-defined piece"),
        ({"model_type": "word"}, "SentencePieceWords cannot be written"),
    ],
)
def test_what_a_tokenizer_json_cannot_hold_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        huggingface.write(reader.read(trained(**options)))


def test_pieces_of_equal_score_leave_the_order_of_merges_open() -> None:
    tokenizer = sentencepiece_tokenizer(["<unk>", "a", "b", "ab", "ba"], [0.0, -9.0, -9.0, -1.0, -1.0], algorithm="bpe")
    with pytest.raises(FormatError, match="have the same score"):
        huggingface.write(tokenizer)
    tokenizer = sentencepiece_tokenizer(["<unk>", "a", "ab"], [0.0, -9.0, -1.0], algorithm="bpe")
    with pytest.raises(FormatError, match="contains a character that is no piece"):
        huggingface.write(tokenizer)
