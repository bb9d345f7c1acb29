r"""Finds grapheme clusters: characters, as a reader sees them, that consist of several code points.

Markup must not split one: 👨‍👩‍👧 has five code points, é may have two.
"""

import regex

# A cluster has more than one code point only if a joining character follows, or if it starts with a prefix or a stray
# mark (Unicode Standard Annex 29, table 2). The look-ahead makes plain text, the usual case, fast.
_JOINS = r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=Regional_Indicator}\p{GCB=V}\p{GCB=T}]"
_CANDIDATE = rf"[^\r\n]{_JOINS}|\p{{GCB=L}}[\p{{GCB=L}}\p{{GCB=LV}}\p{{GCB=LVT}}]|[\p{{GCB=Prepend}}\p{{GCB=Extend}}]"
_CLUSTER = regex.compile(rf"(?={_CANDIDATE})\X")
# Without any of these there are no candidates.
_SIGN = regex.compile(rf"{_JOINS}|[\p{{GCB=L}}\p{{GCB=Prepend}}]")


LONGEST = 64
"""The most code points of a cluster. Real text has only a few; Unicode's stream-safe text format (Standard Annex 15,
section 13) allows 30 marks. Longer ones are abuse."""


def cluster_ends(text: str) -> dict[int, int]:
    r"""The offsets inside grapheme clusters, each with the end of its cluster.

    A cluster of more than `LONGEST` code points is split into clusters of that length.

    >>> cluster_ends("plain")
    {}
    >>> cluster_ends("e\u0301!")
    {1: 2}
    """
    # The different characters are few: a megabyte without clusters takes a tenth of the time of the search.
    if text.isascii() or not _SIGN.search("".join(set(text))):
        return {}
    ends: dict[int, int] = {}
    for match in _CLUSTER.finditer(text):
        start, end = match.span()
        for part in range(start, end, LONGEST):
            part_end = min(part + LONGEST, end)
            for inside in range(part + 1, part_end):
                ends[inside] = part_end
    return ends
