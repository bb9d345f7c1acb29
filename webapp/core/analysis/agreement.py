"""Where several segmentations of one text agree: the boundaries of each, of all, and of every two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """The boundaries inside one text, as character offsets in ascending order.

    `each` has those of every segmentation, in the order in which they were given; `agreed` are in all of them,
    `disputed` in some only. `shared[i][j]` is how many the i-th and the j-th have in common, `shared[i][i]` how many
    the i-th has.
    """

    each: tuple[tuple[int, ...], ...]
    agreed: tuple[int, ...]
    disputed: tuple[int, ...]
    shared: tuple[tuple[int, ...], ...]

    def similarity(self, one: int, other: int) -> float:
        """How much of what either of two segmentations cuts both cut, from 0 to 1 (Jaccard's index)."""
        both = self.shared[one][other]
        either = self.shared[one][one] + self.shared[other][other] - both
        return both / either if either else 1.0


def agreement_of(each: Iterable[Sequence[int]]) -> Agreement:
    """Compare segmentations by their boundaries, as `boundaries_of` gives them.

    Takes time linear in the number of boundaries, but for sorting them.

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
    """The boundaries inside a text of `length` characters whose tokens stand from `starts` to `ends`.

    A boundary is where a token ends and another begins. Text that no token covers, such as the spaces that BERT drops,
    goes with the token behind it, as the space does that GPT's and SentencePiece's tokens begin with: whether a
    tokenizer keeps spaces or not is no difference in where it cuts. Tokens that share a character have no boundary
    between them, for there is none between characters; tokens without any text have none at all.

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
