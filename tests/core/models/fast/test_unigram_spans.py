"""Spans of mostly unknown text change no id, and the best path they rely on is the reference's."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.models.fast.best_path import best_path
from webapp.core.models.fast.word_lengths import lengths_by_beginning
from webapp.core.models.unigram import SHORT, Unigram
from webapp.core.reference import unigram as reference

# Few different scores, so that ties are frequent.
vocabularies = st.dictionaries(
    st.text("abé", min_size=1, max_size=4), st.sampled_from([-0.5, -1.0, -1.5, -3.1, -7.3]), min_size=1, max_size=12
)
known = st.text("abé", max_size=6)


@given(scores=vocabularies, spans=st.lists(st.tuples(known, st.integers(0, 40)), min_size=1, max_size=6))
def test_mostly_unknown_text_has_the_ids_of_the_reference(
    scores: dict[str, float], spans: list[tuple[str, int]]
) -> None:
    model = Unigram(["<unk>", *scores], [0.0, *scores.values()], unknown_id=0)
    text = "".join(letters + "研" * run for letters, run in spans)
    ids = [model.id_of(token) or 0 for token in reference.encode(text, scores)]
    assert list(model.ids(text)) == ids
    if len(text) > SHORT and 2 * sum(len(letters) + 1 for letters, _ in spans) < len(text):
        assert model._spans.cut(text) is not None


@given(scores=vocabularies, text=known)
def test_the_best_path_is_that_of_the_reference(scores: dict[str, float], text: str) -> None:
    unknown = min(scores.values()) - 10
    path = best_path(text, scores, unknown, lengths_by_beginning(scores))
    scored = scores | dict.fromkeys(set(text) - scores.keys(), unknown)
    sums = sorted(sum(scored[piece] for piece in pieces) for pieces in reference.segmentations(text, scored))
    found = [text[start:end] for start, end in pairwise((0, *path.ends))]
    assert sum(scored[piece] for piece in found) == pytest.approx(sums[-1])
    if path.margin > 1e-6:
        assert found == reference.viterbi(text, scored)
        assert len(sums) < 2 or sums[-1] - sums[-2] == pytest.approx(path.margin)
