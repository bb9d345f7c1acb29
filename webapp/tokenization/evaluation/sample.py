"""The site's own gold sample: 214 sentences of Lu Xun, *Dream of the Red Chamber* and *Water Margin*.

All three are in the public domain. The words were separated by hand, to the guideline that the page shows; each line
without its spaces is the text of its source.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

SOURCES = ("luxun", "honglou", "shuihu")

_FOLDER = Path(__file__).parent / "sample"


@cache
def sample_text() -> str:
    """The sample, one sentence a line, with a space between words."""
    return "".join((_FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in SOURCES)
