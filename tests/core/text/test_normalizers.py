"""Normalizers: the text and the offsets of its characters, as in `tokenizers`."""

import unicodedata
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers import models as their_models
from tokenizers import normalizers as theirs

from tests.core.texts import any_text
from webapp.core.text import normalizers as ours
from webapp.core.text.alignment import AlignedText


def characters_with_offsets(normalizer: Any, text: str) -> list[tuple[int, int]]:
    """Encode with a model that knows no piece: one unknown token per character, with its offsets."""
    tokenizer = Tokenizer(their_models.BPE(vocab={"<unk>": 0}, merges=[], unk_token="<unk>"))
    tokenizer.normalizer = normalizer
    return tokenizer.encode(text).offsets


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
