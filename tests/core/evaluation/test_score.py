"""The figures of the published segmentations are those of the official script, to the last printed digit."""

from __future__ import annotations

from pathlib import Path

import pytest

from webapp.core.evaluation.score import Score, score_lines, training_words, words_of


def lines_of(text: str) -> list[list[str]]:
    return [words_of(line) for line in text.removesuffix("\n").split("\n")]


@pytest.mark.parametrize("name", ["pku_fmm", "pku_bmm"])
def test_the_published_summaries(shared: Path, name: str) -> None:
    folder = shared / "sighan"
    known = training_words((folder / "pku_training_words.utf8").read_text(encoding="utf-8"))
    gold, output = (lines_of((folder / f"{file}.utf8").read_bytes().decode()) for file in ("pku_test_gold", name))
    score = score_lines(gold, output, known)
    published = (folder / f"{name}.score").read_text(encoding="utf-8").splitlines()
    ours = score.summary().splitlines()
    assert ours[1:9] == published[5:13]  # without insertions, deletions and substitutions


def test_without_training_words_there_are_no_figures_for_unknown_words() -> None:
    score = score_lines([["研究", "生命"]], [["研究生", "命"]], None)
    assert (score.f1, score.oov_rate, score.oov_recall, score.iv_recall) == (0.0, None, None, None)
    assert "=== OOV Rate:\t--" in score.summary()


def test_nothing_to_score() -> None:
    score = Score()
    assert (score.precision, score.recall, score.f1) == (None, None, None)
    assert score_lines([[]], [["研究"]], None).output_words == 0
