"""Normalizers: the text and the offsets of its characters, as in `tokenizers`."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer
from tokenizers import models as their_models
from tokenizers import normalizers as theirs

from tests.core.texts import NEWER, any_text
from webapp.core.text import normalizers as ours
from webapp.core.text.alignment import AlignedText

PAIRS: list[tuple[ours.Normalizer, Any]] = [
    (ours.NFC(), theirs.NFC()),
    (ours.NFD(), theirs.NFD()),
    (ours.NFKC(), theirs.NFKC()),
    (ours.NFKD(), theirs.NFKD()),
    (ours.Lowercase(), theirs.Lowercase()),
    (ours.Prepend("▁"), theirs.Prepend("▁")),
    (ours.Replace("[ei]+", "<>"), theirs.Replace(Regex("[ei]+"), "<>")),
    (ours.Replace(" ", "▁"), theirs.Replace(" ", "▁")),
    (ours.BertNormalizer(), theirs.BertNormalizer()),
    (ours.BertNormalizer(lowercase=False), theirs.BertNormalizer(lowercase=False)),
    (
        ours.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False),
        theirs.BertNormalizer(
            clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False
        ),
    ),
    (
        ours.NormalizerSequence((ours.NFD(), ours.Lowercase(), ours.NFKC(), ours.Prepend("▁"))),
        theirs.Sequence([theirs.NFD(), theirs.Lowercase(), theirs.NFKC(), theirs.Prepend("▁")]),
    ),
]  # fmt: skip


def characters_with_offsets(normalizer: Any, text: str) -> list[tuple[int, int]]:
    """Encode with a model that knows no piece: one unknown token per character, with its offsets."""
    tokenizer = Tokenizer(their_models.BPE(vocab={"<unk>": 0}, merges=[], unk_token="<unk>"))
    tokenizer.normalizer = normalizer
    return tokenizer.encode(text).offsets


@pytest.mark.parametrize(("our", "their"), PAIRS, ids=lambda one: repr(one)[:40])
@given(text=any_text)
def test_text_and_offsets_equal_tokenizers(our: ours.Normalizer, their: Any, text: str) -> None:
    aligned = our.align(AlignedText.of(text))
    assert our.normalize(text) == aligned.text == their.normalize_str(text)
    if "<unk>" in aligned.text:
        return  # the model would read it as one token
    assert list(zip(aligned.starts, aligned.ends, strict=True)) == characters_with_offsets(their, text)


@given(
    text=st.lists(
        st.sampled_from(["e", "a", "\u0301", "\u0323", "\u0308", "\u0344", "é", "\u212b", "ậ", "가", "\u1100",
                         "\u1161", "\u11a8", "\u0f71", "\u0f72", "\u0f73", "\u0f81", "\U0001d165", "\u0958"]),
        max_size=10,
    ).map("".join)
)  # fmt: skip
def test_unicode_forms_on_combining_marks_in_any_order(text: str) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        aligned = getattr(ours, form)().align(AlignedText.of(text))
        assert aligned.text == unicodedata.normalize(form, text)
        assert list(zip(aligned.starts, aligned.ends, strict=True)) == characters_with_offsets(
            getattr(theirs, form)(), text
        )


@pytest.mark.exhaustive
def test_bert_normalizer_on_every_code_point() -> None:
    assigned = [
        chr(code)
        for code in range(0x110000)
        if chr(code) not in NEWER and unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")
    ]
    for options in ({"lowercase": False}, {"lowercase": True}):
        our, their = ours.BertNormalizer(**options), theirs.BertNormalizer(**options)
        text = "x".join(assigned)
        expected = their.normalize_str(text).split("x")
        assert our.normalize(text).split("x") == expected


@given(text=any_text)
def test_bert_words_equal_a_split_at_white_space(text: str) -> None:
    normalizer = ours.BertNormalizer()
    spans = normalizer.word_spans(text)
    assert [word for word, _, _ in spans] == normalizer.words(text)
    assert all(text[start:end] == word for word, start, end in spans)
    # Word by word equals the text as a whole.
    together = normalizer.normalize(text).split(" ")
    one_by_one = [piece for word in normalizer.words(text) for piece in normalizer.normalize(word).split(" ")]
    assert [piece for piece in together if piece] == [piece for piece in one_by_one if piece]


def test_alignment_through_lengthening_and_shortening() -> None:
    normalizer = ours.NormalizerSequence((ours.NFKC(), ours.Lowercase()))
    aligned = normalizer.align(AlignedText.of("ﬁ½Ae\u0301İ"))
    assert aligned.text == "fi1⁄2aéi̇"
    assert list(aligned.starts) == [0, 0, 1, 1, 1, 2, 3, 5, 5]
    assert list(aligned.ends) == [1, 1, 2, 2, 2, 3, 4, 6, 6]
