"""Longest piece first: the worked example, and what each round does."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.bpe import BPE
from webapp.core.models.longest_first import LongestFirst, longest_first
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.traces.longest_match import rounds

BYTES = [bytes([byte]) for byte in range(256)]


@given(
    pieces=st.lists(st.text("abc$", min_size=1, max_size=4), max_size=12, unique=True),
    word=st.text("abcd", max_size=16),
)
def test_rounds_lead_from_the_whole_word_to_the_pieces_of_the_model(pieces: list[str], word: str) -> None:
    # "$" is the end of the word, a single unit.
    model = LongestFirst({piece: id for id, piece in enumerate(pieces)}, suffix="$", unknown=99)
    units = model.units(word)
    row = (model.open_span(units, 0, len(units)),) if word else ()
    for found in rounds(model, word):
        assert found.before == row
        row = found.after
        assert [0, *(span.end for span in row)] == [*(span.start for span in row), len(word) + 1]
    assert list(row) == model.spans(word)


def test_an_end_of_word_attached_to_the_last_character_is_not_a_unit() -> None:
    pieces = ["a", "p", "app", "ap", "p</w>"]
    glued = BPE(pieces, [], byte_level=False, end_of_word_suffix="</w>")
    assert [pieces[id] for id in longest_first(glued).ids("app")] == ["ap", "p</w>"]
    apart = BPE([*pieces, "</w>"], [], byte_level=False, end_of_word_suffix="</w>")
    assert longest_first(apart).ids("app") == [2, 5]


def test_special_and_unknown_pieces_are_not_found_in_a_text() -> None:
    model = BPE(["<unk>", "<s>", *"<unks>"], [], byte_level=False, unknown="<unk>")
    assert longest_first(model, without=[1]).ids("<s><unk>") == [2, 6, 7, 2, 3, 4, 5, 7]
    assert longest_first(RankBPE([*BYTES, b"ab"], reserved=[256])).ids("ab") == [97, 98]


def test_characters_that_no_piece_covers() -> None:
    fallback = [f"<0x{byte:02X}>" for byte in range(256)]
    kinds = [PieceKind.UNKNOWN, PieceKind.NORMAL, *[PieceKind.BYTE] * 256]
    scored = ScoredPieces(["<unk>", "ab", *fallback], [0.0] * 258, kinds, byte_ids=range(2, 258))
    *_, last = rounds(longest_first(ScoredBPE(scored)), "xabé")
    assert (last.piece, last.places) == (None, (0, 3))
    assert [span.piece for span in last.after] == ["<0x78>", "ab", "<0xC3>", "<0xA9>"]
    assert [(span.status, span.start) for span in last.after] == [("byte", 0), ("piece", 1), ("byte", 3), ("byte", 3)]
    dropped = longest_first(BPE(["a"], [], byte_level=False)).spans("ax")
    assert [span.status for span in dropped] == ["piece", "left out"]


def test_prefix_and_end_of_word() -> None:
    pieces = ["a", "##b", "##b</w>", "##a", "ab"]
    model = BPE(pieces, [], byte_level=False, continuing_subword_prefix="##", end_of_word_suffix="</w>")
    assert [pieces[id] for id in longest_first(model).ids("aab")] == ["a", "##a", "##b</w>"]
    assert longest_first(model).ids("") == []
