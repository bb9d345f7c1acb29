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
    for round in training.rounds:
        for word in round.words:
            assert "".join(piece.removeprefix("##") for piece in word.pieces) == word.word


def test_a_size_follows_the_corpus() -> None:
    training = TopDownTraining({"low": 5, "lower": 2, "newest": 6, "widest": 3}, None)
    assert training.size == len(training.characters) + 2
    assert len(training.trained.model.pieces) == training.size + 1
