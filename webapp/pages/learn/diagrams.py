"""The diagrams of the lessons, which do not change: words that overlap, segmentations to compare, and tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from flask_babel import gettext as _

from webapp.core.models.hmm import jieba_hmm
from webapp.core.reference.matching import backward, forward
from webapp.core.traces.word_graph import hmm_traces
from webapp.pages.steps.maximum_probability import draw_table
from webapp.pages.walkthrough.cells import StepCell, segmentations_figure
from webapp.rendering.pictures.figure import Figure

WEDDING = "结婚\n的\n和\n和尚\n尚未"
MOLECULES = "结合\n合成\n成分\n分子\n子时"
BATS = "乒乓球\n乒乓球拍\n拍卖\n卖完\n完\n了"
ADMITTED = ("方成功", "考上", "了", "北大")
ADMITTED_CUT = ("方", "成功", "考上", "了", "北大")
RUN = "李小福是"

NamedRow = tuple[str, Sequence[StepCell]]


def monk() -> Figure:
    """和尚 and 尚未 in the sentence about marriage, and what both directions take."""
    return _directions("结婚的和尚未结婚的", WEDDING, ("结婚", "的", "和", "尚未", "结婚", "的"))


def chain() -> Figure:
    """A chain of length 4, which both directions segment in the same way."""
    return _directions("结合成分子时", MOLECULES, ("结合", "成", "分子", "时"))


def bats() -> Figure:
    """Two readings of a sentence, both of them right."""
    text = "乒乓球拍卖完了"
    rows = [
        *lanes(_("in the dictionary"), text, occurrences(text, BATS.split())),
        segmentation(_("sold out"), ("乒乓球拍", "卖完", "了")),
        segmentation(_("auctioned off"), ("乒乓球", "拍卖", "完", "了")),
    ]
    return _figure(text, rows)


def spans() -> Figure:
    """A segmentation, the gold standard above it, and the positions between the characters."""
    rows = [
        segmentation(_("gold standard"), ADMITTED),
        segmentation(_("program"), ADMITTED_CUT, ADMITTED),
    ]
    return _figure("".join(ADMITTED), rows, positions=True)


def trellis() -> Figure:
    """The Viterbi table of a run: for each character and tag the best sum, and where it comes from."""
    (table,) = hmm_traces(jieba_hmm(), RUN)
    return draw_table(table, len(RUN), traced=True)


def _directions(text: str, dictionary: str, right: tuple[str, ...]) -> Figure:
    words = dictionary.split()
    rows = [
        *lanes(_("in the dictionary"), text, occurrences(text, words)),
        segmentation("FMM", forward(words, text), right),
        segmentation("BMM", backward(words, text), right),
        segmentation(_("correct"), right),
    ]
    return _figure(text, rows)


def _figure(text: str, rows: list[NamedRow], *, positions: bool = False) -> Figure:
    """The characters of a text, and rows of words below them."""
    characters = [StepCell(character, "rest") for character in text]
    title = _("Words of “%(text)s”", text=text)
    return segmentations_figure([("", characters), *rows], title=title, positions=positions)


def segmentation(label: str, words: Iterable[str], right: Sequence[str] = ()) -> NamedRow:
    """A row with a segmentation; words that `right` does not have at the same place are wrong.

    >>> [one.kinds for one in segmentation("FMM", ["研究生", "命", "科学"], ["研究", "生命", "科学"])[1]]
    ['unknown', 'unknown', '']
    """
    words, correct = list(words), set(spans_of(right))
    kinds = ["" if not right or span in correct else "unknown" for span in spans_of(words)]
    return label, [StepCell(word, kind) for word, kind in zip(words, kinds, strict=True)]


def spans_of(words: Iterable[str]) -> list[tuple[int, int]]:
    """The start and end of each word of a segmentation.

    >>> spans_of(["研究", "生命"])
    [(0, 2), (2, 4)]
    """
    spans: list[tuple[int, int]] = []
    for word in words:
        start = spans[-1][1] if spans else 0
        spans.append((start, start + len(word)))
    return spans


def occurrences(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """The spans of a text that are words, in order of their starts; a single character does not count.

    >>> occurrences("和尚未", ["和", "和尚", "尚未"])
    [(0, 2), (1, 3)]
    """
    known = set(words)
    return [
        (start, end)
        for start in range(len(text))
        for end in range(start + 2, len(text) + 1)
        if text[start:end] in known
    ]


def lanes(label: str, text: str, spans: Sequence[tuple[int, int]]) -> list[NamedRow]:
    """Rows in which no words overlap; a word that shares a character with another one is marked.

    >>> [[cell.kinds for cell in cells] for _label, cells in lanes("words", "研究生命", [(0, 2), (1, 3), (2, 4)])]
    [['differs', 'differs'], ['gap', 'differs', 'gap']]
    """
    rows: list[list[tuple[int, int]]] = []
    for span in spans:
        row = next((row for row in rows if row[-1][1] <= span[0]), None)
        if row is None:
            rows.append(row := [])
        row.append(span)
    overlapping = {span for span in spans for start, end in spans if start < span[1] and span[0] < end != span[1]}
    found: list[NamedRow] = []
    for at, row in enumerate(rows):
        edges = sorted({0, len(text), *(edge for span in row for edge in span)})
        kinds = ["gap" if span not in row else "differs" if span in overlapping else "" for span in pairwise(edges)]
        cells = [StepCell(text[start:end], kind) for (start, end), kind in zip(pairwise(edges), kinds, strict=True)]
        found.append(("" if at else label, cells))
    return found
