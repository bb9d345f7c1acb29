"""Aligned columns as HTML and as a picture: escaped, in the right direction, with joined letters and marks."""

from __future__ import annotations

import re

from tests.tokenization.comparison.test_aligned_spans import columns_of, encodings
from webapp import create_app
from webapp.tokenization.comparison.aligned_markup import AlignedMarkup, first_tints, passages_of


def html_of(text: str, *names: str, show: bool = False) -> str:
    """Return the HTML of all passages of a text."""
    columns = columns_of(text, encodings(text, *names))
    tints = list(first_tints(columns))
    with create_app().test_request_context("/compare"):
        markup = AlignedMarkup(text, list(range(1, len(names or "abcd") + 1)), show=show)
        parts, done = [], 0
        for passage in passages_of(columns):
            parts.append(markup.html(passage, tints[done : done + len(passage.columns)]))
            done += len(passage.columns)
    return "".join(parts)


def test_markup_in_a_text_is_escaped_and_its_directions_are_kept() -> None:
    html = html_of("<script>alert(1)</script> & \x07 مرحبا", "bpe-bytes", "unigram")
    assert "<script" not in html
    assert "⟨0007⟩" in html
    assert '&rlm;<span class="col' in html
    assert ' dir="rtl"' in html


def test_a_column_of_a_text_in_one_direction_has_no_attributes_of_direction() -> None:
    assert "dir=" not in html_of("however little", "bpe-bytes", "unigram")


def test_the_marks_of_tokens() -> None:
    shared = html_of("龘", "bpe-bytes", "wordpiece")
    assert re.search(r'<i class="k1 b"( data-n="\d")? title="\d tokens">龘</i>', shared)
    assert re.search(r'<i class="k1 u">龘</i>', shared)
    assert ">↵</i>" in html_of("a\nb", "bpe-bytes", "unigram")
    crossing = html_of("x" * 150, "wordpiece")  # one unknown token in several columns
    assert re.search(r'<i class="k1 o u"', crossing)


def test_letters_that_are_joined_across_columns_keep_their_shapes() -> None:
    html = html_of("سلامسلام", "bpe-characters")  # one row, which has every letter in a column of its own
    assert re.search(r'class="col j"', html)
    assert re.search(r'class="col p', html)
