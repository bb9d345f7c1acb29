from collections import Counter
from io import BytesIO
from itertools import pairwise
from math import exp, fsum, log
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.reference import unigram as reference
from webapp.core.trainers import unigram
from webapp.core.trainers.corpus_lattice import LONGEST_SPAN
from webapp.core.trainers.seed_pieces import frequent_substrings, seed_pieces

words = st.dictionaries(st.text("abcd", min_size=1, max_size=10), st.integers(1, 9), min_size=1, max_size=15)


@given(words, st.integers(1, 4))
def test_frequent_substrings_are_those_of_the_reference(counts: dict[str, int], least: int) -> None:
    in_order = list(counts)
    found: dict[str, int] = {}
    for level in frequent_substrings(counts, longest=16, minimum_frequency=least):
        for count, word, begin in zip(level.counts, level.words, level.begins, strict=True):
            piece = in_order[word][begin : begin + level.length]
            assert not any(piece in earlier for earlier in in_order[:word])
            assert in_order[word].index(piece) == begin
            found[piece] = int(count)
    wanted = reference.substrings(counts).items()
    assert found == {piece: count for piece, count in wanted if len(piece) > 1 and count >= least}


@given(words, st.integers(0, 12))
def test_invariants_of_every_training(counts: dict[str, int], longer: int) -> None:
    alphabet = {character for word in counts for character in word}
    room = len(alphabet) + min(longer, len(seed_pieces(counts, 1_000)))
    trained = unigram.train(counts, room + 1)
    assert len(trained.model.pieces) == room + 1
    assert fsum(map(exp, trained.scores.values())) == pytest.approx(1)
    assert all(score <= 0 for score in trained.scores.values())
    assert alphabet <= set(trained.scores)
    assert trained == unigram.train(counts, room + 1)
    for word in counts:
        ids = trained.model.ids(word)
        assert trained.model.unknown_id not in ids
        assert "".join(str(trained.model.pieces[id]) for id in ids) == word


@pytest.mark.parametrize(("whole_words", "kept"), [(True, "very"), (False, "ve")])
def test_worked_example(whole_words: bool, kept: str, worked_examples: dict[str, Any]) -> None:
    """A final size of 15 leaves the one longer piece whose removal would raise the corpus loss most."""
    counts = Counter(worked_examples["unigram"]["corpus"])
    characters = {character for word in counts for character in word}
    assert len(characters) == 14
    steps = list(unigram.rounds(counts, 15, seeds=50 - 14, whole_words=whole_words))
    assert len(steps[0].scores) <= 50
    assert characters < set(steps[-1].scores)
    assert [piece for piece in steps[-1].scores if len(piece) > 1] == [kept]

    before = {piece: exp(score) for piece, score in steps[-2].scores.items()}
    raised = {}
    for longer in before:
        if len(longer) > 1:
            without = {piece: p for piece, p in before.items() if piece != longer}
            raised[longer] = fsum(
                count
                * (
                    max(fsum(map(log, map(before.__getitem__, path))) for path in reference.segmentations(word, before))
                    - max(
                        fsum(map(log, map(without.__getitem__, path)))
                        for path in reference.segmentations(word, without)
                    )
                )
                for word, count in counts.items()
            )
    assert len(raised) > 1
    assert max(raised, key=raised.__getitem__) == kept


def test_rounds_report_what_they_did() -> None:
    counts = {"hugs": 5, "hug": 10, "pug": 5, "pun": 12, "bun": 4, "puns": 2, "hugged": 3, "unplug": 1}
    steps = list(unigram.rounds(counts, 14))
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for step, following in pairwise(steps):
        assert set(step.scores) - set(step.removed) == set(following.scores)
        assert set(step.losses) == {piece for piece in step.scores if len(piece) > 1}
        least = [step.losses[piece] for piece in step.removed]
        kept = [loss for piece, loss in step.losses.items() if piece not in step.removed]
        assert least == sorted(least)
        assert max(least) <= min(kept, default=max(least))
    assert len(steps[-1].scores) == 14
    assert steps[-1].removed == ()


def test_characters_outside_the_coverage_are_unknown() -> None:
    trained = unigram.train({"abab": 50, "aяbaяb": 2}, 6, coverage=0.97)
    assert not any("я" in piece for piece in trained.scores)
    assert trained.model.unknown_id in trained.model.ids("aяb")


def test_reserved_names_never_become_pieces() -> None:
    trained = unigram.train({"<unk>": 9, "<unk>s": 3}, 12)
    assert trained.model.pieces.count("<unk>") == 1  # type: ignore[arg-type]
    assert trained.model.pieces[trained.model.unknown_id] == "<unk>"


def test_impossible_options_are_refused() -> None:
    with pytest.raises(ValueError, match="alphabet of 3"):
        unigram.train({"abc": 1}, 3)
    with pytest.raises(ValueError, match="unknown"):
        unigram.train({"abc": 1}, 9, special_tokens=["<s>"])


def test_one_long_word_without_a_space() -> None:
    trained = unigram.train({"a" * 1_000_000: 1, "ab" * 50_000: 1}, 20)
    assert max(map(len, trained.scores)) == 16
    assert LONGEST_SPAN == 32


def test_probabilities_of_improbable_words_do_not_underflow() -> None:
    """The product of 32 probabilities at the floor is still a number above 0."""
    rare = "".join(chr(0x4E00 + n) for n in range(LONGEST_SPAN))
    trained = unigram.train({rare: 2, "a": 10**15}, 40)
    assert fsum(map(exp, trained.scores.values())) == pytest.approx(1)


def best_segmentations(counts: dict[str, int], scores: dict[str, float]) -> tuple[float, int]:
    """Return log-likelihood and number of tokens of the best segmentations, with sentencepiece's cost of unknowns."""
    known = dict.fromkeys("".join(counts), min(scores.values()) - 10) | scores
    found = [(count, reference.viterbi(word, known)) for word, count in counts.items()]
    log_likelihood = sum(count * known[piece] for count, path in found for piece in path)
    return log_likelihood, sum(count * len(path) for count, path in found)


def test_as_good_as_sentencepiece_on_unseen_text(shared: Path) -> None:
    """Allow at most 5 % more tokens than with sentencepiece's pieces, and a likelihood at most 2 % lower."""
    corpus = (shared / "corpora" / "en_holmes_and_others.txt").read_text(encoding="utf-8")
    novel = (shared / "texts" / "en_pride_and_prejudice.txt").read_text(encoding="utf-8")
    seen = ["▁" + word for word in corpus[:150_000].split()]
    unseen = ["▁" + word for word in novel[:100_000].split()]
    ours = unigram.train(Counter(seen), 2_000).scores
    written = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(word[1:] for word in seen),
        model_writer=written,
        vocab_size=2_000,
        model_type="unigram",
        character_coverage=1.0,
        normalization_rule_name="identity",
        split_by_unicode_script=False,
        split_by_number=False,
        num_threads=1,
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    theirs = {
        processor.id_to_piece(id): processor.get_score(id)
        for id in range(processor.get_piece_size())
        if not processor.is_control(id) and not processor.is_unknown(id)
    }
    our_likelihood, our_tokens = best_segmentations(Counter(unseen), ours)
    their_likelihood, their_tokens = best_segmentations(Counter(unseen), theirs)
    assert our_tokens <= 1.05 * their_tokens
    assert our_likelihood >= 1.02 * their_likelihood
