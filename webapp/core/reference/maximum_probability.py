"""Maximum probability: segment a text into the words of a dictionary whose probabilities have the highest product.

A word has the probability frequency / total. A path through the text takes words one after another; its probability is
the product of theirs, or as a sum: log P(w1) + log P(w2) + … Dynamic programming from the right end finds the best
path: what is best from a position on does not depend on how one came there. What the dictionary lacks is left over as
single characters; a hidden Markov model (`hmm`) may find words in a row of them.

Source: Manning and Schütze 1999, "Foundations of Statistical Natural Language Processing", for the unigram model; the
rules for unknown characters, and which of two equal paths wins, are those of jieba 0.42.

>>> frequencies = {"研究": 50, "研究生": 5, "生命": 40, "命": 5, "科学": 30}
>>> segment("研究生命科学", frequencies)
['研究', '生命', '科学']
"""

from collections.abc import Callable, Mapping
from math import log


def words_at(text: str, start: int, frequencies: Mapping[str, int]) -> list[int]:
    """List where the words that start at a position end; where none starts, a single character is one.

    >>> words_at("研究生命", 0, {"研究": 50, "研究生": 5}), words_at("研究生命", 2, {"研究": 50})
    ([2, 3], [3])
    """
    ends = [end for end in range(start + 1, len(text) + 1) if text[start:end] in frequencies]
    return ends or [start + 1]


def sums_from_the_right(text: str, frequencies: Mapping[str, int]) -> list[tuple[float, int]]:
    """Compute for each position the highest sum of logarithms to the end of the text, and where its first word ends.

    Of equal sums, the one whose first word is longer wins. What is not in the dictionary counts once.

    >>> sums = sums_from_the_right("研究", {"研究": 3, "究": 1})
    >>> [(round(value, 3), end) for value, end in sums]  # log 3/4, log 1/4, and the end
    [(-0.288, 2), (-1.386, 2), (0, 0)]
    """
    total = log(sum(frequencies.values()) or 1)
    sums: list[tuple[float, int]] = [(0, 0)] * (len(text) + 1)
    for start in reversed(range(len(text))):
        sums[start] = max(
            (log(frequencies.get(text[start:end], 1)) - total + sums[end][0], end)
            for end in words_at(text, start, frequencies)
        )
    return sums


def best_path(text: str, frequencies: Mapping[str, int]) -> list[str]:
    """Read the best path off the sums, from the left.

    >>> best_path("研究生", {"研究": 50, "研究生": 5, "生": 20})
    ['研究', '生']
    """
    sums = sums_from_the_right(text, frequencies)
    words = []
    start = 0
    while start < len(text):
        end = sums[start][1]
        words.append(text[start:end])
        start = end
    return words


def segment(
    text: str, frequencies: Mapping[str, int], find_words: Callable[[str], list[str]] | None = None
) -> list[str]:
    """Segment a text by the best path; `find_words` divides each row of single characters on it again.

    A row that is a word of the dictionary stays as it is: there the path knew the word, and took its characters.

    >>> segment("他来到杭研大厦", {"来到": 9, "大厦": 4, "他": 30})
    ['他', '来到', '杭', '研', '大厦']
    >>> segment("他来到杭研大厦", {"来到": 9, "大厦": 4, "他": 30}, find_words=lambda row: [row])
    ['他', '来到', '杭研', '大厦']
    """
    words: list[str] = []
    row = ""
    for word in [*best_path(text, frequencies), ""]:
        if len(word) == 1:
            row += word
            continue
        words += find_words(row) if find_words and len(row) > 1 and row not in frequencies else row
        row = ""
        words += [word] if word else []
    return words
