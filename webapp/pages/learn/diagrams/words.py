"""Diagrams of dictionary words in a text, and of segmentations beside the right one."""

from __future__ import annotations

from flask_babel import gettext as _

from webapp.core.reference.matching import backward, forward
from webapp.pages.learn.diagrams.segments import (
    SegmentRow,
    lanes,
    occurrences,
    segmentation,
    segments_figure,
)
from webapp.rendering.pictures.figure import Figure

WEDDING = "结婚\n的\n和\n和尚\n尚未"
MOLECULES = "结合\n合成\n成分\n分子\n子时"
BATS = "乒乓球\n乒乓球拍\n拍卖\n卖完\n完\n了"
ADMITTED = ("方成功", "考上", "了", "北大")
ADMITTED_CUT = ("方", "成功", "考上", "了", "北大")


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
        *lanes(_("in the dictionary"), occurrences(text, BATS.split())),
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


def _directions(text: str, dictionary: str, right: tuple[str, ...]) -> Figure:
    words = dictionary.split()
    rows = [
        *lanes(_("in the dictionary"), occurrences(text, words)),
        segmentation("FMM", forward(words, text), right),
        segmentation("BMM", backward(words, text), right),
        segmentation(_("correct"), right),
    ]
    return _figure(text, rows)


def _figure(text: str, rows: list[SegmentRow], *, positions: bool = False) -> Figure:
    return segments_figure(text, rows, title=_("Words of “%(text)s”", text=text), positions=positions)
