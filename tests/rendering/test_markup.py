"""Tokens as HTML: whole characters, no text lost, adjacent tokens in different colours."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from tests.site import Page
from webapp.core import recipes
from webapp.core.models.dictionary import Dictionary
from webapp.core.trainers import bpe
from webapp.rendering.graphemes import cluster_ends
from webapp.rendering.markup import COLOURS, Painter, chunks, ids_html, visible
from webapp.rendering.pictures.layout import cells
from webapp.vocabularies import matching, shipped_tokenizer

BYTES = recipes.BYTE_BPE.tokenizer(bpe.train_bytes({"hello": 3, " world": 2, "你好": 2}, 264).model)
EMOJI = "👨‍👩‍👧‍👦 🇨🇳🇩🇪 👍🏽 é नमस्ते 한국"
TEXTS = st.text(st.sampled_from("ab \n\t<&é\u0301\u200d👨👩🇨🇳한\u1112\u1161नम्\ufeff\x00你好"), max_size=40)


def painted(text: str, **options: object) -> Page:
    return Page(str(Painter(BYTES.encode(text), **options).html()))


def clusters(text: str) -> dict[int, int]:
    """Find every cluster of the text in the straightforward way."""
    found = {}
    for match in regex.finditer(r"\X", text):
        if match[0] != "\r\n":
            for start in range(match.start(), match.end(), 64):
                end = min(start + 64, match.end())
                found |= dict.fromkeys(range(start + 1, end), end)
    return found


@given(st.text(st.one_of(st.sampled_from(EMOJI + "\r\n\u0600\u0e33"), st.characters())))
def test_clusters_equal_those_of_a_full_scan(text: str) -> None:
    assert cluster_ends(text) == clusters(text)


@given(TEXTS)
def test_no_grapheme_is_split_and_no_text_is_lost(text: str) -> None:
    page = painted(text)
    shown = "".join(page.pieces)
    if text:
        # A joiner that is a token of its own is spelled out, since it has nothing to join there.
        assert shown.replace("⟨200D⟩", "\u200d") == visible(text).replace("⟨200D⟩", "\u200d")
    inside = clusters(text)
    position = 0
    for piece, _classes, _attributes in page.tokens[:-1]:
        position += len(piece.replace("⟨200D⟩", "\u200d"))
        if visible(text) == text:
            assert position not in inside


@given(TEXTS)
def test_there_are_as_many_ids_as_tokens(text: str) -> None:
    encoding = BYTES.encode(text)
    assert Page(str(ids_html(encoding, chunks(encoding)))).ids == list(encoding.ids)
    assert len(painted(text).tokens) == len(encoding)


@given(st.integers(0, 30), st.sampled_from(["word ", "x\n", "长", "wordless"]))
def test_adjacent_tokens_never_share_a_colour(times: int, unit: str) -> None:
    """The colour is (class of the chunk + position in the chunk) modulo five: it must continue across chunks."""
    encoding = BYTES.encode(unit * times * 100)
    html = str(Painter(encoding).html())
    starts = [int(first) for first in regex.findall(r'class="chunk c(\d)"', html)]
    for chunk, colour in zip(chunks(encoding), starts, strict=False):
        assert colour == chunk.first % COLOURS


@pytest.mark.parametrize("text", ["a line of words\n" * 2_000, "鑫" * 5_000])
def test_chunks_end_at_line_ends_if_there_are_any_and_split_no_character(text: str) -> None:
    encoding = BYTES.encode(text)
    parts = list(chunks(encoding))
    assert len(parts) > 2
    assert all(encoding.starts[part.first] >= encoding.ends[part.first - 1] for part in parts[1:])
    assert all(text[part.offset - 1] == "\n" for part in parts[1:]) or "\n" not in text
    assert [part.last for part in parts[:-1]] == [part.first for part in parts[1:]]


def test_a_family_emoji_is_one_group_with_all_its_bytes_and_spaces_are_visible_on_request() -> None:
    family = "👨‍👩‍👧‍👦"
    page = painted(f"a{family}b")
    assert page.pieces[1] == family
    shown = " ".join(str(attributes["data-b"]) for _text, classes, attributes in page.tokens if "b" in classes)
    assert bytes.fromhex(shown) == family.encode()
    assert painted("a b\tc\n", show=True).pieces[-1].endswith("↵\n")
    assert "·" in "".join(painted("a b", show=True).pieces)


def test_dropped_spaces_are_shown_between_the_tokens() -> None:
    tokenizer = recipes.CHARACTER_BPE.tokenizer(bpe.train_characters({"a": 1, "b": 1}).model)
    page = Page(str(Painter(tokenizer.encode("  a   b \n")).html()))
    assert (page.between, page.pieces) == (["  ", "   ", " \n"], ["a", "b"])


@given(st.text())
def test_html_is_escaped(text: str) -> None:
    shown = visible(text)
    assert not regex.search(r"[\p{Cc}\p{Bidi_Control}--[\t\n]]", shown, regex.V1)
    assert "<" not in escape(shown)


def test_a_line_end_is_marked_at_the_end_of_its_line() -> None:
    """The style sheet puts the mark before such a token, which therefore has to begin with the line end."""
    tokenizer = matching(Dictionary(["。\n", "\n", "好"]), "forward", keep_runs=True)
    page = Page(str(Painter(tokenizer.encode("好。\n\n好")).html()))
    assert [(text, "n" in classes) for text, classes, _attributes in page.tokens] == [
        ("好", False),
        ("。\n", False),
        ("\n", True),
        ("好", False),
    ]


def test_the_mark_of_a_space_leaves_the_word_after_it_intact() -> None:
    encoding = shipped_tokenizer("unigram").encode("Hello world")
    assert [encoding.piece(index) for index in range(3)] == ["▁", "Hello", "▁world"]
    html = str(Painter(encoding).html())
    assert '<i class="z"></i><i>Hello</i><i> world</i>' in html
    assert [(cell.text, cell.label, cell.mark) for cell in cells(encoding)] == [
        ("", "", "▁"),
        ("Hello", "", ""),
        (" world", "", ""),
    ]


@given(st.text(st.sampled_from("好ab\0\u0301\x07e "), max_size=60), st.integers(1, 400))
def test_unknown_tokens_that_are_alike_look_as_each_alone(text: str, times: int) -> None:
    """Their elements are shared; a painter without a cache, because a token is chosen, gives the same."""
    encoding = matching(Dictionary(["好", "e"]), "forward", keep_runs=True).encode(text * (1 + times % 3))
    shared = Page(str(Painter(encoding).html()))
    linked = Page(str(Painter(encoding, link=lambda index: f"#{index}").html()))
    assert [(piece, kinds, one.get("data-b")) for piece, kinds, one in shared.tokens] == [
        (piece, kinds, one.get("data-b")) for piece, kinds, one in linked.tokens
    ]


def test_a_page_draws_whole_chunks_up_to_its_limit() -> None:
    encoding = BYTES.encode("\0" * 3_000)
    painter = Painter(encoding, most=1_000)
    page = Page(str(painter.html()))
    assert 1_000 <= painter.drawn == len(page.tokens) < 2_000
    assert Page(str(ids_html(encoding, painter.chunks))).ids == list(encoding.ids)
    assert Painter(encoding, most=3_000).drawn == 3_000


@pytest.mark.exhaustive
def test_a_letter_with_a_hundred_thousand_marks_is_drawn_once() -> None:
    text = "e" + "\u0301" * 100_000
    html = str(Painter(BYTES.encode(text)).html())
    assert len(html) < 100 * len(text)
    assert "".join(Page(html).pieces) == text
