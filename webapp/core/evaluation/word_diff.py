"""Which words of two segmentations of a line differ, exactly as GNU `diff` decides.

The official `score` script of the bakeoffs writes the words of a line one below another and runs `diff` on both lists,
so its figures depend on how diff aligns them. This module aligns in the same way: the linear-space algorithm of Myers
("An O(ND) Difference Algorithm and Its Variations", Algorithmica 1, 1986, section 4b), between the words that both
lists have, with diff's two additions: very frequent words between words without a counterpart count as changed, and a
run of changes slides to where it meets another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

MOST_EDITS = 400
"""The most differences on one path through a line: the time grows with their square."""


class TooDifferentError(ValueError):
    """Two lists differ in more words than `MOST_EDITS` allows."""


def changed_words(gold: Sequence[str], output: Sequence[str]) -> tuple[bytearray, bytearray]:
    """For each word of both lists, 1 if it has no counterpart in the other list, else 0.

    >>> gold, output = changed_words("研究 生命 的 起源".split(), "研究生 命 的 起源".split())
    >>> list(gold), list(output)
    ([1, 1, 0, 0], [1, 1, 0, 0])

    Raises TooDifferentError.
    """
    start, gold_end, output_end = _differing_part(gold, output)
    before, after = bytearray(start), bytearray(len(gold) - gold_end)
    middle_gold, middle_output = list(gold[start:gold_end]), list(output[start:output_end])
    changed_gold, changed_output = _changed(middle_gold, middle_output)
    return before + changed_gold + after, before + changed_output + after


def hunks(changed_gold: bytearray, changed_output: bytearray) -> list[tuple[int, int, int, int]]:
    """The runs of changes: `(start, end)` in the gold words and `(start, end)` in the output's.

    >>> hunks(bytearray([0, 1, 1, 0]), bytearray([0, 1, 0, 1]))
    [(1, 3, 1, 2), (4, 4, 3, 4)]
    """
    found: list[tuple[int, int, int, int]] = []
    gold_length, output_length = len(changed_gold), len(changed_output)
    at_gold = at_output = 0
    while True:
        next_gold, next_output = changed_gold.find(1, at_gold), changed_output.find(1, at_output)
        if next_gold < 0 and next_output < 0:
            return found
        # Both lists have as many unchanged words before a run of changes.
        distances = [next_gold - at_gold] if next_gold >= 0 else []
        distances += [next_output - at_output] if next_output >= 0 else []
        start_gold, start_output = at_gold + min(distances), at_output + min(distances)
        end_gold, end_output = changed_gold.find(0, start_gold), changed_output.find(0, start_output)
        at_gold = gold_length if end_gold < 0 else end_gold
        at_output = output_length if end_output < 0 else end_output
        found.append((start_gold, at_gold, start_output, at_output))


def _differing_part(gold: Sequence[str], output: Sequence[str]) -> tuple[int, int, int]:
    """The length of the common beginning, and where the common end begins in both lists."""
    shorter = min(len(gold), len(output))
    start = 0
    while start < shorter and gold[start] == output[start]:
        start += 1
    gold_end, output_end = len(gold), len(output)
    while gold_end > start and output_end > start and gold[gold_end - 1] == output[output_end - 1]:
        gold_end -= 1
        output_end -= 1
    return start, gold_end, output_end


def _changed(gold: list[str], output: list[str]) -> tuple[bytearray, bytearray]:
    gold_counts, output_counts = Counter(gold), Counter(output)
    left_out_gold = _left_out(gold, output_counts)
    left_out_output = _left_out(output, gold_counts)
    kept_gold = [index for index, out in enumerate(left_out_gold) if not out]
    kept_output = [index for index, out in enumerate(left_out_output) if not out]
    changed_gold = bytearray(map(bool, left_out_gold))
    changed_output = bytearray(map(bool, left_out_output))
    words_gold, words_output = [gold[index] for index in kept_gold], [output[index] for index in kept_output]
    if words_gold != words_output:
        removed, inserted = _edits(words_gold, words_output)
        for index in removed:
            changed_gold[kept_gold[index]] = 1
        for index in inserted:
            changed_output[kept_output[index]] = 1
    if _can_slide(gold, changed_gold):
        _slide(gold, changed_gold, changed_output)
    if _can_slide(output, changed_output):
        _slide(output, changed_output, changed_gold)
    return changed_gold, changed_output


KEPT, MISSING, FREQUENT = 0, 1, 2


def _left_out(words: Sequence[str], others: Counter[str]) -> bytearray:
    """For each word, whether the alignment leaves it out (not 0).

    Words that the other list lacks are. So are words that it has many times, where they stand among such words.
    """
    many, quarter = 5, len(words) // 256
    while quarter:
        many *= 2
        quarter //= 4
    marks = bytearray([word not in others for word in words])
    if max(others.values(), default=0) <= many:
        return marks
    for index, word in enumerate(words):
        if others[word] > many:
            marks[index] = FREQUENT
    at = 0
    while at < len(marks):
        if marks[at] != MISSING:
            marks[at] = KEPT  # a frequent word outside of a run
            at += 1
            continue
        end = at
        while end < len(marks) and marks[end] != KEPT:
            end += 1
        next_run = end
        while marks[end - 1] == FREQUENT:
            end -= 1
            marks[end] = KEPT
        marks[at:end] = _thinned(marks[at:end])
        at = next_run
    return marks


def _thinned(run: bytearray) -> bytearray:
    """A run from one missing word to another, without the frequent words that the alignment does consider."""
    length = len(run)
    if run.count(FREQUENT) * 4 > length:
        return run.replace(b"\2", b"\0")
    least, tem = 1, length >> 4
    while tem:
        least *= 2
        tem >>= 2
    group = b"\2" * (least + 1)
    at = run.find(group)
    while at >= 0:  # so many frequent words in a row are no coincidence
        end = at
        while end < length and run[end] == FREQUENT:
            run[end] = KEPT
            end += 1
        at = run.find(group, end)
    for places in (range(length), range(length - 1, -1, -1)):  # near both ends of the run
        in_a_row = 0
        for distance, place in enumerate(places):
            if distance >= 8 and run[place] == MISSING:
                break
            if run[place] == MISSING:
                in_a_row += 1
                if in_a_row == 3:
                    break
            else:
                in_a_row = 0
                run[place] = KEPT
    return run


def _edits(left: Sequence[str], right: Sequence[str]) -> tuple[list[int], list[int]]:
    """The indexes of the words to remove from `left`, and of those to insert from `right`, in a shortest script."""
    removed: list[int] = []
    inserted: list[int] = []
    parts = [(0, len(left), 0, len(right))]
    while parts:
        low, high, from_, to = parts.pop()
        while low < high and from_ < to and left[low] == right[from_]:
            low += 1
            from_ += 1
        while low < high and from_ < to and left[high - 1] == right[to - 1]:
            high -= 1
            to -= 1
        if low == high:
            inserted += range(from_, to)
        elif from_ == to:
            removed += range(low, high)
        else:
            x, y = _middle(left, right, low, high, from_, to)
            parts += [(x, high, y, to), (low, x, from_, y)]
    return removed, inserted


def _middle(left: Sequence[str], right: Sequence[str], low: int, high: int, from_: int, to: int) -> tuple[int, int]:
    """A point in the middle of a shortest path from `(low, from_)` to `(high, to)`.

    `x - y` numbers the diagonals. `forward` has the furthest x on each diagonal from the beginning, `backward` from
    the end; the paths grow by one edit in turn until they meet.
    """
    least, most = low - to, high - from_
    first, last = low - from_, high - to
    forward, backward = {first: low}, {last: high}
    forward_low = forward_high = first
    backward_low = backward_high = last
    is_odd = (first - last) % 2 == 1
    nowhere = high + to + 2
    for _cost in range(MOST_EDITS):
        if forward_low > least:
            forward_low -= 1
            forward[forward_low - 1] = -1
        else:
            forward_low += 1
        if forward_high < most:
            forward_high += 1
            forward[forward_high + 1] = -1
        else:
            forward_high -= 1
        for diagonal in range(forward_high, forward_low - 1, -2):
            x = max(forward[diagonal - 1] + 1, forward[diagonal + 1])
            y = x - diagonal
            while x < high and y < to and left[x] == right[y]:
                x += 1
                y += 1
            forward[diagonal] = x
            if is_odd and backward_low <= diagonal <= backward_high and backward[diagonal] <= x:
                return x, y
        if backward_low > least:
            backward_low -= 1
            backward[backward_low - 1] = nowhere
        else:
            backward_low += 1
        if backward_high < most:
            backward_high += 1
            backward[backward_high + 1] = nowhere
        else:
            backward_high -= 1
        for diagonal in range(backward_high, backward_low - 1, -2):
            x = min(backward[diagonal - 1], backward[diagonal + 1] - 1)
            y = x - diagonal
            while x > low and y > from_ and left[x - 1] == right[y - 1]:
                x -= 1
                y -= 1
            backward[diagonal] = x
            if not is_odd and forward_low <= diagonal <= forward_high and x <= forward[diagonal]:
                return x, y
    raise TooDifferentError(f"more than {MOST_EDITS} edits")


def _can_slide(words: Sequence[str], changed: bytearray) -> bool:
    """Whether any run of changed words can slide: rare, so this saves most of the time of `_slide`."""
    last = len(words)
    start = changed.find(1)
    while start >= 0:
        end = changed.find(0, start)
        if end < 0:
            end = last
        if (start and words[start - 1] == words[end - 1]) or (end < last and words[start] == words[end]):
            return True
        start = changed.find(1, end)
    return False


def _slide(words: Sequence[str], changed: bytearray, other: bytearray) -> None:
    """Slide each run of changed words where the words around it are equal: together with other runs, else far right.

    Between two unchanged words, the other list may have changes too; `gap` counts the unchanged words before a place,
    so that `touched[gap]` says whether it has.
    """
    touched = _gaps(other)
    end_of_all = len(words)
    at = gap = 0
    while at < end_of_all:
        if not changed[at]:
            at += 1
            gap += 1
            continue
        start = end = at
        while end < end_of_all and changed[end]:
            end += 1
        while True:
            length = end - start
            while start and words[start - 1] == words[end - 1]:  # to the left, which joins runs before
                start -= 1
                end -= 1
                changed[start], changed[end] = 1, 0
                gap -= 1
                while start and changed[start - 1]:
                    start -= 1
            meets = end if touched[gap] else None
            while end < end_of_all and words[start] == words[end]:  # to the right, which joins runs after
                changed[start], changed[end] = 0, 1
                start += 1
                end += 1
                gap += 1
                while end < end_of_all and changed[end]:
                    end += 1
                if touched[gap]:
                    meets = end
            if end - start == length:
                break
        while meets is not None and meets < end:  # back to the last place where the other list has changes too
            start -= 1
            end -= 1
            gap -= 1
            changed[start], changed[end] = 1, 0
        at = end


def _gaps(changed: bytearray) -> list[bool]:
    """For each gap before, between and after the unchanged words, whether there are changed words in it."""
    gaps = [False]
    for mark in changed:
        if mark:
            gaps[-1] = True
        else:
            gaps.append(False)
    return gaps
