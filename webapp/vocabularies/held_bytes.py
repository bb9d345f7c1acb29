"""Measures what a loaded vocabulary takes in memory, from a sample of its objects.

An estimate for each piece would not do: in the tables of the well-known vocabularies, a piece takes from 200 bytes
(merge ranks of tiktoken) to 640 (a SentencePiece model with its merges).
"""

from __future__ import annotations

from collections.abc import Iterable
from gc import get_referents
from itertools import chain
from sys import getsizeof
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

from webapp.core.cache import Cache

SAMPLE = 300  # elements of a container that stand for all of them
# The allocator rounds the size of each object up; objects have 16 to 32 bytes before them for the garbage collector,
# which `getsizeof` counts only in part.
ROUNDED = 1.1
_SPREAD = 0x9E3779B1  # spreads addresses, which are multiples of 16, over all numbers
_SHARED = (type, ModuleType, BuiltinFunctionType, Cache)


def held_bytes(root: object) -> int:
    """The bytes of an object and of everything that it refers to, within about a fifth.

    It takes 30 to 100 ms for 32,000 pieces, a tenth of the time that reading them takes.

    Not counted: classes, modules, global variables of functions, and the contents of word caches, which have a count
    of their own. Of a container with many elements, `SAMPLE` stand for all.
    """
    seen: set[int] = set()
    total = 0.0
    waiting: list[tuple[object, float]] = [(root, 1.0)]
    while waiting:
        found, times = waiting.pop()
        if id(found) in seen or isinstance(found, _SHARED):
            continue
        seen.add(id(found))
        total += times * _own_bytes(found)
        inside, number = _inside(found)
        if number > SAMPLE:
            # Chosen by address, so that several tables of the same objects have the same ones in their samples.
            step = 1 << (number // SAMPLE).bit_length()
            waiting += [(each, times * step) for each in inside if (id(each) * _SPREAD >> 40) % step == 0]
        else:
            waiting += [(each, times) for each in inside]
    return int(ROUNDED * total)


def _own_bytes(found: object) -> int:
    """The bytes of an object without those that it refers to; small numbers exist once in each process."""
    if found.__class__ is int and -6 < found < 257:
        return 0
    return getsizeof(found)


def _inside(found: object) -> tuple[Iterable[Any], int]:
    """The objects that one refers to, in the same order for equal containers, and their number."""
    if isinstance(found, str | bytes | int | float | None):
        return (), 0
    if isinstance(found, FunctionType):
        return (*(found.__closure__ or ()), *(found.__defaults__ or ())), 0
    if isinstance(found, MethodType | CellType):
        return get_referents(found), 0
    if isinstance(found, dict):
        return chain(found, found.values()), 2 * len(found)
    if isinstance(found, list | tuple | set | frozenset):
        return found, len(found)
    referents = get_referents(found)
    return referents, len(referents)
