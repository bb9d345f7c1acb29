"""The traces of inferences end with the tokens of the inferences, from the same random numbers."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import texts
from tests.core.traces import ids_of
from tests.properties import SAME_FIXTURE
from webapp.core.inference import infer
from webapp.core.inference.dropout import MergesWithDropout
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.traces.inference import dropout_steps, piece_decisions
from webapp.core.traces.pretokens import Pretoken, pretokens_of


@SAME_FIXTURE
@given(text=texts, seed=st.integers(0, 9))
def test_the_steps_of_dropout_end_with_its_tokens(pair: Pair, text: str, seed: int) -> None:
    model = pair.ours.model
    if not isinstance(model, BPE | RankBPE | ScoredBPE):
        return
    random, merges = Random(seed), MergesWithDropout(model, 0.4)

    def traced_ids(part: str) -> list[int]:
        traced = dropout_steps(merges, part, random)
        assert all(step.possible for word in traced.words for step in word)
        return [id for id, _, _ in traced.segments]

    assert ids_of(pair.ours, text, traced_ids) == infer(pair.ours, "dropout", dropout=0.4, seed=seed).ids(text)


@given(word=st.text("abc", min_size=1, max_size=24), seed=st.integers(0, 99))
def test_merging_all_occurrences_together_is_traced_alike(word: str, seed: int) -> None:
    pieces = ["a", "b", "c", "ab", "bc", "abc", "<unk>"]
    model = SubwordBPE(pieces, [(0, 1), (1, 2), (3, 2)], byte_level=False, unknown="<unk>")
    merges = MergesWithDropout(model, 0.5)
    assert dropout_steps(merges, word, Random(seed)).segments == merges.draw(word, Random(seed))


@SAME_FIXTURE
@given(text=texts)
def test_the_pieces_that_are_taken_are_those_of_the_inference(pair: Pair, text: str) -> None:
    tables = infer(pair.ours, "fewest").model
    for name in "longest", "fewest":
        model = infer(pair.ours, name).model
        for found in pretokens_of(pair.ours, text):
            if not isinstance(found, Pretoken) or model.unknown_id in model.ids(found.text):
                continue
            lookups = tables.lookups(found.text)  # type: ignore[attr-defined]
            decisions = [each for lookup in lookups for each in piece_decisions(lookup, fewest=name == "fewest")]
            taken = [each.fitting[each.taken].id for each in decisions if each.taken is not None]
            if len(taken) == len(decisions):
                assert taken == list(model.ids(found.text))
            for each in decisions:
                assert each.taken is None or name == "fewest" or not each.taken  # the longest is the first
