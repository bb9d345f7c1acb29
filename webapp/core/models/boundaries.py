"""Where byte-level BPE can never merge: between characters that no piece holds side by side.

Text without spaces makes long pre-tokens that hardly ever return. Cut at those places they fall into short stretches
that do, and that can be merged one by one: a merge makes a piece, and no piece reaches across.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise


class Boundaries:
    """The places in a pre-token that no piece crosses, as far as they lie beside a character above ASCII.

    >>> boundaries = Boundaries(["研究".encode(), "生".encode() + b"\\xe5", b"a", b"ab"])
    >>> boundaries.cut("研究研生命究ab")
    ['研究', '研', '生命', '究', 'ab']
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._joined: set[str] = set()
        self._before_part: set[str] = set()
        self._after_part: set[str] = set()
        self._leads: set[int] = set()
        for piece in pieces:
            if len(piece) > 1 and not piece.isascii():
                # Bytes that are only part of a character become lone surrogates.
                self._add(piece.decode("utf-8", errors="surrogateescape"))

    def cut(self, text: str) -> list[str]:
        """The stretches between the boundaries."""
        joined, before, after, leads = self._joined, self._before_part, self._after_part, self._leads
        cuts = [
            at
            for at in range(1, len(text))
            if (pair := text[at - 1 : at + 1]) not in joined
            and not pair.isascii()
            and pair[0] not in before
            and pair[1] not in after
            and not (leads and pair[1].encode()[0] in leads)
        ]
        return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    def _add(self, piece: str) -> None:
        for left, right in pairwise(piece):
            left_is_part, right_is_part = "\udc80" <= left <= "\udcff", "\udc80" <= right <= "\udcff"
            if not left_is_part and not right_is_part:
                self._joined.add(left + right)
            elif not right_is_part:
                self._after_part.add(right)
            elif not left_is_part:
                self._before_part.add(left)
            elif right >= "\udcc0":  # a character's first byte, behind another's last
                self._leads.add(ord(right) - 0xDC00)
