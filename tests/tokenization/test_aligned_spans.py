"""Texts in aligned columns: no text is lost, no token counted twice, and columns wrap as units."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from webapp import create_app
from webapp.core.analysis.measures import Agreement, agreement_of, token_boundaries
from webapp.core.encoding import Encoding
from webapp.rendering.graphemes import cluster_ends
from webapp.tokenization.comparison.aligned_markup import (
    LONGEST,
    MOST_LINES,
    AlignedMarkup,
    as_text,
    first_tints,
    passages_of,
)
from webapp.tokenization.comparison.aligned_spans import WIDEST, AlignedSpan, aligned_spans_of, span_counts
from webapp.vocabularies.shipped_vocabularies import NAMES, shipped_tokenizer

ALPHABET = "ab lowest研究生命。é\u0301👨\u200d👩👍🏽\n\t\u202e\0ﬁمرحبا"
TEXTS = st.text(st.sampled_from(ALPHABET), max_size=60)


def encodings(text: str, *names: str) -> list[Encoding]:
    return [shipped_tokenizer(name).encode(text) for name in names or NAMES]


def agreement(text: str, each: Sequence[Encoding]) -> Agreement:
    return agreement_of(token_boundaries(one.starts, one.ends, len(text)) for one in each)


def columns_of(text: str, each: Sequence[Encoding], most: int = 10_000) -> list[AlignedSpan]:
    return aligned_spans_of(text, each, agreement(text, each), most)


@given(TEXTS)
def test_every_row_has_the_whole_text_and_every_token(text: str) -> None:
    each = encodings(text)
    found = columns_of(text, each)
    assert "".join(text[column.start : column.end] for column in found) == text
    inside = cluster_ends(text)
    for row, encoding in enumerate(each):
        cells = [cell for column in found for cell in column.rows[row]]
        assert [cell.start for cell in cells] == [0, *(cell.end for cell in cells)][: len(cells)]
        assert sum(cell.tokens for cell in cells) == (len(encoding) if text else 0)
        assert all(cell.start <= cell.first <= cell.last <= cell.end for cell in cells)
        assert not any(cell.start in inside for cell in cells)  # never inside one visible character
    assert all(column.rows and all(column.rows) for column in found)
    counts = span_counts(text, each, agreement(text, each), inside)
    starts = [column for column in found if column.starts]
    assert (counts.spans, counts.differing) == (len(starts), sum(column.ways > 1 for column in starts))


def test_agreeing_tokens_are_separate_columns_and_differing_ones_one_column() -> None:
    text = "Unbelievably low"
    found = columns_of(text, encodings(text, "bpe-bytes", "wordpiece"))
    assert [text[column.start : column.end] for column in found] == ["Un", "bel", "ie", "vably", " low"]
    assert [column.ways for column in found] == [1, 1, 1, 2, 1]
    shared = agreement(text, encodings(text, "bpe-bytes", "wordpiece")).agreed
    assert as_text(text, sorted(shared), len(text)) == "Un | bel | ie | vably |  low"


def test_a_column_fits_on_a_phone() -> None:
    text = "x" * 300 + "研" * 100 + "\n\nend"
    found = columns_of(text, encodings(text, "bpe-bytes", "unigram"))
    assert max(column.end - column.start for column in found) <= WIDEST
    assert [text[column.start : column.end] for column in found if column.ends_line] in (["\n\n"], ["研\n\n"])


def test_a_long_text_is_drawn_up_to_a_shared_boundary() -> None:
    text = "however little known " * 1000
    found = columns_of(text, encodings(text), most=500)
    assert 480 <= found[-1].end <= 500
    assert found[-1].end in agreement(text, encodings(text)).agreed


def test_each_line_is_a_passage_unless_there_are_many_or_it_is_long() -> None:
    few = "one line\nanother one\n\nand a last one"
    passages = list(passages_of(columns_of(few, encodings(few, "bpe-bytes", "unigram"))))
    lines = [few[one.columns[0].start : one.columns[-1].end] for one in passages]
    assert lines == ["one line\n", "another one\n\n", "and a last one"]
    for text in ("ab\n" * 10 * MOST_LINES, "no end in the north of the country " * 100):
        found = columns_of(text, encodings(text, "bpe-bytes", "unigram"))
        passages = list(passages_of(found))
        assert [column for passage in passages for column in passage.columns] == found
        assert 1 < len(passages) < max(10, MOST_LINES)
        assert max(len(passage.columns) for passage in passages) <= LONGEST
        assert sum(passage.token_counts[0] for passage in passages) == len(encodings(text, "bpe-bytes")[0])


def html_of(text: str, *names: str) -> str:
    """Return the HTML of all passages of a text."""
    columns = columns_of(text, encodings(text, *names))
    with create_app().test_request_context("/compare"):
        markup = AlignedMarkup(text, list(range(1, len(names) + 1)), show=False)
        return "".join(markup.html(one, list(first_tints(one.columns))) for one in passages_of(columns))


def test_markup_in_a_text_is_escaped_and_its_directions_are_kept() -> None:
    html = html_of("<script>alert(1)</script> & \x07 مرحبا", "bpe-bytes", "unigram")
    assert "<script" not in html
    assert "⟨0007⟩" in html
    assert '&rlm;<span class="col' in html
    assert ' dir="rtl"' in html
