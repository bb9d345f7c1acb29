r"""Where one character, as a reader sees it, is several code points.

Markup must never cut inside one: 👨‍👩‍👧 is five code points, é may be two.
"""

from __future__ import annotations

import regex

# A cluster has more than one code point only where something that joins follows, or a prefix or a stray mark stands
# first (Unicode Standard Annex 29, table 2). The look-ahead keeps plain text, the usual case, cheap.
_JOINS = r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=Regional_Indicator}\p{GCB=V}\p{GCB=T}]"
_CANDIDATE = rf"[^\r\n]{_JOINS}|\p{{GCB=L}}[\p{{GCB=L}}\p{{GCB=LV}}\p{{GCB=LVT}}]|[\p{{GCB=Prepend}}\p{{GCB=Extend}}]"
_CLUSTER = regex.compile(rf"(?={_CANDIDATE})\X")


LONGEST = 64
"""The most code points that are kept whole: writing needs a handful, and a letter under a thousand marks is a prank
(Unicode's stream-safe text format, Standard Annex 15, section 13, allows 30 marks)."""


def cluster_ends(text: str) -> dict[int, int]:
    r"""Each offset that lies inside a grapheme cluster, and where that cluster ends.

    Of a cluster of more than `LONGEST` code points every `LONGEST` are taken for one.

    >>> cluster_ends("plain")
    {}
    >>> cluster_ends("e\u0301!")
    {1: 2}
    """
    if text.isascii():
        return {}
    ends: dict[int, int] = {}
    for match in _CLUSTER.finditer(text):
        start, end = match.span()
        for part in range(start, end, LONGEST):
            part_end = min(part + LONGEST, end)
            for inside in range(part + 1, part_end):
                ends[inside] = part_end
    return ends
