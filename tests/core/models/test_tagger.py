"""The tagger and its training, against the reference of `webapp.core.reference.tagger`."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webapp.core.models.dictionary import Dictionary
from webapp.core.models.hmm import State
from webapp.core.models.tag_weights import EDGE, KINDS, SCALE, TAGS, TEMPLATES, TRANSITIONS, TagWeights
from webapp.core.models.tagger import Tagger
from webapp.core.reference import matching
from webapp.core.reference import tagger as reference
from webapp.core.traces.tagger import tagger_traces
from webapp.core.trainers.tagger import Training
from webapp.pages.learn.lessons import LESSON_BY_SLUG

CHARACTERS = "研究生命的一年8a，𠮷"
texts = st.text(CHARACTERS, min_size=1, max_size=12)
sentences = st.lists(
    st.lists(st.text(CHARACTERS, min_size=1, max_size=4), min_size=1, max_size=5), min_size=1, max_size=5
)
numbers = st.integers(-3, 3)


def random_weights(
    seed: int, texts: list[str], most: int = 1 << 20
) -> tuple[dict[str, dict[str, list[int]]], dict[str, int]]:
    random = Random(seed)
    found: dict[str, dict[str, list[int]]] = {template: {} for template in TEMPLATES}
    for text in texts:
        for at in range(len(text)):
            for template, value in reference.features(text, at):
                if random.random() < 0.8:
                    found[template][value] = [random.randint(-most, most) for _ in TAGS]
    return found, {pair: random.randint(-most, most) for pair in TRANSITIONS}


def of_reference(weights: dict[str, dict[str, list[int]]], transitions: dict[str, int]) -> dict[tuple[str, ...], float]:
    flat: dict[tuple[str, ...], float] = {tuple(pair): weight for pair, weight in transitions.items()}
    for template, values in weights.items():
        for value, four in values.items():
            flat |= {(template, value, tag): weight for tag, weight in zip(TAGS, four, strict=True)}
    return flat


@pytest.mark.parametrize("most", [1, 3, 1 << 20])
@given(text=texts, seed=st.integers(0, 1000))
def test_tags_and_scores_equal_those_of_the_reference(text: str, seed: int, most: int) -> None:
    weights, transitions = random_weights(seed, [text], most)
    flat, packed = of_reference(weights, transitions), TagWeights(weights, transitions)
    assert "".join(TAGS[tag] for tag in packed.tags(text)) == "".join(reference.viterbi(text, flat))
    for at, four in enumerate(packed.scores(text)):
        fired = reference.features(text, at)
        assert list(four) == [sum(flat.get((*one, tag), 0) for one in fired) for tag in TAGS]
        assert {(template, value) for template, value, _ in packed.at(text, at)} == set(fired)
        assert [sum(each) for each in zip(*(found for _, _, found in packed.at(text, at)), strict=True)] == list(four)
    kept = {(template, value): four for template, of in weights.items() for value, four in of.items() if any(four)}
    assert {(template, value): four for template, value, four in packed.items()} == kept


@settings(max_examples=40, deadline=None)
@given(sentences=sentences, rounds=st.integers(1, 4), seed=st.integers(0, 9), at_once=st.sampled_from([2, 1 << 16]))
def test_training_gives_the_averages_of_the_reference(
    sentences: list[list[str]], rounds: int, seed: int, at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webapp.core.trainers.tagger.AT_ONCE", at_once)
        training = Training(sentences, seed)
        moments = list(training.run(rounds))
        every = list(training.tagger().weights.items())
    assert [moment.round for moment in moments] == list(range(1, rounds + 1))
    expected = reference.train(sentences, rounds, Random(seed).shuffle)
    found = {feature: weight for feature, weight in of_reference(*map(dict, training.averages())).items() if weight}
    rounded = {feature: round(SCALE * average) for feature, average in expected.items()}
    assert found == {feature: weight for feature, weight in rounded.items() if weight}
    few = list(training.tagger(len(every) // 2).weights.items())
    least = min((max(map(abs, four)) for _, _, four in few), default=10**9)
    assert len(few) <= len(every) // 2
    assert sorted(one for one in every if max(map(abs, one[2])) >= least) == sorted(few)


def test_the_kinds_of_characters_are_those_of_the_reference() -> None:
    every = [chr(code) for code in range(0x20, 0x11000) if not 0xD800 <= code < 0xE000]
    assert [character for character in every if KINDS[character] != reference.kind(character)] == []
    assert KINDS[EDGE] == EDGE


@given(text=st.text(CHARACTERS + " 　\n。", max_size=20), keep=st.booleans())
def test_tokens_cover_the_text_and_runs_stay_whole(text: str, keep: bool) -> None:
    weights, transitions = random_weights(7, [CHARACTERS], 1 << 20)
    model = Tagger(TagWeights(weights, transitions), Dictionary(["研究", "a", "，"]), keep)
    words = model.words(text)
    assert "".join(words) == text
    assert [word for word in words if len(word) > 1 and any(map(str.isspace, word))] == []
    if keep:
        ends = {sum(map(len, words[:at])) for at in range(len(words) + 1)}
        assert not ends & set(model.inside_runs(text))
    assert [model.pieces[id] if id < 3 else None for id in model.ids(text)] == [
        word if word in model.pieces else None for word in words
    ]


def test_words_that_training_never_saw_are_found() -> None:
    gold = [line.split() for line in str(LESSON_BY_SLUG["tagger"].by_key["unseen"].choices["corpus"]).splitlines()]
    training = Training(gold)
    wrong = [moment.wrong for moment in training.run()]
    assert wrong[0] > 0 == wrong[-1]
    text = "同学的爸爸来到天津"
    assert training.tagger().words(text) == ["同学", "的", "爸爸", "来到", "天津"]
    listed = {word for words in gold for word in words}
    assert matching.forward(listed, text) == ["同", "学", "的", "爸", "爸", "来到", "天", "津"]


@given(text=st.text(CHARACTERS + " 。", min_size=1, max_size=12), seed=st.integers(0, 1000), keep=st.booleans())
def test_the_trace_leads_to_the_words(text: str, seed: int, keep: bool) -> None:
    model = Tagger(TagWeights(*random_weights(seed, [text], 2)), Dictionary([]), keep)
    traces = list(tagger_traces(model, text))
    assert [word for trace in traces for word in trace.words] == [word for word in model.words(text) if word != " "]
    for trace in traces:
        ending = [cell for cell in trace.columns[-1] if cell.state in "ES"]
        state: State | None = max(ending, key=lambda cell: cell.total).state
        path = []
        for column in reversed(trace.columns):
            assert state is not None
            path.append(state)
            (state,) = (cell.before for cell in column if cell.state == state)
        assert path[::-1] == list(trace.states)
        for features, column in zip(trace.features, trace.columns, strict=True):
            sums = [sum(each) for each in zip(*(feature.weights for feature in features), strict=True)]
            possible = [
                (cell.emission, found) for cell, found in zip(column, sums, strict=True) if cell.emission > -1e90
            ]
            assert possible == [(pytest.approx(found), found) for _, found in possible]
