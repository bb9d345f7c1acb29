import pickle
from dataclasses import replace
from typing import Any

import pytest

from webapp.core.training.plan import NORMALIZATIONS, SPLITS, SUBWORD_TRAINERS, PlanError, TrainingPlan
from webapp.core.training.recipe import check, recipe_of

PLAN = TrainingPlan()


@pytest.mark.parametrize("trainer", SUBWORD_TRAINERS)
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("normalization", NORMALIZATIONS)
def test_every_choice_splits_text(trainer: Any, split: Any, normalization: Any) -> None:
    plan = TrainingPlan(trainer=trainer, split=split, normalization=normalization, pattern=r"\w+|\s|[^\w\s]+")
    if trainer != "wordpiece" or split != "none":
        check(plan)
    words = recipe_of(plan).count("Hello, ﬁne  world!\nResearch 研究 12 34.")
    # Whatever a pattern does with spaces and marks, letters are counted once.
    assert sum(count for word, count in words.items() for letter in word if letter == "o") == 2
    assert any("fine" in word for word in words) == ("nfkc" in normalization)
    assert any("hello" in word for word in words) == ("lowercase" in normalization)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("trainer", "bpe", "Choose one of"),
        ("split", "words", "Choose one of"),
        ("size", 299, "from 300 to 100,000"),
        ("size", 100_001, "from 300 to 100,000"),
        ("size", "many", "from 300 to 100,000"),
        ("minimum_count", 0, "from 1 to"),
        ("longest_word", 1, "from 20 to"),
        ("coverage", 0.5, "from 0.9 to 1"),
        ("coverage", float("nan"), "from 0.9 to 1"),
        ("keep", 1.0, "from 0.5 to 0.95"),
        ("special_tokens", ("<a>", "<a>"), "'<a>' occurs twice"),
        ("special_tokens", ("",), "is empty"),
        ("special_tokens", (" ",), "is empty"),
        ("special_tokens", ("a" * 101,), "has 101 characters; at most 100"),
        ("special_tokens", ("a\x00",), "invisible"),
        ("special_tokens", tuple(map(str, range(101))), "There are 101 special tokens"),
        ("variant", "new", "Choose one of"),
    ],
)
def test_what_is_refused(field: str, value: Any, message: str) -> None:
    with pytest.raises(PlanError, match=message) as error:
        check(replace(PLAN, **{field: value}))
    assert error.value.field == field
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.field) == (str(error.value), field)


@pytest.mark.parametrize(
    ("choices", "field"),
    [
        ({"trainer": "wordpiece", "split": "none"}, "split"),
        ({"trainer": "unigram", "variant": "superbpe"}, "variant"),
        ({"variant": "picky"}, "variant"),  # of older records
        ({"variant": "superbpe", "split": "cl100k"}, "split"),
        ({"split": "own"}, "pattern"),
        ({"split": "own", "pattern": "("}, "pattern"),
        ({"split": "own", "pattern": "(a+)+$"}, "pattern"),
        ({"split": "own", "pattern": "a{99999999}"}, "pattern"),
        ({"split": "own", "pattern": "a" * 100_000}, "pattern"),
    ],
)
def test_choices_that_do_not_fit(choices: dict[str, Any], field: str) -> None:
    with pytest.raises(PlanError) as error:
        check(replace(PLAN, **choices))
    assert error.value.field == field
