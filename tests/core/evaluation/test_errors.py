"""Errors by position: where they are, what kind they are, and what a report counts and lists."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.evaluation import report as reports
from webapp.core.evaluation.gold import read_gold
from webapp.core.evaluation.report import OutOfTimeError, ScoreReport, report_of, score_segmentation, segmented_by
from webapp.core.evaluation.score import KINDS, NameFinder, differences, errors_of
from webapp.core.models.dictionary import Dictionary
from webapp.core.models.matching import Matching
from webapp.core.recipes import MATCHING

KNOWN = {"研究", "生命", "起源", "将", "来", "将来", "他", "北京", "大学", "的"}


@pytest.mark.parametrize(
    ("gold", "output", "kind"),
    [
        ("研究 生命", "研究生 命", "overlap"),
        ("将 来", "将来", "merged"),
        ("起源", "起 源", "split"),
        ("的 梦境", "的梦 境", "unknown"),
        ("二○○一年", "二○ ○一 年", "number"),
        ("WTO", "W TO", "number"),
        ("三 碗", "三碗", "number"),
        ("北京", "北 京", "name"),
        ("王小明", "王 小明", "name"),
        ("欧阳锋", "欧 阳锋", "name"),
        ("北 京", "北京", "name"),
        ("将 京大学", "将京 大学", "unknown"),
    ],
)
def test_the_kind_of_an_error(gold: str, output: str, kind: str) -> None:
    finder = NameFinder({"北京"}, KNOWN)
    (error,) = errors_of(0, gold.split(), output.split(), known=KNOWN, names=finder)
    assert error.kind == kind


def test_tags_of_the_gold_text_decide_what_a_name_is() -> None:
    gold, output = ["北京", "小宝"], ["北", "京小", "宝"]
    finder = NameFinder({"北京"}, KNOWN)
    (error,) = errors_of(0, gold, output, tags=["NOUN", "NOUN"], known=KNOWN, names=finder)
    assert error.kind == "unknown"
    (error,) = errors_of(0, gold, output, tags=["NOUN", "PROPN"], known=KNOWN, names=finder)
    assert error.kind == "name"


def test_an_indented_line() -> None:
    (error,) = errors_of(3, ["", "将", "来"], ["", "将来"], known=KNOWN)
    assert (error.line, error.start, error.end, error.output) == (3, 1, 3, "将来")


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
    assert scored.error_count == 3
    assert scored.kinds == {kind: {"merged": 2, "split": 1}.get(kind, 0) for kind in KINDS}
    assert [(error.line, error.output) for error in scored.errors] == [(0, "将来"), (0, "起 源")]
    assert scored.confusions[0] == ("将 来", "将来", "merged", 2)
    report = report_of(gold, [scored], None)
    assert report.lines == {0: ["将", "来", "起源"]}
    stored = report.as_json()
    stored["methods"][0]["score"]["insertions"] = 2  # as in reports of earlier versions
    assert ScoreReport.from_json(stored) == report


def test_the_words_of_a_tokenizer_spell_each_line() -> None:
    gold = read_gold("\u3000研究 生命 New York\nA4 纸\n")
    tokenizer = MATCHING.tokenizer(Matching(Dictionary(["研究生", "生命"]), "forward"))
    assert list(segmented_by(tokenizer, gold)) == [["", "研究生", "命", "NewYork"], ["A4", "纸"]]


def test_scoring_stops_at_its_deadline() -> None:
    gold = read_gold("将 来\n" * 3)
    with pytest.raises(OutOfTimeError):
        score_segmentation(gold, [["将来"]] * 3, known=None, deadline=0)
