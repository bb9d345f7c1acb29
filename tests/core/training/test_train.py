"""Trainings from text to a tokenizer; against the original libraries in `test_against_originals`."""

from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest

from webapp.core.formats.recognize import load, save
from webapp.core.training.corpus import CorpusFile
from webapp.core.training.counting import CountedCorpus, count_words
from webapp.core.training.plan import SUBWORD_TRAINERS, Progress, TrainingPlan
from webapp.core.training.train import TrainedTokenizer, TrainingError, train

SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in ("a", "e", "i", "o", "u", "en", "ar")]


def text_of(words: int) -> str:
    """Return lines of invented words, few of them frequent and many rare, with numbers, marks and Chinese."""
    random = Random(7)
    known = ["".join(random.choices(SYLLABLES, k=random.randrange(1, 5))) for _ in range(2_000)]
    marks = ["", ",", ".\n", "研究生命", *map(str, range(10, 99))]
    return "".join(f"{known[int(2_000 * random.random() ** 3)]}{random.choice(marks)} " for _ in range(words))


TEXT = text_of(5_000)


def counted(text: str, plan: TrainingPlan, folder: Path) -> CountedCorpus:
    """Count a text."""
    (folder / "0").write_text(text)
    return count_words([CorpusFile(str(folder / "0"), "0")], plan, lambda progress: None)


def trained(plan: TrainingPlan, folder: Path, text: str = TEXT) -> tuple[TrainedTokenizer, list[Progress]]:
    seen: list[Progress] = []
    return train(plan, counted(text, plan, folder), seen.append), seen


PLANS = {
    **{trainer: TrainingPlan(trainer=trainer, size=600) for trainer in SUBWORD_TRAINERS},
    "wordpiece": TrainingPlan(trainer="wordpiece", size=600),
    "unigram from bpe": TrainingPlan(trainer="unigram", seeds="bpe", size=600),
    "superbpe": TrainingPlan(variant="superbpe", size=600),
    "unigram, o200k, lower case": TrainingPlan(
        trainer="unigram", split="o200k", normalization="nfkc-lowercase", size=600
    ),
    "wordpiece, lower case": TrainingPlan(trainer="wordpiece", split="whitespace", normalization="lowercase", size=600),
    "own pattern": TrainingPlan(trainer="bpe-bytes", split="own", pattern=r" ?\p{L}+|\d|[^\p{L}\d]", size=600),
}


def test_the_longest_piece_of_bpe_may_have_a_mark_beside_it(tmp_path: Path) -> None:
    plan = TrainingPlan(
        trainer="bpe-sentencepiece", split="none", coverage=1, longest_piece=2, minimum_count=2, size=600
    )
    text = "他说，我们是好学生。\n她说，我们也是好学生。\n" * 30
    longer = {piece for piece in trained(plan, tmp_path, text)[0].tokenizer.model.pieces if 2 < len(piece) < 5}
    assert "学生。" in longer
    assert all(len(piece) == 3 and sum(map(str.isalnum, piece)) <= 2 for piece in longer)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_every_training(plan: TrainingPlan, tmp_path: Path) -> None:
    result, seen = trained(plan, tmp_path)
    assert result.pieces == plan.size
    assert result.characters_per_token is not None
    text = counted(TEXT, plan, tmp_path).held_out
    assert result.characters_per_token == len(text) / len(result.tokenizer.ids(text))

    assert [progress.stage for progress in seen] == ["train"] * len(seen)
    assert seen[-1].curve == result.curve
    sizes = [size for size, _ in result.curve]
    assert sizes == sorted(set(sizes))
    assert plan.size in sizes
    final = dict(result.curve)[plan.size]
    # Measured with fewer means than the tokenizer has, yet it is the same figure.
    assert final == pytest.approx(result.characters_per_token, rel=0.02)

    stored = load(save(result.tokenizer))
    line = TEXT[:80] + "  unseen ♥ text"
    assert stored.ids(line) == result.tokenizer.ids(line)
    again, _ = trained(plan, tmp_path)
    assert save(again.tokenizer) == save(result.tokenizer)


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
def test_special_tokens(trainer: Any, tmp_path: Path) -> None:
    plan = TrainingPlan(trainer=trainer, size=450, special_tokens=("<|user|>", "[MASK]"))
    result, _ = trained(plan, tmp_path)
    assert result.pieces == 450
    ids = result.tokenizer.special_tokens
    assert set(plan.special_tokens) <= ids.keys()
    encoded = result.tokenizer.ids("da <|user|>[MASK]", special=True)
    assert encoded[-2:] == [ids["<|user|>"], ids["[MASK]"]]
    assert ids["<|user|>"] not in result.tokenizer.ids("da <|user|>[MASK]")


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
def test_a_corpus_that_is_too_small(trainer: Any, tmp_path: Path) -> None:
    plan = TrainingPlan(trainer=trainer, size=3_000)
    with pytest.raises(TrainingError) as error:
        trained(plan, tmp_path, TEXT[:6_000])
    assert error.value.code == "too_small"
    possible = error.value.details["possible"]
    assert isinstance(possible, int)
    smaller, _ = trained(TrainingPlan(trainer=trainer, size=max(possible, 300)), tmp_path, TEXT[:6_000])
    assert smaller.pieces == possible


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
def test_an_alphabet_that_is_too_large(trainer: Any, tmp_path: Path) -> None:
    special_tokens = tuple(f"<{n}>" for n in range(60))
    characters = "".join(map(chr, range(0x4E00, 0x4E00 + 400)))
    plan = TrainingPlan(trainer=trainer, size=300, special_tokens=special_tokens, coverage=1.0)
    with pytest.raises(TrainingError) as error:
        trained(plan, tmp_path, f"{characters}\n" * 30)
    assert error.value.code == "alphabet"
    needed = error.value.details["needed"]
    assert isinstance(needed, int)
    enough, _ = trained(TrainingPlan(**{**vars(plan), "size": needed}), tmp_path, f"{characters}\n" * 30)
    assert enough.pieces == needed


def test_superbpe_crosses_spaces_from_the_transition_on(tmp_path: Path) -> None:
    text = "It was one of the best, and one of the worst. " * 500 + TEXT

    def across(transition: float) -> list[int]:
        plan = TrainingPlan(size=330, variant="superbpe", transition=transition)
        pieces = trained(plan, tmp_path, text)[0].tokenizer.model.pieces
        return [id for id, piece in enumerate(pieces) if b" " in bytes(piece)[1:]]  # type: ignore[arg-type]

    assert across(1.0) == []
    assert min(across(0.9)) >= 297


def test_a_minimum_count_of_ones_own_may_end_training_early(tmp_path: Path) -> None:
    often, _ = trained(TrainingPlan(size=3_000, minimum_count=200), tmp_path)
    assert 256 < often.pieces < 3_000


@pytest.mark.parametrize("trainer", ["unigram", "bpe-sentencepiece"])
def test_text_without_spaces_begins_with_a_known_mark(trainer: Any, tmp_path: Path) -> None:
    text = "研究生命起源。生命的起源是什么？\n" * 300
    result, _ = trained(TrainingPlan(trainer=trainer, size=300, minimum_count=2), tmp_path, text)
    tokenizer = result.tokenizer
    assert tokenizer.model.unknown_id not in tokenizer.ids("研究 生命")
    assert tokenizer.decode(tokenizer.ids("研究 生命")) == "研究 生命"


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
@pytest.mark.parametrize("text", ["a" * 1_000_000, "研究生命起源是什么" * 40_000], ids=["one letter", "no spaces"])
def test_text_without_spaces_takes_seconds(trainer: Any, text: str, tmp_path: Path) -> None:
    began = process_time()
    trained(TrainingPlan(trainer=trainer, size=300, minimum_count=2), tmp_path, text)
    assert process_time() - began < 10
