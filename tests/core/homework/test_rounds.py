"""The rounds of trainings are those of the textbook trainers, whatever the rule for ties."""

import json
import lzma
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from webapp.core.homework import training as homework_training
from webapp.core.homework.files import handed_in
from webapp.core.homework.merges import judge, judge_vocabulary, written, written_vocabulary
from webapp.core.homework.rounds import BPERounds, Pair, WordPieceRounds, train
from webapp.core.homework.training import Training
from webapp.core.reference import bpe, hmm, wordpiece
from webapp.core.text.utf8 import bytes_to_characters, characters_to_bytes
from webapp.core.traces.training_merges import train_unmarked
from webapp.core.traces.viterbi import HMMTables, viterbi_trace
from webapp.core.trainers import bpe as trainer
from webapp.core.trainers.ties import TIE_RULES, TieRule

words = st.dictionaries(st.text("abc", min_size=1, max_size=6), st.integers(1, 4), min_size=1, max_size=6)


@given(words, st.sampled_from(TIE_RULES))
def test_bpe_by_every_rule(counts: dict[str, int], ties: TieRule) -> None:
    rounds = BPERounds((bpe.utf8(word), count) for word, count in counts.items())
    trained = trainer.train_bytes(counts, merges_at_most=12, ties=ties)
    assert train(rounds, 12, ties) == [(merge.left, merge.right) for merge in trained.merges]


@given(words)
def test_all_ties_are_known(counts: dict[str, int]) -> None:
    spelled = {tuple(word): count for word, count in counts.items()}
    rounds = BPERounds(spelled.items())
    while pairs := bpe.count_pairs(spelled):
        highest, tied = rounds.best()
        assert highest == max(pairs.values())
        assert set(tied) == {pair for pair, count in pairs.items() if count == highest}
        assert len(tied) == len(set(tied))
        assert all(rounds.value(pair) == count for pair, count in pairs.items())
        held, more = rounds.words(tied[0], 2)
        assert len(held) + more == sum(tied[0] in pairwise(word) for word in spelled)
        rounds.merge(tied[0])
        merged: dict[tuple[str, ...], int] = {}
        for word, count in spelled.items():
            after = bpe.merge(word, tied[0])
            merged[after] = merged.get(after, 0) + count
        spelled = merged
    assert rounds.best() == (0, [])


@given(words)
def test_wordpiece_takes_the_first_of_equal_scores(counts: dict[str, int]) -> None:
    spelled = {wordpiece.split(word): count for word, count in counts.items()}
    assert train(WordPieceRounds(spelled.items()), 8, "first-seen") == wordpiece.train(spelled, 8)


@given(words, st.sampled_from(TIE_RULES), st.sampled_from(TIE_RULES))
def test_an_answer_by_another_rule_is_recognized(counts: dict[str, int], own: TieRule, other: TieRule) -> None:
    right, mine = (Training(6, ties, "bytes", words=counts) for ties in (own, other))
    assume(right.right)
    found = judge(right, handed_in(written(mine), {}))
    if right.right == mine.right:
        assert (found.outcome, found.place) == ("right", None)
    else:
        assert found.outcome == "other-rule"
        assert Training(6, found.rule, "bytes", words=counts).right == mine.right  # type: ignore[arg-type]
        assert [found.yours and found.yours.count] == [found.right and found.right.count]


@given(words, st.booleans(), st.sampled_from(TIE_RULES), st.sampled_from(TIE_RULES), st.integers(2, 4))
def test_a_link_to_a_part_of_a_corpus_has_the_pair_and_both_counts(
    counts: dict[str, int], as_bytes: bool, own: TieRule, other: TieRule, most: int
) -> None:
    """However many words are kept, the round takes the right pair, and counts both as on the whole corpus."""
    counts = {f"{word}-": count for word, count in counts.items()}  # which the walkthrough would split
    symbols, spelled = ("bytes", bytes) if as_bytes else ("characters", bytes.decode)
    right, mine = (Training(6, ties, symbols, words=counts) for ties in (own, other))
    assume(right.right != mine.right)
    with patch.object(homework_training, "MOST_LINKED", most):
        found = judge(right, handed_in(written(mine), {}))
    assert found.link
    lines = [line.rpartition("\t") for line in str(found.link.values["corpus"]).split("\n")]
    merges = map(str.split, str(found.link.values["before"]).splitlines())
    before: list[Any] = [tuple(spelled(characters_to_bytes(piece)) for piece in pair) for pair in merges]
    assert found.place
    assert found.right
    assert found.yours
    assert before == right.right[: found.place - 1]
    listed = {word: int(count) for word, _tab, count in lines}
    training = train_unmarked(listed, 1, as_bytes=as_bytes, ties=own, before=before)
    (round,) = training.rounds()
    pairs = {(pair.left, pair.right): pair.count for pair in round.pairs()}
    (left, winner), *_rest = pairs.items()
    assert (left, winner) == (right.right[found.place - 1], found.right.count)
    assert pairs[mine.right[found.place - 1]] == found.yours.count


@given(st.text("ab1 2.'\"，学é#-\n+,", min_size=1, max_size=40), st.sampled_from(["gpt2", "gpt4", "none"]))
def test_written_merges_are_read_back(corpus: str, split: str) -> None:
    """Whatever characters the pieces have: quotes, digits, separators, parts of characters."""
    training = Training(9, "greater", "bytes", split, corpus=corpus)
    assume(training.right)
    assert judge(training, handed_in(written(training), {})).outcome == "right"
    bare = [[list(piece) for piece in pair] for pair in training.right]
    lines = "\n".join(repr((bytes(left), bytes(right))) for left, right in bare)
    assert judge(training, handed_in(lines, {})).outcome == "right"
    assert (
        judge(training, handed_in("", {"merges.py": f"[{lines.replace(chr(10), ', ')}]".encode()})).outcome == "right"
    )


@pytest.fixture(scope="module")
def cs336() -> Any:
    """The word counts of CS336's corpus, and the course's merges of it."""
    path = Path(__file__).parents[1] / "trainers" / "cs336.json.xz"
    if not path.exists():
        pytest.skip("the word counts of CS336's corpus are not here")
    return json.loads(lzma.decompress(path.read_bytes()))


def by_key(counts: dict[str, int], key: Callable[[tuple[bytes, bytes], dict[bytes, int]], Any]) -> list[Pair]:
    """The merges of a student who takes the greatest pair by another key; ids of pieces are 256 and more."""
    rounds = BPERounds((bpe.utf8(word), count) for word, count in counts.items())
    ids, chosen = {bytes([byte]): byte for byte in range(256)}, []
    for _round in range(243):
        chosen.append(max(rounds.best()[1], key=lambda pair: key(pair, ids)))
        rounds.merge(chosen[-1])
        ids.setdefault(b"".join(chosen[-1]), len(ids))
    return chosen


def stripped(counts: dict[str, int]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for word, count in counts.items():
        found[word.strip()] += count
    return {word: count for word, count in found.items() if word}


MISTAKES: list[tuple[Callable[[Any], list[Pair]], str, str, int]] = [
    (lambda given: by_key(given["counts"], lambda pair, _ids: pair[0] + pair[1]), "tie", "joined", 32),
    (
        lambda given: by_key(given["counts"], lambda pair, _ids: tuple(map(bytes_to_characters, pair))),
        "tie",
        "as-spelled",
        93,
    ),
    (lambda given: by_key(given["counts"], lambda pair, ids: tuple(map(ids.get, pair))), "tie", "higher-ids", 93),
    (lambda given: Training(243, "greater", words=stripped(given["counts"])).right, "without-spaces", "", 1),
    (lambda given: Training(243, "greater", words=dict.fromkeys(given["counts"], 1)).right, "unweighted", "", 1),
    (lambda given: Training(244, "greater", words=given["counts"]).right, "more-merges", "", 244),
    (lambda given: Training(242, "greater", words=given["counts"]).right, "fewer-merges", "", 243),
]
"""What students often get wrong in train_bpe, with the reason, the rule and the first merge that differs."""


@pytest.mark.parametrize(("train_wrongly", "why", "rule", "place"), MISTAKES)
def test_mistakes_in_training(
    cs336: Any, train_wrongly: Callable[[Any], list[Pair]], why: str, rule: str, place: int
) -> None:
    mine = "".join(
        f"{bytes_to_characters(left)} {bytes_to_characters(right)}\n" for left, right in train_wrongly(cs336)
    )
    training = Training(243, "greater", split="gpt2", specials=("<|endoftext|>",), words=cs336["counts"])
    found = judge(training, handed_in(mine, {}))
    assert (found.outcome, found.why, found.rule, found.place) == ("other-rule" if rule else "wrong", why, rule, place)
    assert found.link


def test_what_cannot_be_told_apart_is_said() -> None:
    for corpus, expected in (("low low lower", ["no-ties", "no-specials"]), ("low low<s>low lower", ["no-ties"])):
        training = Training(1, "greater", specials=("<s>",), corpus=corpus + " we" * 9)
        found = judge(training, handed_in(written(training), {}))
        assert [note.code for note in found.notes] == expected


def test_pairs_in_a_run_are_counted_at_every_place() -> None:
    found = judge(Training(1, "greater", words={"aaa": 2, "bc": 3}), handed_in("b c", {}))
    assert (found.outcome, found.why) == ("wrong", "overlapping")


@pytest.mark.parametrize("ties", TIE_RULES)
def test_the_merges_of_cs336(cs336: Any, ties: TieRule) -> None:
    """The course's own merges of its corpus; other rules part from it at a tie."""
    given = cs336
    training = Training(243, "greater", "bytes", specials=("<|endoftext|>",), words=given["counts"])
    assert [line.split() for line in written(training).splitlines()] == given["merges"]
    mine = Training(243, ties, "bytes", specials=("<|endoftext|>",), words=given["counts"])
    found = judge(training, handed_in(written(mine), {}))
    assert (found.outcome, found.rule or "greater") == ("right" if ties == "greater" else "other-rule", ties)
    if ties == "first-seen":
        assert (found.place, found.agreeing, found.in_both, found.why) == (65, 159, 240, "tie")
        assert found.yours is not None
        assert found.right is not None
        assert (found.yours.text, found.yours.count, len(found.yours.words) + found.yours.more) == ("c e", 246, 75)
        assert (found.right.text, found.right.count, len(found.right.words) + found.right.more) == ("l e", 246, 94)
    assert (
        judge_vocabulary(training, handed_in("", {"vocab.json": written_vocabulary(training).encode()})).outcome
        == "right"
    )


def test_viterbi_of_segmentation() -> None:
    start, transition = {"B": 0.6, "S": 0.4}, {"B": {"E": 0.7, "M": 0.3}, "M": {"E": 0.6, "M": 0.4}}
    transition |= {"E": {"B": 0.5, "S": 0.5}, "S": {"B": 0.6, "S": 0.4}}
    emission = {
        "B": {"x": 0.5, "y": 0.2},
        "M": {"x": 0.1, "y": 0.3},
        "E": {"x": 0.2, "y": 0.6},
        "S": {"x": 0.3, "y": 0.1},
    }
    flat = [
        {(state, key): value for state, row in table.items() for key, value in row.items()}
        for table in (transition, emission)
    ]
    starts = {(state,): start.get(state, 0.0) for state in "BMES"}
    logs = [{name: log(value) for name, value in row.items()} for row in (start,)]
    tables = [
        {state: {key: log(value) for key, value in row.items()} for state, row in table.items()}
        for table in (transition, emission)
    ]
    for text in ("xy", "xyxy", "xxyyxy"):
        path = viterbi_trace(HMMTables(tuple(text), starts, *flat)).states
        if path[-1] in "ES":
            assert list(path) == hmm.viterbi(text, logs[0], *tables)
