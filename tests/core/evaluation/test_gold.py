"""Gold texts and segmentations of them: what is read, what is left out, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.core.evaluation.gold import GoldError, read_gold, read_output

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


def test_conllu() -> None:
    gold = read_gold(CONLLU)
    first, second = gold.lines
    assert first.words == ["我", "在", "NewYork", "学习", "。"]
    assert first.text == "我在NewYork 学习。"
    assert first.tags == ["PRON", "ADP", "", "VERB", "PUNCT"]
    assert (first.number, second.number) == (3, 14)
    assert [problem.number for problem in gold.problems] == [11, 12]
    assert gold.tagged


def test_any_white_space_of_the_bakeoffs_separates_words() -> None:
    gold = read_gold("\ufeff研究  生命\u3000的 起源\r\n \r\n\t结婚 的")
    assert [line.words for line in gold.lines] == [["研究", "生命", "的", "起源"], ["结婚", "的"]]


def test_a_line_that_is_not_segmented_is_reported() -> None:
    gold = read_gold("研究 生命\n" + "字" * 70)
    assert [(problem.number, str(problem.message)) for problem in gold.problems] == [
        (2, "One word of 70 characters. Is the line segmented?")
    ]


@pytest.mark.parametrize("text", ["", " \n\u3000\n", "# sent_id = 1\n1\t\n"])
def test_a_text_without_words_is_refused(text: str) -> None:
    with pytest.raises(GoldError, match="There are no words"):
        read_gold(text)


def test_a_text_without_spaces_is_refused() -> None:
    with pytest.raises(GoldError, match="No line has a space"):
        read_gold("研究生命的起源\n结婚的和尚未结婚的\n")


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


def test_a_segmentation_may_be_conllu_and_have_other_lines() -> None:
    gold = read_gold("研究 生命\n的 起源")
    assert read_output("1\t研究生\n2\t命\n3\t的\n4\t起源\n", gold) == [["研究生", "命"], ["的", "起源"]]


@given(st.text(alphabet="12-.\t\n #字a词\u3000_\r", max_size=60))
def test_no_text_is_more_than_refused(text: str) -> None:
    try:
        gold = read_gold(text)
    except GoldError:
        return
    assert read_output("\n".join(" ".join(line.words) for line in gold.lines), gold)
