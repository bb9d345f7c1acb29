"""Equal numbers of an array brought together, so that a whole corpus is counted in a few steps.

- Exploits: sorting an array takes a tenth of the time of looking each number up in a dictionary.
- Invariant: in a group, the places are in ascending order.
- Proved by: `sorted(range(len(keys)), key=keys.__getitem__)`, in `tests.core.trainers.test_groups`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.integer[Any]]


def grouped(keys: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the order that sorts the keys, the sorted keys, and where in them each distinct key begins.

    The keys are 0 or more, 64 bits wide.

    >>> [array.tolist() for array in grouped(np.array([7, 3, 7]))]
    [[1, 0, 2], [3, 7, 7], [0, 1]]
    """
    highest, bits = int(keys.max(initial=0)), int(keys.size).bit_length()
    if highest < 1 << 16:
        order: Integers = np.argsort(keys.astype(np.uint16), kind="stable")  # a radix sort
        keys = keys[order]
    elif highest >> 63 - bits:
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
    else:  # sorting numbers takes half the time of sorting indexes by them
        keys = np.sort(keys << bits | np.arange(keys.size))
        order = keys & (1 << bits) - 1
        keys = keys >> bits
    begins = np.flatnonzero(np.concatenate([np.ones(min(keys.size, 1), np.bool_), keys[1:] != keys[:-1]]))
    return order, keys, begins
