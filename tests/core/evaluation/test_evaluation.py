"""Scores, errors and gold texts of segmentations."""

import json
import shutil
import subprocess
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.evaluation import report as reports
from webapp.core.evaluation.gold import GoldError, read_gold, read_output
from webapp.core.evaluation.report import MethodReport, ScoreReport, report_of, score_segmentation, segmented_by
from webapp.core.evaluation.score import (
    KINDS,
    NameFinder,
    Score,
    differences,
    errors_of,
    score_lines,
    training_words,
    words_of,
)
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.recipes import MATCHING


@pytest.mark.parametrize("name", ["pku_fmm", "pku_bmm"])
def test_the_published_summaries(shared: Path, name: str) -> None:
    folder = shared / "sighan"
    known = training_words((folder / "pku_training_words.utf8").read_text(encoding="utf-8"))
    files = [(folder / f"{file}.utf8").read_bytes().decode() for file in ("pku_test_gold", name)]
    gold, output = ([words_of(line) for line in file.removesuffix("\n").split("\n")] for file in files)
    score = score_lines(gold, output, known)
    published = (folder / f"{name}.score").read_text(encoding="utf-8").splitlines()
    ours = score.summary().splitlines()
    assert ours[1:9] == published[5:13]  # without insertions, deletions and substitutions


@pytest.mark.parametrize("marked", [("", ""), ("\ufeff", ""), ("", "\ufeff"), ("\ufeff", "\ufeff")])
@pytest.mark.parametrize(
    "words", [("研究 生命 的", "研究 生命 的"), ("研究 生命 的", "研究生 命 的"), (" 研究 生命", "研 究 生命")]
)
def test_a_byte_order_mark_counts_as_in_the_official_script(
    shared: Path, tmp_path: Path, marked: tuple[str, str], words: tuple[str, str]
) -> None:
    known = "研究\n生命\n"
    texts = [f"{mark}{line}\n结婚 的\n" for mark, line in zip(marked, words, strict=True)]
    for name, text in zip(("known", "gold", "output"), (known, *texts), strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    if not (shutil.which("perl") and shutil.which("diff")):
        pytest.skip("The official script needs perl and diff.")
    command = [
        "perl",
        str(shared / "sighan" / "score"),
        *(str(tmp_path / each) for each in ("known", "gold", "output")),
    ]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    gold = read_gold(texts[0])
    score = score_segmentation(gold, read_output(texts[1], gold), known=training_words(known)).score
    summary = score.summary().splitlines()[1:9]
    assert [line for line in printed.splitlines() if line in summary] == summary
    assert gold.lines[0].text == "".join(words[0].split())


def test_figures_that_do_not_exist() -> None:
    score = score_lines([["研究", "生命"]], [["研究生", "命"]], None)
    assert (score.f1, score.oov_rate, score.oov_recall, score.iv_recall) == (0.0, None, None, None)
    assert "=== OOV Rate:\t--" in score.summary()
    assert (Score().precision, Score().recall, Score().f1) == (None, None, None)
    assert score_lines([[]], [["研究"]], None).output_words == 0


KNOWN = {"研究", "生命", "起源", "将", "来", "将来", "他", "北京", "大学", "的"}


@pytest.mark.parametrize(
    ("gold", "output", "tags", "kind"),
    [
        ("研究 生命", "研究生 命", "", "overlap"),
        ("将 来", "将来", "", "merged"),
        ("起源", "起 源", "", "split"),
        ("的 梦境", "的梦 境", "", "unknown"),
        ("二○○一年", "二○ ○一 年", "", "number"),
        ("WTO", "W TO", "", "number"),
        ("三 碗", "三碗", "", "number"),
        ("北京", "北 京", "", "name"),
        ("王小明", "王 小明", "", "name"),
        ("欧阳锋", "欧 阳锋", "", "name"),
        ("北 京", "北京", "", "name"),
        ("将 京大学", "将京 大学", "", "unknown"),
        ("北京 小宝", "北 京小 宝", "NOUN NOUN", "unknown"),
        ("北京 小宝", "北 京小 宝", "NOUN PROPN", "name"),
    ],
)
def test_the_kind_of_an_error(gold: str, output: str, tags: str, kind: str) -> None:
    finder = NameFinder({"北京"}, KNOWN)
    (error,) = errors_of(0, gold.split(), output.split(), tags=tags.split() or None, known=KNOWN, names=finder)
    assert error.kind == kind


@given(st.text(alphabet="甲乙丙", min_size=1, max_size=20), st.data())
def test_differences_cover_what_differs_and_nothing_else(text: str, data: st.DataObject) -> None:
    gold, output = ([*cuts(text, data.draw(st.sets(st.integers(1, len(text)))))] for _ in range(2))
    rebuilt, at = [], 0
    for difference in differences(gold, output):
        rebuilt += gold[at : difference.start]
        replaced = output[difference.output_start : difference.output_end]
        assert "".join(gold[difference.start : difference.end]) == "".join(replaced)
        assert gold[difference.start : difference.end] != replaced
        rebuilt += replaced
        at = difference.end
    assert rebuilt + gold[at:] == output


def cuts(text: str, places: set[int]) -> list[str]:
    ends = [0, *sorted(places | {len(text)})]
    return [text[start:end] for start, end in pairwise(ends)]


def test_a_report_counts_all_errors_and_lists_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_ERRORS", 2)
    gold = read_gold("将 来 起源\n的 起源\n他 将 来\n")
    scored = score_segmentation(gold, [["将来", "起", "源"], ["的", "起源"], ["他", "将来"]], known=KNOWN)
    (indented,) = errors_of(3, ["", "将", "来"], ["", "将来"], known=KNOWN)
    assert (indented.line, indented.start, indented.end, indented.output) == (3, 1, 3, "将来")
    assert scored.error_count == 3
    assert scored.kinds == {kind: {"merged": 2, "split": 1}.get(kind, 0) for kind in KINDS}
    assert [(error.line, error.output) for error in scored.errors] == [(0, "将来"), (0, "起 源")]
    assert scored.confusions[0] == ("将 来", "将来", "merged", 2)
    report = report_of(gold, [scored], None)
    assert report.lines == {0: ["将", "来", "起源"]}
    stored = report.as_json()
    stored["methods"][0]["score"]["insertions"] = 2  # as in reports of earlier versions
    assert ScoreReport.from_json(stored) == report


def test_scoring_in_parts_gives_the_report_of_all_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "MOST_CONFUSIONS", 1)
    gold = read_gold("将 来 起源\n的 起源\n" * 70)
    words = [["将来", "起", "源"], ["的", "起源"]] * 70
    whole = score_segmentation(gold, words, known=KNOWN)
    part: MethodReport | None = None
    stops = []
    while part is None or part.lines is not None:
        first = part.lines or 0 if part else 0
        stored = MethodReport.from_json(json.loads(json.dumps(asdict(part)))) if part else None
        part = score_segmentation(gold, words[first:], known=KNOWN, deadline=0, begun=stored)
        stops.append(part.lines)
    assert stops == [64, 128, None]
    part.seconds = whole.seconds
    assert part == whole
    assert len(whole.confusions) == 1


def test_the_words_of_a_tokenizer_spell_each_line() -> None:
    gold = read_gold("\u3000研究 生命 New York\nA4 纸\n")
    tokenizer = MATCHING.tokenizer(Matching(Dictionary(["研究生", "生命"]), "forward"))
    assert list(segmented_by(tokenizer, gold)) == [["", "研究生", "命", "NewYork"], ["A4", "纸"]]


CONLLU = """# sent_id = 1
# text = 我在New York学习。
1\t我\t我\tPRON\tPRP\t_\t_\t_\t_\tSpaceAfter=No
2\t在\t在\tADP\tIN\t_\t_\t_\t_\tSpaceAfter=No
3-4\tNewYork\t_\t_\t_\t_\t_\t_\t_\t_
3\tNew\tNew\tPROPN\tNNP\t_\t_\t_\t_\t_
4\tYork\tYork\tPROPN\tNNP\t_\t_\t_\t_\t_
4.1\t空\t_\t_\t_\t_\t_\t_\t_\t_
5\t学习\t学习\tVERB\tVV\t_\t_\t_\t_\tSpaceAfter=No
6\t。\t。\tPUNCT\t.\t_\t_\t_\t_\tSpaceAfter=No
x\t坏
7

1\t走\t_\tVERB
"""


def test_gold_texts_are_read() -> None:
    gold = read_gold(CONLLU)
    first, second = gold.lines
    assert first.words == ["我", "在", "NewYork", "学习", "。"]
    assert first.text == "我在NewYork 学习。"
    assert first.tags == ["PRON", "ADP", "", "VERB", "PUNCT"]
    assert (first.number, second.number) == (3, 14)
    assert [problem.number for problem in gold.problems] == [11, 12]
    assert gold.tagged
    gold = read_gold("\ufeff研究  生命\u3000的 起源\r\n \r\n\t结婚 的")
    assert [line.words for line in gold.lines] == [["\ufeff研究", "生命", "的", "起源"], ["结婚", "的"]]
    gold = read_gold("研究 生命\n" + "字" * 70)
    assert [(problem.number, str(problem.message)) for problem in gold.problems] == [
        (2, "One word of 70 characters. Is the line segmented?")
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, "There are no words") for text in ("", " \n\u3000\n", "# sent_id = 1\n1\t\n")),
        ("研究生命的起源\n结婚的和尚未结婚的\n", "No line has a space"),
    ],
)
def test_a_text_without_words_or_spaces_is_refused(text: str, message: str) -> None:
    with pytest.raises(GoldError, match=message):
        read_gold(text)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("研究 生物\n的 起源", "Line 1 differs from line 1 of the gold text at character 4: '物' in place of '命'"),
        ("研究 生命\n的", "ends before line 3"),
        ("研究 生命 的起源 了", "Line 1 comes after the end of the gold text: '了'"),
        ("研究 生命的 起源", "The word '生命的' in line 1 goes beyond the end of line 1"),
    ],
)
def test_a_segmentation_of_another_text_is_refused(output: str, message: str) -> None:
    with pytest.raises(GoldError, match=message):
        read_output(output, read_gold("研究 生命\n\n的 起源"))
    conllu = "1\t研究生\n2\t命\n3\t的\n4\t起源\n"  # with other lines
    assert read_output(conllu, read_gold("研究 生命\n的 起源")) == [["研究生", "命"], ["的", "起源"]]


@given(st.text(alphabet="12-.\t\n #字a词\u3000_\r", max_size=60))
def test_no_text_is_more_than_refused(text: str) -> None:
    try:
        gold = read_gold(text)
    except GoldError:
        return
    assert read_output("\n".join(" ".join(line.words) for line in gold.lines), gold)
