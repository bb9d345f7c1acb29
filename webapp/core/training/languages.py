"""Counts of several languages in one mapping, for parity-aware BPE: each file of a corpus is a language.

A word is tagged with the number of its file, so that counts are added, sorted, stored and sent as any others.
"""

from __future__ import annotations

from collections.abc import Mapping

SEPARATOR = "\x1f"  # after the number; a word may contain it too


def tagged(counts: Mapping[str, int], language: int) -> dict[str, int]:
    r"""Return the counts with the number of a language before each word.

    >>> tagged({"low": 2}, 1)
    {'1\x1flow': 2}
    """
    return {f"{language}{SEPARATOR}{word}": count for word, count in counts.items()}


def by_language(counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    r"""Return the counts of each language, in the order of their numbers, without the tags.

    >>> by_language({"1\x1flow": 2, "0\x1fde": 1, "1\x1fer": 1})
    {'0': {'de': 1}, '1': {'low': 2, 'er': 1}}
    """
    found: dict[str, dict[str, int]] = {}
    for word, count in counts.items():
        language, _, untagged = word.partition(SEPARATOR)
        found.setdefault(language, {})[untagged] = count
    return {language: found[language] for language in sorted(found, key=int)}
