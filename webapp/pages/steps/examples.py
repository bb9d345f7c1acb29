"""Texts to begin with: short, and with something to see for the algorithm that is followed."""

from __future__ import annotations

CHINESE = ("研究生命科学的人", "结婚的和尚未结婚的", "南京市长江大桥")
DICTIONARIES = (
    ("研究生命科学", ("研究", "研究生", "生命", "科学")),
    ("结婚的和尚未结婚的", ("结婚", "的", "和", "和尚", "尚未")),
)
"""Texts with a small dictionary each, on which the two directions part."""
ENGLISH = ("Unbelievably, tokenization isn't trivial.", "lower newest widest")
PARTING = "The widest pages have coloured tables."
"""With the vocabulary that ships, merging and the longest piece first part on most of its words."""
UNKNOWN = "unaffable ☃man"


def examples_for(algorithm: str) -> tuple[str, ...]:
    """Some texts for an algorithm; its steps begin with the first."""
    if algorithm in ("fmm", "bmm"):
        return CHINESE
    further = {"bpe": (*ENGLISH, PARTING), "wordpiece": (ENGLISH[0], UNKNOWN)}
    return further.get(algorithm, ENGLISH)
