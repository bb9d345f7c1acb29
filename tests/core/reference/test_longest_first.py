"""Encoding longest piece first equals the reference, and each round continues from the one before."""

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.longest_first import LongestFirst
from webapp.core.reference import longest_first as reference


@given(
    pieces=st.lists(st.text("abc$", min_size=1, max_size=4), max_size=12, unique=True),
    word=st.text("abcd", min_size=1, max_size=16),
)
def test_longest_piece_first_equals_the_reference(pieces: list[str], word: str) -> None:
    # "$" marks the end of the word, as a single character.
    way = LongestFirst({piece: id for id, piece in enumerate(pieces)}, suffix="$", unknown=99)
    names = {**dict(enumerate(pieces)), 99: "?"}
    assert [names[id] for id in way.ids(word)] == reference.encode(f"{word}$", pieces, "?")
