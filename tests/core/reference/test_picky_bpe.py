"""The fast trainer and model of PickyBPE produce the same events and pieces as the reference."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.picky_bpe import PickyBPE
from webapp.core.reference import bpe as plain
from webapp.core.reference import picky_bpe as reference
from webapp.core.trainers import bpe, picky_bpe
from webapp.core.vocabulary_error import VocabularyError

words = st.dictionaries(st.text("abc", max_size=14), st.integers(1, 6), max_size=10)
any_words = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.integers(1, 50), max_size=6
)
thresholds = st.sampled_from([0.3, 0.5, 0.6, 0.75, 0.9, 1.0])


def events_of(counts: dict[str, int], size: int, threshold: float) -> list[reference.Event]:
    return reference.train({plain.utf8(word): count for word, count in counts.items()}, size, threshold, plain.BYTES)


def written(events: tuple[picky_bpe.Event, ...]) -> list[reference.Event]:
    return [
        ("split", event.piece, event.parts)
        if isinstance(event, picky_bpe.Removal)
        else ("merge", event.left, event.right)
        for event in events
    ]


@given(st.one_of(words, any_words), st.integers(256, 290), thresholds, st.text("abcd", max_size=14))
def test_training_and_encoding_equal_the_reference(
    counts: dict[str, int], size: int, threshold: float, text: str
) -> None:
    trained = picky_bpe.train_bytes(counts, size, threshold=threshold)
    events = events_of(counts, size, threshold)
    assert written(trained.events) == events
    pieces = reference.vocabulary(plain.BYTES, events)
    assert {piece: id for id, piece in enumerate(trained.model.pieces)} == pieces
    for word in (text, *counts):
        found = reference.encode(plain.utf8(word), events, pieces)
        assert list(trained.model.ids(word)) == [pieces[piece] for piece in found]


@pytest.mark.parametrize("threshold", [0.5, 0.8])
def test_training_on_long_words_equals_the_reference(threshold: float) -> None:
    random = Random(3)
    counts = {"".join(random.choices("abcdef", k=random.randrange(1, 40))): random.randrange(1, 9) for _ in range(60)}
    trained = picky_bpe.train_bytes(counts, 400, threshold=threshold)
    assert written(trained.events) == events_of(counts, 400, threshold)
    assert any(isinstance(event, picky_bpe.Removal) for event in trained.events)
    for word in counts:
        pieces = reference.vocabulary(plain.BYTES, written(trained.events))
        found = reference.encode(plain.utf8(word), written(trained.events), pieces)
        assert [trained.model.pieces[id] for id in trained.model.ids(word)] == list(found)


def test_a_piece_that_a_removal_brings_back_can_be_removed_itself() -> None:
    """The removal of a piece finds occurrences that the removal of a longer one made."""
    counts = {"dd": 2, "bddadd": 30, "ddaabc": 10, "cca": 30}
    trained = picky_bpe.train_bytes(counts, 276, threshold=0.4)
    assert written(trained.events) == events_of(counts, 276, 0.4)


@given(words, st.integers(256, 280))
def test_with_a_threshold_of_one_it_is_plain_bpe(counts: dict[str, int], size: int) -> None:
    trained = picky_bpe.train_bytes(counts, size, threshold=1)
    expected = bpe.train_bytes(counts, size)
    assert trained.model.pieces == expected.model.pieces
    assert trained.events == expected.merges


COUNTS = {
    "could": 37, "would": 91, "should": 12, "loud": 39, "cloud": 94, "shoulder": 8, "boulder": 76, "wound": 90,
    "round": 10, "ground": 30, "mould": 23,
}  # fmt: skip
AUTHORS = """
o+u l+d ou+ld ld=l+d l+ou lou+d lou=l+ou n+d ou+nd ou=o+u nd=n+d c+loud loud=l+o+u+d w+ould w+ound
ound=o+u+n+d e+r ould+er er=e+r o+u b+oulder oulder=ould+e+r n+d
"""


def test_the_authors_program_trains_the_same_but_for_ties() -> None:
    """What github.com/pchizhov/picky_bpe (55f3cd7) prints for these words, up to 21 pieces with the threshold 0.6.

    Each of its merges is one of a most frequent pair, and it removes what the reference removes.
    """
    words: reference.Words = {tuple(word): count for word, count in COUNTS.items()}
    kept = {symbol for symbols in words for symbol in symbols}
    made_of: dict[str, tuple[str, str]] = {}
    expected = iter(AUTHORS.split())
    for event in expected:
        left, right = event.split("+")
        counts = reference.count_pairs(words)
        assert counts[left, right] == max(counts.values())
        words, consumed = reference.merge_everywhere(words, left, right)
        kept.add(left + right)
        made_of.setdefault(left + right, (left, right))
        for part in dict.fromkeys((left, right)):
            if part in made_of and reference.is_useless(words, part, consumed, 0.6):
                kept.discard(part)
                parts = reference.parts_of(part, made_of, kept)
                words = {reference.split(symbols, part, parts): count for symbols, count in words.items()}
                assert next(expected) == f"{part}={'+'.join(parts)}"
    assert len(kept) == 21


@given(words, thresholds)
def test_removals_leave_no_trace_in_the_vocabulary(counts: dict[str, int], threshold: float) -> None:
    trained = picky_bpe.train_bytes(counts, 270, ["<|endoftext|>"], threshold=threshold)
    assert len(trained.model.pieces) <= 269
    assert trained.special_tokens == {"<|endoftext|>": len(trained.model.pieces)}
    for word in counts:
        assert b"".join(trained.model.pieces[id] for id in trained.model.ids(word)) == word.encode()


def test_any_beginning_of_a_training_is_a_model() -> None:
    trained = picky_bpe.train_bytes({"could": 4, "loud": 1}, 260, threshold=0.7)
    assert [trained.first(number).pieces[256:] for number in range(4)] == [(), (b"ou",), (b"ou", b"cou"), (b"cou",)]


def test_a_long_pretoken_takes_no_quadratic_time() -> None:
    model = picky_bpe.train_bytes({"abab" * 8: 4, "ab": 1}, 262, threshold=0.5).model
    assert len(model.ids("ab" * 50_000)) < 50_000


def test_impossible_choices_and_damaged_models_are_refused() -> None:
    with pytest.raises(ValueError, match="256 bytes"):
        picky_bpe.train_bytes({"ab": 1}, 256, ["<s>"])
    with pytest.raises(ValueError, match="from 0 to 1"):
        picky_bpe.train_bytes({"ab": 1}, 300, threshold=1.5)
    with pytest.raises(VocabularyError, match="nothing made"):
        PickyBPE(plain.BYTES, [(b"ab", b"c")])
    with pytest.raises(VocabularyError, match="do not make"):
        PickyBPE([*plain.BYTES, b"ab"], [(b"a", b"b"), (b"ab", b"b", b"a")])
    with pytest.raises(VocabularyError, match="not in the vocabulary"):
        PickyBPE(plain.BYTES, [(b"a", b"b")])
    with pytest.raises(VocabularyError, match="twice"):
        PickyBPE([*plain.BYTES, b"a"], [])
    with pytest.raises(VocabularyError, match="the byte"):
        PickyBPE(plain.BYTES[1:], [])
