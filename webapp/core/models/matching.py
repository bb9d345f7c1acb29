"""Dictionary segmentation by maximum matching: forward (FMM), backward (BMM) and bidirectional.

The oldest way to find words in Chinese text (Liu and Liang 1986 named the methods; Sproat and Emerson 2003,
"The First International Chinese Word Segmentation Bakeoff", section 4, give FMM as the baseline): take the
longest word of the dictionary from one end of the text, again and again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from typing import Literal

from webapp.core.models.by_sentence import Segmenter
from webapp.core.models.dictionary import Dictionary

Way = Literal["forward", "backward"]
"""A direction in which a text is read."""
Direction = Literal["forward", "backward", "both"]
"""The direction of a model: `both` chooses one of the two results."""
Reason = Literal["fewer words", "fewer single characters", "backward by default"]


class Matching(Segmenter):
    """Maximum matching as a model; it segments the whole text and needs no pre-tokenizer.

    Where no word matches, a single character is a token, marked as unknown (out of vocabulary, OOV) unless it is white
    space or punctuation: these are kept as tokens that are neither words nor unknown. With `keep_runs`
    a run of Latin letters and digits is never split: it is one token, unknown unless it is a word.
    The direction `"both"` uses the segmentation that `verdict` chooses.

    >>> dictionary = Dictionary(["研究", "研究生", "生命", "科学"])
    >>> Matching(dictionary, "forward").segment("研究生命科学")
    ((1, 0, 3), (4, 3, 4), (3, 4, 6))
    >>> [dictionary.words[id] for id in Matching(dictionary, "both").ids("研究生命科学")]
    ['研究', '生命', '科学']
    """

    def __init__(self, dictionary: Dictionary, direction: Direction, keep_runs: bool = True) -> None:
        """Raises ValueError for any other direction."""
        if direction not in ("forward", "backward", "both"):
            raise ValueError(f"the direction must be forward, backward or both, not {direction!r}")
        super().__init__(dictionary)
        self.direction = direction
        self.keep_runs = keep_runs

    def _segment(self, text: str) -> tuple[list[int], list[int]]:
        if self.direction == "forward":
            return forward(self.dictionary, text, self.keep_runs)
        if self.direction == "backward":
            return backward(self.dictionary, text, self.keep_runs)
        found = forward(self.dictionary, text, self.keep_runs), backward(self.dictionary, text, self.keep_runs)
        return found[_decide(self.dictionary, *found).direction == "backward"]


def forward(dictionary: Dictionary, text: str, keep_runs: bool = True) -> tuple[list[int], list[int]]:
    """The ids and the ends of the words, longest first from the left.

    >>> forward(Dictionary(["和", "和尚", "尚未"]), "和尚未")
    ([1, 3], [2, 3])
    """
    ids: list[int] = []
    ends: list[int] = []
    id_of = dictionary.ids.get
    other_id_of, unknown_id = dictionary.other_ids.get, dictionary.unknown_id
    inside = _inside_runs(dictionary, text, keep_runs)
    # For each two characters, the lengths of the words that begin with them, looked up for the whole text at once.
    lengths_at = list(map(dictionary.lengths_by_beginning.get, map(add, text, text[1:] + "\0")))
    add_id, add_end = ids.append, ends.append
    start, length = 0, len(text)
    while start < length:
        for word_length in lengths_at[start] or ():
            end = start + word_length
            id = id_of(text[start:end])
            if id is not None and not inside[end]:
                break
        else:
            end = start + 1
            if inside[end]:
                end = inside.find(0, end)
            id = id_of(text[start:end])
            if id is None:
                id = other_id_of(text[start:end], unknown_id)
        add_id(id)
        add_end(end)
        start = end
    return ids, ends


def backward(dictionary: Dictionary, text: str, keep_runs: bool = True) -> tuple[list[int], list[int]]:
    """The ids and the ends of the words, longest first from the right; both in reading order.

    >>> backward(Dictionary(["和", "和尚", "尚未"]), "和尚未")
    ([0, 2], [1, 3])
    """
    ids: list[int] = []
    ends: list[int] = []
    id_of = dictionary.ids.get
    other_id_of, unknown_id = dictionary.other_ids.get, dictionary.unknown_id
    inside = _inside_runs(dictionary, text, keep_runs)
    lengths_at = list(map(dictionary.lengths_by_ending.get, map(add, "\0" + text, text)))
    add_id, add_end = ids.append, ends.append
    end = len(text)
    while end > 0:
        for word_length in lengths_at[end - 1] or ():
            # A negative index, before the beginning of the text, reads the padding after its end.
            start = end - word_length
            id = id_of(text[start:end])
            if id is not None and not inside[start]:
                break
        else:
            start = end - 1
            if inside[start]:
                start = inside.rfind(0, 0, start)
            id = id_of(text[start:end])
            if id is None:
                id = other_id_of(text[start:end], unknown_id)
        add_id(id)
        add_end(end)
        end = start
    ids.reverse()
    ends.reverse()
    return ids, ends


@dataclass(frozen=True, slots=True)
class Verdict:
    """The direction that the bidirectional rule chooses, the reason, and the counts that it compares.

    The rule: fewer words; if equal, fewer single-character words; if equal again, backward. White space is not counted.
    `differ` says whether the two segmentations differ at all.
    """

    direction: Way
    reason: Reason
    forward_words: int
    backward_words: int
    forward_single_characters: int
    backward_single_characters: int
    differ: bool


def verdict(dictionary: Dictionary, text: str, keep_runs: bool = True) -> Verdict:
    """The bidirectional rule's decision on a text.

    >>> found = verdict(Dictionary(["研究", "研究生", "生命", "科学"]), "研究生命科学")
    >>> found.direction, found.reason, found.forward_single_characters, found.backward_single_characters
    ('backward', 'fewer single characters', 1, 0)
    """
    return _decide(dictionary, forward(dictionary, text, keep_runs), backward(dictionary, text, keep_runs))


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A shortest span of the text that the two directions segment differently."""

    start: int
    end: int
    forward: tuple[str, ...]
    backward: tuple[str, ...]


def disagreements(dictionary: Dictionary, text: str, keep_runs: bool = True) -> list[Disagreement]:
    """Where forward and backward matching differ, in reading order.

    >>> disagreements(Dictionary(["结婚", "的", "和", "和尚", "尚未"]), "结婚的和尚未结婚的")
    [Disagreement(start=3, end=6, forward=('和尚', '未'), backward=('和', '尚未'))]
    """
    return verdict_and_disagreements(dictionary, text, keep_runs)[1]


def verdict_and_disagreements(
    dictionary: Dictionary, text: str, keep_runs: bool = True
) -> tuple[Verdict, list[Disagreement]]:
    """The verdict and the disagreements, from one pass in each direction."""
    found_forward, found_backward = forward(dictionary, text, keep_runs), backward(dictionary, text, keep_runs)
    decision = _decide(dictionary, found_forward, found_backward)
    return decision, disagreements_of(text, found_forward[1], found_backward[1])


def disagreements_of(text: str, forward_ends: list[int], backward_ends: list[int]) -> list[Disagreement]:
    """Where two segmentations differ, in reading order, from the ends of their words.

    >>> disagreements_of("研究生命", [3, 4], [2, 4])
    [Disagreement(start=0, end=4, forward=('研究生', '命'), backward=('研究', '生命'))]
    """
    common = sorted(set(forward_ends).intersection(backward_ends))
    found = []
    start = forward_at = backward_at = 0
    for end in common:
        forward_next = forward_ends.index(end, forward_at) + 1
        backward_next = backward_ends.index(end, backward_at) + 1
        if forward_next - forward_at != 1 or backward_next - backward_at != 1:
            found.append(
                Disagreement(
                    start,
                    end,
                    _words(text, start, forward_ends[forward_at:forward_next]),
                    _words(text, start, backward_ends[backward_at:backward_next]),
                )
            )
        start, forward_at, backward_at = end, forward_next, backward_next
    return found


def _words(text: str, start: int, ends: Sequence[int]) -> tuple[str, ...]:
    return tuple(text[left:right] for left, right in zip([start, *ends], ends, strict=False))


def _decide(
    dictionary: Dictionary, found_forward: tuple[list[int], list[int]], found_backward: tuple[list[int], list[int]]
) -> Verdict:
    forward_ends, backward_ends = found_forward[1], found_backward[1]
    last = dictionary.unknown_id  # the ids after it are white space and punctuation, each one character
    spaces = [sum(id > last for id in ids) for ids in (found_forward[0], found_backward[0])]
    words = len(forward_ends) - spaces[0], len(backward_ends) - spaces[1]
    singles = _single_characters(forward_ends) - spaces[0], _single_characters(backward_ends) - spaces[1]
    direction: Way = "forward" if (words[0], singles[0]) < (words[1], singles[1]) else "backward"
    fewer: Reason = "fewer words" if words[0] != words[1] else "fewer single characters"
    reason: Reason = fewer if (words[0], singles[0]) != (words[1], singles[1]) else "backward by default"
    return Verdict(direction, reason, *words, *singles, differ=forward_ends != backward_ends)


def _single_characters(ends: Sequence[int]) -> int:
    return sum(end - start == 1 for start, end in zip([0, *ends], ends, strict=False))


def runs_of(text: str) -> list[tuple[int, int]]:
    """`(start, end)` of each run of two or more Latin letters and digits.

    >>> runs_of("用A4纸x张")
    [(1, 3)]
    """
    return [run.span() for run in _RUN.finditer(text)]


_RUN = re.compile(r"[0-9A-Za-zÀ-ÖØ-öø-ɏḀ-ỿ０-９Ａ-Ｚａ-ｚ]{2,}")


def _inside_runs(dictionary: Dictionary, text: str, keep_runs: bool) -> bytearray:
    """For each boundary between characters, whether it lies inside a run of Latin letters and digits.

    It is padded with true values for the length of the longest word: no word may end after the text.

    >>> dictionary = Dictionary(["纸"])
    >>> list(_inside_runs(dictionary, "用A4纸", True)), list(_inside_runs(dictionary, "用A4纸", False))
    ([0, 0, 1, 0, 0, 1], [0, 0, 0, 0, 0, 1])
    """
    inside = bytearray(len(text) + 1)
    if keep_runs:
        for start, end in runs_of(text):
            inside[start + 1 : end] = b"\x01" * (end - start - 1)
    return inside + b"\x01" * dictionary.longest
