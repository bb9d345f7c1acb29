"""Unicode's normalization forms with alignment: the source of each character of the result.

`unicodedata` computes the text. This module computes the alignment with the algorithms of Unicode Standard Annex 15 and
a count for each character, like the crate that `tokenizers` uses: 0 for a character that replaces one of the original,
1 for an added one, and -n for one that n others were composed into.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Literal

import regex

from webapp.core.text.alignment import Edit
from webapp.core.text.unicode_tables import members

# unicodedata sorts combining marks by insertion, which takes minutes for a megabyte of them in the wrong order.
_LONG_RUN_OF_MARKS = regex.compile(r"\p{M}{100}")
# Spans between ASCII characters normalize separately, and so do the segments of a span: none of `_JOINING` is at the
# beginning of the decomposition of another character, and only they compose with or move before the one before them.
_SPAN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_JOINING = r"\p{M}\u1160-\u11ff\u3131-\u318e\ud7b0-\ud7ff\uff9e-\uffdc\U00016d63-\U00016d6a"
_SEGMENT = regex.compile(rf"[^{_JOINING}][{_JOINING}]*+|[{_JOINING}]++")

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
Counted = tuple[str, int]


def normalized(form: Form, text: str) -> str:
    """Return the text in a form, like `unicodedata.normalize` but near-linear on any text.

    >>> normalized("NFC", "e\\u0301")
    'é'
    """
    newer = _NEWER.search(text)
    if newer is None and unicodedata.is_normalized(form, text):
        return text
    if newer is not None or _LONG_RUN_OF_MARKS.search(text):
        known = _Segments(form)
        return _SPAN.sub(lambda span: "".join([known[part][0] for part in _SEGMENT.findall(span[0])]), text)
    return unicodedata.normalize(form, text)


def is_normalized(form: Form, text: str) -> bool:
    """Whether the text is already in a form; False if that is uncertain."""
    return _NEWER.search(text) is None and unicodedata.is_normalized(form, text)


def form_edits(form: Form, text: str) -> Iterator[Edit]:
    """Yield the edits that bring a text into a form.

    >>> list(form_edits("NFC", "cafe\\u0301"))
    [(3, 5, 'é', [3])]
    """
    known = _Segments(form)
    for span in _SPAN.finditer(text):
        if is_normalized(form, span[0]):
            continue
        start = span.start()
        for segment in _SEGMENT.findall(span[0]):
            changed, sources = known[segment]
            end = start + len(segment)
            if changed != segment or len(segment) > 1:
                yield start, end, changed, [start + source for source in sources]
            start = end


class _Segments(dict[str, tuple[str, list[int]]]):
    """The normalized segments of a text with their sources, each computed once: U+FDFA, which becomes 18 characters,
    a third of a million times takes 0.1 s instead of 7 s."""

    def __init__(self, form: Form) -> None:
        super().__init__()
        self._form = form

    def __missing__(self, segment: str) -> tuple[str, list[int]]:
        found = self[segment] = _normalized(self._form, segment)
        return found


def _normalized(form: Form, text: str) -> tuple[str, list[int]]:
    decomposed = _in_canonical_order(_decomposed("NFKD" if "K" in form else "NFD", text))
    counted = _composed(decomposed) if form.endswith("C") else decomposed
    return "".join(character for character, _ in counted), _sources(counted)


def _sources(counted: list[Counted]) -> list[int]:
    sources = []
    position = 0
    for _, count in counted:
        if count > 0:
            sources.append(max(position - 1, 0))
        else:
            sources.append(position)
            position += 1 - count
    return sources


def _decomposed(form: Form, text: str) -> list[Counted]:
    normalize = unicodedata.normalize
    return [
        (part, int(at > 0))
        for character in text
        for at, part in enumerate(character if _NEWER_COMPOSED.match(character) else normalize(form, character))
    ]


def _in_canonical_order(counted: list[Counted]) -> list[Counted]:
    """Sort runs of combining characters by class; the sort is stable."""
    classes = [_combining(character) for character, _ in counted]
    ordered = counted.copy()
    start = 0
    for at in range(len(classes) + 1):
        if at == len(classes) or classes[at] == 0:
            if at - start > 1:
                run = sorted(range(start, at), key=classes.__getitem__)
                ordered[start:at] = [counted[index] for index in run]
            start = at + 1
    return ordered


def _combining(character: str) -> int:
    return 0 if _NEWER_MARK.match(character) else unicodedata.combining(character)


def _composed(counted: list[Counted]) -> list[Counted]:
    result: list[Counted] = []
    starter = -1  # index in `result` of the last character that others can compose with
    last_class = 0
    for character, count in counted:
        combining = _combining(character)
        adjacent = starter == len(result) - 1
        if starter >= 0 and (adjacent or (combining and combining > last_class)):
            merged = unicodedata.normalize("NFC", result[starter][0] + character)
            if len(merged) == 1 and not _NEWER_COMPOSED.match(merged):
                result[starter] = (merged, result[starter][1] + count - 1)
                continue
        result.append((character, count))
        if combining == 0:
            starter = len(result) - 1
        last_class = combining
    return result


# Characters that `unicodedata` composes or reorders, but are unassigned in Unicode 9, the version of `tokenizers`.
_NEWER_COMPOSED = re.compile(f"[{members('not decomposed')}]")
_NEWER_MARK = re.compile(f"[{members('not reordered')}]")
# Includes U+11930, which would compose to U+11938, the only one of these with a canonical decomposition.
_ALL = f"{members('not decomposed')}{members('not reordered')}\\U00011930"
# `re` compares a character with each range beyond the Basic Multilingual Plane: with one, a search takes a twentieth.
_PERHAPS = re.sub(r"\\U0001\w{4}(-\\U0001\w{4})?", "", _ALL) + r"\U00010000-\U0001ffff"
_NEWER = re.compile(f"[{_PERHAPS}](?<=[{_ALL}])")
