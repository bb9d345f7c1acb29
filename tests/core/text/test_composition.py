"""Unicode's forms by segments: the text is `unicodedata`'s, and no segment depends on those around it."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.text.alignment import AlignedText
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.character_normalizers import Precompiled
from webapp.core.text.composition import _NEWER, _SEGMENT, Form, form_edits, normalized
from webapp.core.text.growth import MOST_NORMALIZED, GrowthError
from webapp.core.text.normalizers import NFC, NFKC, NFKD, Normalizer, Replace
from webapp.core.text.sentencepiece_normalizer import SentencePieceNormalizer

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
MEGABYTE = 1_000_000
JOINING = "\u0301\u0327\u0344\u1161\u11a8\u3099\uff9e\u09be\u09d7"
texts = st.text(
    st.sampled_from("ae가각ᄀㅏがｶ\ufdfaﬁé\u1f82ক\u09c7\u0130" + JOINING) | st.characters(exclude_categories=["Cs"])
)


@given(texts)
def test_the_segments_together_are_the_form(text: str) -> None:
    for form in FORMS:
        edited = AlignedText.of(text).edited(form_edits(form, text))
        assert edited.text == normalized(form, text)
        assert list(edited.starts) == sorted(edited.starts)
        if not _NEWER.search(text):
            assert edited.text == unicodedata.normalize(form, text)


@given(texts)
def test_a_long_run_of_marks_is_sorted_as_by_unicodedata(text: str) -> None:
    if _NEWER.search(text):
        return
    marks = "e" + "\u0301\u0327" * 60
    for form in FORMS:
        assert normalized(form, text + marks) == unicodedata.normalize(form, text + marks)


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
