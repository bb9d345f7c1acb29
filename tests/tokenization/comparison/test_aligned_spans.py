"""Texts in aligned spans: no text is lost, no token counted twice, and spans wrap as units."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.analysis.agreement import agreement_of, token_boundaries
from webapp.core.encoding import Encoding
from webapp.rendering.graphemes import cluster_ends
from webapp.tokenization.comparison.aligned_markup import BLOCK, AlignedMarkup, as_text, blocks_of
from webapp.tokenization.comparison.aligned_spans import WIDEST, AlignedSpan, aligned_spans_of
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_tokenizer

ALPHABET = "ab lowest研究生命。é\u0301👨\u200d👩👍🏽\n\t\u202e\0ﬁمرحبا"
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=60)


def encodings(text: str, *names: str) -> list[Encoding]:
    return [shipped_tokenizer(name).encode(text) for name in names or NAMES]


def spans_of(text: str, each: Sequence[Encoding], most: int = 10_000) -> list[AlignedSpan]:
    agreement = agreement_of(token_boundaries(one.starts, one.ends, len(text)) for one in each)
    return aligned_spans_of(text, each, agreement, most)


@given(TEXTS)
def test_every_row_has_the_whole_text_and_every_token(text: str) -> None:
    each = encodings(text)
    found = spans_of(text, each)
    assert "".join(text[stretch.start : stretch.end] for stretch in found) == text
    inside = cluster_ends(text)
    for row, encoding in enumerate(each):
        cells = [cell for stretch in found for cell in stretch.rows[row]]
        assert [cell.start for cell in cells] == [0, *(cell.end for cell in cells)][: len(cells)]
        assert sum(cell.tokens for cell in cells) == (len(encoding) if text else 0)
        assert all(cell.start <= cell.first <= cell.last <= cell.end for cell in cells)
        assert not any(cell.start in inside for cell in cells)  # never inside one visible character
    assert all(stretch.rows and all(stretch.rows) for stretch in found)


@given(TEXTS)
def test_a_boundary_of_only_some_rows_is_marked(text: str) -> None:
    each = encodings(text)
    agreement = agreement_of(token_boundaries(one.starts, one.ends, len(text)) for one in each)
    inside = cluster_ends(text)
    found = spans_of(text, each)
    for row, cuts in enumerate(agreement.each):
        pins = [cell.start for stretch in found for cell in stretch.rows[row] if cell.alone]
        assert pins == [cut for cut in cuts if cut not in agreement.agreed and cut not in inside]


def test_agreeing_tokens_are_separate_spans_and_differing_ones_one_span() -> None:
    text = "Unbelievably low"
    found = spans_of(text, encodings(text, "bpe-bytes", "wordpiece"))
    assert [text[stretch.start : stretch.end] for stretch in found] == ["Un", "believ", "ably", " low"]
    assert [stretch.disputed for stretch in found] == [False, True, False, False]
    one, other = (
        token_boundaries(each.starts, each.ends, len(text)) for each in encodings(text, "bpe-bytes", "wordpiece")
    )
    assert as_text(text, one, len(text)) == "Un | bel | ie | v | ably |  low"
    assert as_text(text, other, 9) == "Un | b | eliev | a"


def test_a_span_fits_on_a_phone() -> None:
    text = "x" * 300 + "研" * 100 + "\n\nend"
    found = spans_of(text, encodings(text, "bpe-bytes", "unigram"))
    assert max(stretch.end - stretch.start for stretch in found) <= WIDEST
    assert [text[stretch.start : stretch.end] for stretch in found if stretch.ends_line] in (["\n\n"], ["研\n\n"])
    with_one = spans_of("y" * 100, [shipped_tokenizer("wordpiece").encode("y" * 100)])
    assert len(with_one) >= 4


def test_a_long_text_is_drawn_up_to_a_shared_boundary() -> None:
    text = "however little known " * 1000
    found = spans_of(text, encodings(text), most=500)
    assert 480 <= found[-1].end <= 500
    assert found[-1].end in agreement_of(token_boundaries(e.starts, e.ends, len(text)) for e in encodings(text)).agreed


def test_columns_come_in_pieces_that_the_style_sheet_can_highlight() -> None:
    text = "It rains. " + "no end " * 300
    found = spans_of(text, encodings(text, "bpe-bytes", "unigram"))
    pieces = list(blocks_of(found, text))
    assert [stretch for piece in pieces for stretch in piece] == found
    assert max(map(len, pieces)) == BLOCK


@pytest.mark.parametrize("layout", ["lines", "columns"])
def test_markup_in_a_text_is_escaped(layout: str) -> None:
    text = "<script>alert(1)</script> & \x07 مرحبا"
    found = spans_of(text, encodings(text, "bpe-bytes", "unigram"))
    html = AlignedMarkup(text, found, [1, 2]).html("columns" if layout == "columns" else "lines")
    assert "<script" not in html
    assert "⟨0007⟩" in html
    assert ('dir="rtl"' in html) == (layout == "lines")
