"""Agreement of several segmentations of one text: the boundaries of each, of all, and of every pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """The boundaries inside one text, as character offsets in ascending order.

    `each` holds those of every segmentation, in the given order; `agreed` those in all of them, `disputed` those in
    only some. `shared[i][j]` is the number that the i-th and the j-th have in common, `shared[i][i]` the number of the
    i-th.
    """

    each: tuple[tuple[int, ...], ...]
    agreed: tuple[int, ...]
    disputed: tuple[int, ...]
    shared: tuple[tuple[int, ...], ...]

    def similarity(self, one: int, other: int) -> float:
        """The Jaccard index of two segmentations: the share of their boundaries that both have, from 0 to 1."""
        both = self.shared[one][other]
        either = self.shared[one][one] + self.shared[other][other] - both
        return both / either if either else 1.0


def agreement_of(each: Iterable[Sequence[int]]) -> Agreement:
    """Compare segmentations by their boundaries, as `token_boundaries` returns them.

    Apart from sorting, the time is linear in the number of boundaries.

    >>> found = agreement_of([[3, 4, 6], [4, 6], [2, 4]])
    >>> found.agreed, found.disputed
    ((4,), (2, 3, 6))
    >>> found.shared
    ((3, 2, 1), (2, 2, 1), (1, 1, 2))
    >>> found.similarity(0, 1)
    0.6666666666666666
    """
    cuts = tuple(map(tuple, each))
    sets = [frozenset(one) for one in cuts]
    agreed = frozenset.intersection(*sets) if sets else frozenset()
    return Agreement(
        each=cuts,
        agreed=tuple(sorted(agreed)),
        disputed=tuple(sorted(frozenset().union(*sets) - agreed)),
        shared=tuple(tuple(len(one & other) for other in sets) for one in sets),
    )


def token_boundaries(starts: Sequence[int], ends: Sequence[int], length: int) -> list[int]:
    """The boundaries inside a text of `length` characters, given the starts and ends of its tokens.

    A boundary is where one token ends and the next begins. Text without a token, such as the spaces that BERT drops,
    counts as part of the token after it, like the space that begins a token of GPT or SentencePiece: whether a
    tokenizer drops spaces does not change where it splits. There is no boundary between tokens that share a character,
    and none at tokens without any text.

    >>> token_boundaries([0, 3, 7], [3, 6, 9], 9)  # "low" and "est", then after a space "ly"
    [3, 6]
    >>> token_boundaries([0, 1, 1, 1], [1, 2, 2, 2], 2)  # three bytes of the second character
    [1]
    """
    found = []
    reach = 0
    for start, end in zip(starts, ends, strict=True):
        if start == end:
            continue
        if start >= reach > 0:
            found.append(reach)
        if end > reach:
            reach = end
    return [offset for offset in found if offset < length]
