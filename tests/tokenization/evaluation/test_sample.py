"""The gold sample: long enough, of its sources, and segmented in the same way throughout."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from webapp.core.evaluation.gold import read_gold
from webapp.tools.evaluate import scoring as sample

# Strings that are a word in one place and two or three in another, because they mean something else there.
AMBIGUOUS = {"不住", "不过", "将来"}


def test_the_sample_has_more_than_200_sentences() -> None:
    gold = read_gold(sample.sample_text())
    assert len(gold.lines) == 214
    assert not gold.problems
    assert len({line.text for line in gold.lines}) == 214


def test_without_its_spaces_it_is_the_text_of_its_sources(shared: Path) -> None:
    for name in sample.SOURCES:
        source = (shared / "corpora" / f"zh_{name}.txt").read_text(encoding="utf-8")
        lines = (sample.FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if "".join(line.split()) not in source] == []


def test_no_string_is_segmented_in_two_ways() -> None:
    lines = [line.words for line in read_gold(sample.sample_text()).lines]
    words = Counter(word for line in lines for word in line)
    apart = {
        joined
        for line in lines
        for start in range(len(line))
        for end in range(start + 2, min(start + 5, len(line) + 1))
        if (joined := "".join(line[start:end])) in words
    }
    assert apart == AMBIGUOUS
