"""`tokenscope measure`: the figures of the core as a table, CSV and JSON Lines."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.command_line.test_command_line import output, run
from webapp.core.analysis.measures import MEASURES, measures_of
from webapp.core.analysis.words import words_of
from webapp.tokenization.measures.measured import article_measures
from webapp.vocabularies import shipped_tokenizer
from webapp.vocabularies.shipped_vocabularies import chinese_words
from webapp.vocabularies.uploads import number_of_ids

TEXT = "Unbelievable birds: 研究生命科学\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A text and a gold segmentation."""
    text, gold = tmp_path / "text.txt", tmp_path / "gold.txt"
    text.write_text(TEXT, encoding="utf-8")
    gold.write_text("研究 生命\nun break able\n", encoding="utf-8")
    return text, gold


def test_json_lines_have_the_values_of_the_core(files: tuple[Path, Path]) -> None:
    text, gold = files
    lines = output("measure", text, "-v", "wordpiece", "-v", "bpe-bytes", "--gold", gold, "--json").splitlines()
    found = list(map(json.loads, lines))
    assert [(each["file"], each["vocabulary"]) for each in found] == [
        (str(text), "wordpiece"),
        (str(text), "bpe-bytes"),
    ]
    for each in found:
        tokenizer = shipped_tokenizer(each["vocabulary"])
        expected = measures_of(tokenizer.encode(TEXT), words_of(TEXT, chinese_words), number_of_ids(tokenizer))
        assert list(each)[2:] == [measure.replace("-", "_") for measure in MEASURES]
        assert each["fertility"] == expected.fertility
        assert each["renyi_efficiency"] == expected.renyi_efficiency
        assert each["gini"] == article_measures(tokenizer).gini
        assert 0 <= each["boundary_f1"] <= 1


def test_csv_has_one_header_for_all_files(files: tuple[Path, Path]) -> None:
    text, gold = files
    rows = list(csv.DictReader(io.StringIO(output("measure", text, gold, "--csv", "-v", "unigram", "-v", "jieba"))))
    assert [row["vocabulary"] for row in rows] == ["unigram", "jieba"] * 2
    assert rows[1]["gini"] == ""


def test_errors_name_the_file(files: tuple[Path, Path], tmp_path: Path) -> None:
    text, _gold = files
    unsegmented = tmp_path / "unsegmented.txt"
    unsegmented.write_text("没有空格的金标准\n", encoding="utf-8")
    done = run("measure", text, "--gold", unsegmented)
    assert (done.returncode, b"unsegmented.txt: No line has a space" in done.stderr) == (1, True)
    done = run("measure", "-v", "no-such-vocabulary", text)
    assert (done.returncode, b"there is no vocabulary and no file" in done.stderr) == (2, True)
    done = run("measure", tmp_path / "missing.txt", text, "--json")
    assert done.returncode == 1
    assert b"missing.txt: No such file" in done.stderr
    assert json.loads(done.stdout)["tokens"] > 0
