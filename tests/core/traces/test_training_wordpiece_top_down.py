from hypothesis import given
from hypothesis import strategies as st

from webapp.core.reference import wordpiece_top_down as reference
from webapp.core.traces.training_wordpiece_top_down import TopDownTraining

words = st.dictionaries(st.text("abc", min_size=1, max_size=10), st.integers(1, 9), min_size=1, max_size=8)


@given(words, st.integers(0, 20))
def test_the_trace_has_the_pieces_of_the_trainer(counts: dict[str, int], longer: int) -> None:
    training = TopDownTraining(counts, len(reference.symbols(counts)) + longer)
    kept = {*training.characters, *training.rounds[-1].kept}
    assert kept.isdisjoint(training.fill)
    assert {*kept, *training.fill} == {*training.trained.model.pieces[1:]}
    assert dict(training.tried).get(training.threshold, len(kept)) == len(kept)
    for threshold, pieces in training.tried:
        assert pieces == len(reference.vocabulary(counts, threshold))


@given(words, st.integers(2, 9))
def test_each_round_is_that_of_the_reference(counts: dict[str, int], threshold: int) -> None:
    pieces: set[str] = set()
    for round in TopDownTraining(counts, None).rounds_at(threshold):
        candidates = reference.count(counts, pieces)
        longer = {piece: count for piece, count in candidates.items() if len(piece.removeprefix("##")) > 1}
        frequent = {piece: count for piece, count in longer.items() if count >= threshold}
        assert {one.piece: one.count for one in round.candidates} == frequent
        assert round.rarer == len(longer) - len(frequent)
        kept = reference.keep(candidates, threshold)
        assert round.kept == {piece: left for piece, left in kept.items() if piece in longer}
        pieces = {*reference.symbols(counts), *round.kept}
        for word in round.words:
            assert "".join(piece.removeprefix("##") for piece in word.pieces) == word.word


def test_a_size_follows_the_corpus() -> None:
    training = TopDownTraining({"low": 5, "lower": 2, "newest": 6, "widest": 3}, None)
    assert training.size == len(training.characters) + 2
    assert len(training.trained.model.pieces) == training.size + 1
