"""How far two texts agree."""

from __future__ import annotations


def equal_beginning(one: str, other: str) -> int:
    """The number of characters with which both texts begin; of different texts, the offset of the first difference.

    >>> equal_beginning("abcd", "abxd"), equal_beginning("ab", "abc"), equal_beginning("", "a")
    (2, 2, 0)
    """
    low, high = 0, min(len(one), len(other))
    while low < high:  # by halving: comparing slices is fast
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
