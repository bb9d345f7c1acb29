"""Longest piece first: the worked example, and what each round does."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.bpe import BPE
from webapp.core.models.longest_first import LongestFirst, longest_first
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.text.decoders import BPEDecoder
from webapp.core.traces.longest_first import beginning, rounds

BYTES = [bytes([byte]) for byte in range(256)]


@given(
    pieces=st.lists(st.text("abc$", min_size=1, max_size=4), max_size=12, unique=True),
    word=st.text("abcd", max_size=16),
)
def test_rounds_lead_from_the_whole_word_to_the_pieces_of_the_model(pieces: list[str], word: str) -> None:
    # "$" is the end of the word, a single unit.
    model = LongestFirst({piece: id for id, piece in enumerate(pieces)}, suffix="$", unknown=99)
    row = beginning(model, word)
    for found in rounds(model, word):
        assert found.before == row
        row = found.after
        assert [0, *(span.end for span in row)] == [*(span.start for span in row), len(word) + 1]
    assert list(row) == model.spans(word)


def test_worked_example(worked_examples: dict[str, Any]) -> None:
    example = worked_examples["bpe_longest_piece_first"]
    pieces = ["<unk>", *example["pieces"]]
    way = LongestFirst({piece: id for id, piece in enumerate(pieces) if id}, suffix="</w>", unknown=0)
    for word, expected in example["encode"].items():
        assert [pieces[id] for id in way.ids(word)] == expected
    for tokens, text in example["decode"]:
        assert BPEDecoder("</w>").decode(tokens) == text


def test_an_end_of_word_attached_to_the_last_character_is_not_a_unit() -> None:
    pieces = ["a", "p", "app", "ap", "p</w>"]
    glued = BPE(pieces, [], byte_level=False, end_of_word_suffix="</w>")
    assert [pieces[id] for id in longest_first(glued).ids("app")] == ["ap", "p</w>"]
    apart = BPE([*pieces, "</w>"], [], byte_level=False, end_of_word_suffix="</w>")
    assert longest_first(apart).ids("app") == [2, 5]


def test_the_longest_piece_goes_first_at_any_position() -> None:
    model = RankBPE([*BYTES, b"ab", b"bc", b"bcd", b"abc"])
    first, second = rounds(longest_first(model), "abcdabcd")
    assert (first.piece, first.places) == (b"bcd", (1, 5))  # of the two longest the one with the lower id
    assert [(span.piece, span.status) for span in first.after] == [
        (b"a", "open"),
        (b"bcd", "piece"),
        (b"a", "open"),
        (b"bcd", "piece"),
    ]
    assert (second.piece, second.places) == (b"a", (0, 4))


def test_occurrences_of_one_piece_do_not_overlap() -> None:
    way = LongestFirst({"aa": 0, "a": 1})
    assert way.ids("aaaaa") == [0, 0, 1]


def test_special_and_unknown_pieces_are_not_found_in_a_text() -> None:
    model = BPE(["<unk>", "<s>", *"<unks>"], [], byte_level=False, unknown="<unk>")
    assert longest_first(model, without=[1]).ids("<s><unk>") == [2, 6, 7, 2, 3, 4, 5, 7]
    assert longest_first(RankBPE([*BYTES, b"ab"], reserved=[256])).ids("ab") == [97, 98]


def test_characters_that_no_piece_covers() -> None:
    fallback = [f"<0x{byte:02X}>" for byte in range(256)]
    scored = ScoredPieces(
        ["<unk>", "ab", *fallback],
        [0.0] * 258,
        [PieceKind.UNKNOWN, PieceKind.NORMAL, *[PieceKind.BYTE] * 256],
        byte_ids=range(2, 258),
    )
    *_, last = rounds(longest_first(ScoredBPE(scored)), "xabé")
    assert (last.piece, last.places) == (None, (0, 3))
    assert [(span.piece, span.status, span.start) for span in last.after] == [
        ("<0x78>", "byte", 0),
        ("ab", "piece", 1),
        ("<0xC3>", "byte", 3),
        ("<0xA9>", "byte", 3),
    ]
    assert [span.status for span in longest_first(BPE(["a"], [], byte_level=False)).spans("ax")] == [
        "piece",
        "left out",
    ]


def test_prefix_and_end_of_word() -> None:
    pieces = ["a", "##b", "##b</w>", "##a", "ab"]
    model = BPE(pieces, [], byte_level=False, continuing_subword_prefix="##", end_of_word_suffix="</w>")
    assert [pieces[id] for id in longest_first(model).ids("aab")] == ["a", "##a", "##b</w>"]
    assert longest_first(model).ids("") == []
