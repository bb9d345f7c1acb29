"""Traces of longest matches, of pre-tokens and of other inferences: the tokens of the models, decision by decision."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.core.pairs import Pair
from tests.core.texts import any_text, texts
from tests.properties import SAME_FIXTURE
from webapp.core.added_tokens import AddedToken, PostProcessor, Template
from webapp.core.inference import infer
from webapp.core.inference.dropout import MergesWithDropout
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Direction, Matching
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.models.wordpiece import WordPiece
from webapp.core.text import pretokenizers
from webapp.core.text.normalizers import BertNormalizer, Prepend
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.inference import dropout_steps, piece_decisions
from webapp.core.traces.longest_match import matching_steps, tokens_of, wordpiece_steps
from webapp.core.traces.pretokens import AddedFound, Pretoken, pretokens_of

directions = st.sampled_from(["forward", "backward"])
small_text = st.text("研究生命科学a1B \n", max_size=20)
small_dictionary = st.lists(st.text("研究生命科学a1B ", min_size=1, max_size=6), unique=True, max_size=12).map(
    Dictionary
)


@given(dictionary=small_dictionary, text=small_text, direction=directions, keep_runs=st.booleans())
def test_the_steps_end_in_the_words(dictionary: Dictionary, text: str, direction: Direction, keep_runs: bool) -> None:
    steps = list(matching_steps(dictionary, text, direction, keep_runs))
    if direction == "backward":
        steps.reverse()
    model = Matching(dictionary, direction, keep_runs)
    assert [(taken.id, taken.start, taken.end) for taken in steps] == list(model.segment(text))
    for taken in steps:
        lengths = [tried.end - tried.start for tried in taken.tried]
        assert lengths == list(range(lengths[0], lengths[-1] - 1, -1))
        assert lengths[0] <= max(dictionary.longest, 1)
        assert [tried.outcome for tried in taken.tried].count("word") == (taken.kind == "word")
        assert taken.kind in ("word", "space") or taken.id == dictionary.unknown_id
        assert (taken.kind == "space") == (taken.id > dictionary.unknown_id)


pieces = st.lists(st.text("ab研#", min_size=1, max_size=5), unique=True, max_size=15)


@given(pieces=pieces, word=st.text("ab研#c", max_size=12), prefix=st.sampled_from(["##", "", "a"]))
def test_the_steps_end_in_the_pieces(pieces: list[str], word: str, prefix: str) -> None:
    model = WordPiece([*pieces, "[UNK]"], continuing_subword_prefix=prefix, max_word_length=10)
    assert tokens_of(wordpiece_steps(model, word)) == list(model.segment(word))
    for decision in wordpiece_steps(model, word):
        lengths = [looked.end - looked.start for looked in decision.tried]
        assert lengths == list(range(len(lengths[:1]) and lengths[0], len(lengths[:1]) and lengths[-1] - 1, -1))
        assert [looked.id is None for looked in decision.tried] == [
            decision.kind != "piece" or at + 1 < len(lengths) for at in range(len(lengths))
        ]


def _ids_pretokens(tokenizer: Tokenizer, text: str, special: bool = False, template: bool = False) -> list[int]:
    ids: list[int] = []
    for found in pretokens_of(tokenizer, text, special=special, template=template):
        ids += (found.token.id,) if isinstance(found, AddedFound) else tokenizer.model.ids(found.text)
    return ids


@given(text=any_text, special=st.booleans())
def test_pretokens_have_the_ids_of_the_text(pair: Pair, text: str, special: bool) -> None:
    assert _ids_pretokens(pair.ours, text, special) == pair.ours.ids(text, special=special)


@given(text=any_text, special=st.booleans(), template=st.booleans())
def test_pretokens_under_every_kind_of_pipeline(text: str, special: bool, template: bool) -> None:
    model = WordPiece(["[UNK]", "[CLS]", "[SEP]", "a", "▁a", "▁", "##a", "##'"])
    for pretokenizer in (
        pretokenizers.Metaspace(only_first=True),
        pretokenizers.ByteLevel(add_prefix_space=True),
        pretokenizers.PreTokenizerSequence((pretokenizers.WhitespaceSplit(), pretokenizers.Metaspace(only_first=True))),
        None,
    ):
        for normalizer in (BertNormalizer(), Prepend("a"), None):
            tokenizer = Tokenizer(
                model,
                normalizer=normalizer,
                pretokenizer=pretokenizer,
                special_tokens={"[CLS]": 1, "[SEP]": 2},
                added_tokens=[AddedToken("Aa", 9, special=False, normalized=True)],
                postprocessor=PostProcessor(template=Template((1, None, 2))),
            )
            expected = tokenizer.ids(text, special=special, template=template)
            assert _ids_pretokens(tokenizer, text, special, template) == expected


def test_offsets_refer_to_the_original_text() -> None:
    tokenizer = Tokenizer(
        WordPiece(["[UNK]", "[SEP]"]),
        normalizer=BertNormalizer(),
        pretokenizer=pretokenizers.WhitespaceSplit(),
        special_tokens={"[SEP]": 1},
        postprocessor=PostProcessor(template=Template((None, 1))),
    )
    found = pretokens_of(tokenizer, "\ud83d\ude00É \x00b[SEP]", special=True, template=True)
    assert found[0] == Pretoken("😀e", 0, 3)
    assert found[1] == Pretoken("b", 5, 6)
    assert [(one.start, one.end, one.around) for one in found[2:] if isinstance(one, AddedFound)] == [
        (6, 11, False),
        (11, 11, True),
    ]


@SAME_FIXTURE
@given(text=texts, seed=st.integers(0, 9))
def test_the_steps_of_dropout_end_with_its_tokens(pair: Pair, text: str, seed: int) -> None:
    model = pair.ours.model
    if not isinstance(model, BPE | RankBPE | ScoredBPE):
        return
    random, merges = Random(seed), MergesWithDropout(model, 0.4)
    ids: list[int] = []
    for found in pretokens_of(pair.ours, text):
        if isinstance(found, Pretoken):
            traced = dropout_steps(merges, found.text, random)
            ids += [id for id, _, _ in traced.segments]
            assert all(step.possible for word in traced.words for step in word)
        else:
            ids.append(found.token.id)
    assert ids == infer(pair.ours, "dropout", dropout=0.4, seed=seed).ids(text)


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
