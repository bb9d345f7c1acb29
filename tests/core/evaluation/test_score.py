"""Every figure is that of the official script, `score`, to the last printed digit."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from webapp.core.evaluation.score import Score, score_lines, training_words, words_of

PERL, DIFF = shutil.which("perl"), shutil.which("diff")
needs_perl = pytest.mark.skipif(PERL is None or DIFF is None, reason="the script needs perl and diff")


def lines_of(text: str) -> list[list[str]]:
    return [words_of(line) for line in text.removesuffix("\n").split("\n")]


def summary_of_script(script: Path, folder: Path, known: str, gold: str, output: str) -> str:
    """The summary of the script itself, without its last line, which repeats it."""
    for name, text in (("known", known), ("gold", gold), ("output", output)):
        (folder / name).write_text(text, encoding="utf-8", newline="")
    assert PERL is not None
    done = subprocess.run(
        [PERL, script, folder / "known", folder / "gold", folder / "output"], capture_output=True, check=True
    )
    return "=== SUMMARY:" + done.stdout.decode("utf-8", "replace").rpartition("=== SUMMARY:")[2].partition("###")[0]


def our_summary(known: str, gold: str, output: str) -> str:
    return score_lines(lines_of(gold), lines_of(output), training_words(known)).summary().partition("###")[0]


@pytest.mark.parametrize("name", ["pku_fmm", "pku_bmm"])
def test_the_published_summaries(shared: Path, name: str) -> None:
    folder = shared / "sighan"
    known = training_words((folder / "pku_training_words.utf8").read_text(encoding="utf-8"))
    gold, output = (lines_of((folder / f"{file}.utf8").read_bytes().decode()) for file in ("pku_test_gold", name))
    score = score_lines(gold, output, known)
    assert score.summary(f"{name}.utf8") == (folder / f"{name}.score").read_text(encoding="utf-8")
    assert score.approximate == 0


def segmented(rng: random.Random, words: Sequence[str], separator: str) -> str:
    """Another segmentation of the same words: some are merged, some split."""
    found, at = [], 0
    while at < len(words):
        draw = rng.random()
        if draw < 0.15 and at + 1 < len(words):
            found.append(words[at] + words[at + 1])
            at += 2
            continue
        if draw < 0.3 and len(words[at]) > 1:
            place = rng.randint(1, len(words[at]) - 1)
            found += [words[at][:place], words[at][place:]]
        else:
            found.append(words[at])
        at += 1
    return separator.join(found)


@needs_perl
def test_the_script_on_random_segmentations(shared: Path, tmp_path: Path) -> None:
    script = shared / "sighan" / "score"
    rng = random.Random(5)
    for _ in range(6):
        letters = rng.choice(["研究生命的", "一二三四五六七八九十百千", "的了在是我有和人这中大为"])
        gold, output = [], []
        for _line in range(25):
            words = ["".join(rng.choices(letters, k=rng.choice([1, 1, 2, 2, 3]))) for _ in range(rng.randint(1, 60))]
            if rng.random() < 0.2:
                words.insert(rng.randrange(len(words)), rng.choice("|<>"))
            separator = rng.choice([" ", "  ", "\u3000"])
            indent = rng.choice(["", "", " ", "\u3000\u3000"])
            end = rng.choice(["", " ", "\r", "\u3000"])
            gold.append(indent + separator.join(words) + end)
            output.append(rng.choice([indent, ""]) + segmented(rng, words, separator))
        listed = {"".join(rng.choices(letters, k=rng.randint(1, 2))) for _ in range(40)}
        known = "".join(f"{word}\n" for word in sorted(listed | {"|"}))
        texts = (known, "\n".join(gold) + "\n", "\n".join(output) + "\n")
        assert our_summary(*texts) == summary_of_script(script, tmp_path, *texts)


@needs_perl
def test_the_script_without_unknown_words_and_with_empty_lines(shared: Path, tmp_path: Path) -> None:
    script = shared / "sighan" / "score"
    for known in ("研究\n生命\n", "\n"):
        texts = (known, "研究 生命\n\n生命\n", "研究生 命\n\n生命\n")
        assert our_summary(*texts) == summary_of_script(script, tmp_path, *texts)


def test_without_training_words_there_are_no_figures_for_unknown_words() -> None:
    score = score_lines([["研究", "生命"]], [["研究生", "命"]], None)
    assert (score.f1, score.oov_rate, score.oov_recall, score.iv_recall) == (0.0, None, None, None)
    assert "=== OOV Rate:\t--" in score.summary()


def test_nothing_to_score() -> None:
    score = Score()
    assert (score.precision, score.recall, score.f1) == (None, None, None)
    assert score_lines([[]], [["研究"]], None).output_words == 0


def test_lines_too_different_are_compared_by_position() -> None:
    rng = random.Random(3)
    text = "".join(rng.choices("甲乙", k=6_000))

    def cut() -> list[str]:
        ends = [0, *sorted(rng.sample(range(1, 6_000), 3_000)), 6_000]
        return [text[start:end] for start, end in pairwise(ends)]

    gold, output = cut(), cut()
    score = score_lines([gold], [output], None)
    assert score.approximate == 1
    assert score.gold_words - score.missed == score.output_words - score.wrong
    assert 0 < (score.f1 or 0) < 1
