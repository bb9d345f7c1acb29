"""The alignment of words is that of GNU diff, which the official script of the bakeoffs runs."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.evaluation.word_diff import MOST_EDITS, TooDifferentError, changed_words, hunks

DIFF = shutil.which("diff")

Row = tuple[str, str | None, str | None]


def rows(gold: Sequence[str], output: Sequence[str]) -> list[Row]:
    """The rows of diff's table: mark, gold word, word of the output."""
    found: list[Row] = []
    at = output_at = 0
    for start, end, output_start, output_end in [
        *hunks(*changed_words(gold, output)),
        (len(gold), len(gold), len(output), len(output)),
    ]:
        found += ((" ", word, word) for word in gold[at:start])
        pairs = min(end - start, output_end - output_start)
        found += (("|", gold[start + index], output[output_start + index]) for index in range(pairs))
        found += ((">", None, word) for word in output[output_start + pairs : output_end])
        found += (("<", word, None) for word in gold[start + pairs : end])
        at, output_at = end, output_end
    assert output_at == len(output)
    return found


def rows_of_diff(gold: Sequence[str], output: Sequence[str], folder: Path) -> list[Row]:
    files = [folder / "gold", folder / "output"]
    for file, words in zip(files, (gold, output), strict=True):
        file.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    assert DIFF is not None
    table = subprocess.run([DIFF, "-y", "-W", "5000", *files], capture_output=True, text=True, check=False).stdout
    found: list[Row] = []
    for line in table.splitlines():
        fields = line.split()
        if "|" in fields:
            found.append(("|", fields[0], fields[2]))
        elif fields[0] == ">":
            found.append((">", None, fields[1]))
        elif fields[-1] == "<":
            found.append(("<", fields[0], None))
        else:
            found.append((" ", fields[0], fields[1]))
    return found


def cut(rng: random.Random, text: str, share: float) -> list[str]:
    words = [""]
    for character in text:
        words[-1] += character
        if rng.random() < share:
            words.append("")
    return [word for word in words if word]


def pairs(seed: int, count: int) -> Iterator[tuple[list[str], list[str]]]:
    """Two segmentations of one text, or two lists of words of which a few are very frequent and many are unique."""
    rng = random.Random(seed)
    for _ in range(count):
        if rng.random() < 0.5:
            letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"[: rng.choice([2, 3, 5, 10, 40])]
            text = "".join(rng.choices(letters, k=rng.randint(1, rng.choice([5, 20, 60, 300, 700]))))
            yield cut(rng, text, rng.random()), cut(rng, text, rng.random())
        else:
            unique, kinds = rng.choice([0, 0.1, 0.5, 0.8, 0.9]), rng.choice([2, 3, 8, 30, 100])
            first, second = (
                [
                    f"u{rng.randrange(10**6)}" if rng.random() < unique else f"w{int(rng.paretovariate(0.8)) % kinds}"
                    for _ in range(rng.randint(1, 300))
                ]
                for _ in range(2)
            )
            yield first, second


@pytest.mark.skipif(DIFF is None, reason="there is no diff on this machine")
@pytest.mark.parametrize("count", [300, pytest.param(5_000, marks=pytest.mark.exhaustive)])
def test_every_row_is_that_of_diff(tmp_path: Path, count: int) -> None:
    for gold, output in pairs(14, count):
        assert rows(gold, output) == rows_of_diff(gold, output, tmp_path)


words = st.lists(st.sampled_from("abcd"), max_size=12)


@given(words, words)
def test_what_is_not_changed_is_the_same(gold: list[str], output: list[str]) -> None:
    changed_gold, changed_output = changed_words(gold, output)
    kept = [word for word, mark in zip(gold, changed_gold, strict=True) if not mark]
    assert kept == [word for word, mark in zip(output, changed_output, strict=True) if not mark]


def test_lists_that_differ_everywhere_are_given_up() -> None:
    rng = random.Random(1)
    first, second = (rng.choices("abcdefghij", k=4 * MOST_EDITS) for _ in range(2))
    with pytest.raises(TooDifferentError):
        changed_words(first, second)
