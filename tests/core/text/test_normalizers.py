"""Normalizers, decoders and the tables of Unicode."""

import codecs
import re
import time
import unicodedata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.text.unicode_tables import tables
from webapp.core.text.alignment import AlignedText
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.character_normalizers import Precompiled
from webapp.core.text.composition import _NEWER, _SEGMENT, Form, form_edits, normalized
from webapp.core.text.decoders import ReplaceDecoder
from webapp.core.text.growth import LONGEST, MOST_NORMALIZED, GrowthError
from webapp.core.text.normalizers import NFC, NFKC, NFKD, Normalizer, Replace
from webapp.core.text.sentencepiece_normalizer import SentencePieceNormalizer
from webapp.core.text.unicode_tables import TABLES
from webapp.core.text.utf8 import Utf8Decoder, following_bytes, missing_bytes

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
MEGABYTE = 1_000_000
JOINING = "\u0301\u0327\u0344\u1161\u11a8\u3099\uff9e\u09be\u09d7"
texts = st.text(
    st.sampled_from("ae가각ᄀㅏがｶ\ufdfaﬁé\u1f82ক\u09c7\u0130" + JOINING) | st.characters(exclude_categories=["Cs"])
)


@given(text=texts, long=st.sampled_from(["", "e" + "\u0301\u0327" * 60]))
def test_the_segments_together_are_the_form(text: str, long: str) -> None:
    text += long
    for form in FORMS:
        edited = AlignedText.of(text).edited(form_edits(form, text))
        assert edited.text == normalized(form, text)
        assert list(edited.starts) == sorted(edited.starts)
        if not _NEWER.search(text):
            assert edited.text == unicodedata.normalize(form, text)


@pytest.mark.exhaustive
def test_no_segment_begins_with_what_joins_the_one_before() -> None:
    seconds = {"\u0301"}
    for code in range(0x110000):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            seconds.add(chr(int(parts[1], 16)))
    seconds |= {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x110000)):
        if len(_SEGMENT.findall("a" + chr(code))) == 2:
            for form in ("NFD", "NFKD"):
                first = unicodedata.normalize(form, chr(code))[0]
                assert not unicodedata.combining(first), hex(code)
                assert first not in seconds, hex(code)


GROWING: list[Normalizer] = [
    NFKC(),
    NFKD(),
    Replace("\ufdfa", "ab" * 9),
    Replace("\ufdfa+?", "ab" * 9),
    Precompiled(CharacterMap.of({"\ufdfa": "ab" * 9})),
    SentencePieceNormalizer(CharacterMap.of({"\ufdfa": "ab" * 9, "bc": "d"})),
]


@pytest.mark.parametrize("normalizer", GROWING, ids=lambda normalizer: type(normalizer).__name__)
def test_a_text_that_grows_eighteen_times_is_refused_before_later_steps(normalizer: Normalizer) -> None:
    text = "\ufdfa" * (MEGABYTE // 3)
    began = time.process_time()
    with pytest.raises(GrowthError, match=f"{MOST_NORMALIZED:,}"):
        normalizer.normalize(text)
    with pytest.raises(GrowthError):
        normalizer.align(AlignedText.of(text))
    assert time.process_time() - began < 20  # about 1 s


def test_a_shorter_one_and_ordinary_growth_are_not() -> None:
    assert len(NFKC().normalize("\ufdfa" * 100_000)) == 1_800_000
    assert len(NFKD().normalize("각" * (MEGABYTE // 3))) == 999_999
    assert len(NFC().align(AlignedText.of("e\u0301" * 300_000)).text) == 300_000


def test_a_decoder_may_shrink_a_long_text_but_not_make_one() -> None:
    for pattern, regular in (("a", False), ("a|b", True), ("", False)):
        step = ReplaceDecoder(pattern, "b" * 1000, regular=regular)
        assert len(step.change(["a"])[0]) in (1000, 2001)
        with pytest.raises(GrowthError, match=f"{LONGEST:,}"):
            step.change(["a" * (LONGEST // 2000), "a" * (LONGEST // 1500)])
    assert ReplaceDecoder("aa", "a").change(["a" * LONGEST, "aa"]) == ["a" * (LONGEST // 2), "a"]


# Bytes at the borders of the ranges of table 3-7, where decoders go wrong.
BORDERS = st.sampled_from(bytes.fromhex("00 61 7f 80 8f 90 9f a0 bd bf c0 c1 c2 c3 df e0 e4 ed ef f0 f3 f4 f5 ff"))
ENCODED = st.text(min_size=1, max_size=4).map(lambda text: text.encode("utf-8", "surrogatepass"))
CUT = st.tuples(ENCODED, st.integers(0, 8)).map(lambda pair: pair[0][: pair[1]])
PARTS = st.lists(st.lists(BORDERS, max_size=5).map(bytes) | ENCODED | CUT | st.binary(max_size=6), max_size=8)


@given(parts=PARTS)
def test_it_prints_the_same_as_pythons_decoder_and_reports_each_invalid_byte(parts: list[bytes]) -> None:
    ours, each, python = Utf8Decoder(), Utf8Decoder(each_byte=True), codecs.getincrementaldecoder("utf-8")("replace")
    printed = theirs = text = ""
    invalid = b""
    for part in parts:
        waiting = each.pending
        text += each.feed(part)
        invalid += each.invalid
        # Pending bytes are completed, or broken at their beginning, or pending still.
        assert set(each.broken) <= ({"\ufffd"} if waiting else set())
        printed += ours.feed(part)
        theirs += python.decode(part)
        kept = python.getstate()[0]
        # Python waits for the third byte of a surrogate, though none makes it valid.
        if len(kept) == 2 and kept[0] == 0xED and kept[1] >= 0xA0:
            assert (printed, ours.pending) == (theirs + "\ufffd" * 2, b"")
        else:
            assert (printed, ours.pending) == (theirs, kept)
    assert printed + ours.finish() == theirs + python.decode(b"", final=True)
    assert ours.pending == b""
    text += each.finish()
    escaped = b"".join(parts).decode("utf-8", "surrogateescape")
    assert text == re.sub("[\udc80-\udcff]", "\ufffd", escaped)
    assert len(invalid + each.invalid) == len(re.findall("[\udc80-\udcff]", escaped))


def test_the_missing_bytes_are_exactly_those_that_complete_the_character() -> None:
    for pending in (b"\xc3", b"\xe0\xa4", b"\xed\x9f", b"\xf0\x9f\x8e", b"\xf4\x8f\xbf"):
        ((low, high),) = missing_bytes(pending)
        completing = [byte for byte in range(256) if _is_one_character(pending + bytes([byte]))]
        assert completing == list(range(low, high + 1))
    for lead in range(256):
        ranges = following_bytes(lead)
        if ranges is None:
            assert not any(_is_one_character(bytes([lead, *rest])) for rest in product(range(0x80, 0xC0, 9), repeat=2))
            continue
        assert all(_is_one_character(bytes([lead, *ends])) for ends in product(*ranges))
    assert missing_bytes(b"") == ()


def _is_one_character(data: bytes) -> bool:
    try:
        return len(data.decode()) == 1
    except UnicodeDecodeError:
        return False


MOVED = """regex, Python, tokenizers or tiktoken has another version of Unicode than the tables. Run
    python -m tests.core.text.unicode_tables
    python -m pytest -m exhaustive tests/core/text tests/core/formats
look at the difference, and commit the table if the second command passes."""


@pytest.mark.exhaustive
def test_the_tables_are_those_of_the_libraries() -> None:
    assert tables() == TABLES, MOVED
