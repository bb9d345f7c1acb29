"""Word bigrams: segment a text into the words that most probably follow each other.

Training counts, in sentences that are already segmented, how often each word follows each
other word. Segmenting finds, among all ways to cut a text into words, the one with the highest
product of probabilities P(word | word before it), by dynamic programming (Viterbi 1967).

Source: Jurafsky and Martin, "Speech and Language Processing", third edition, sections 3.1
(bigrams) and 3.6 (add-one smoothing).

>>> counts = train([["人生", "如", "梦境"], ["人生", "如", "戏"], ["生如夏花"], ["梦境", "如", "人生"]])
>>> segment("人生如梦境", counts)
['人生', '如', '梦境']
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log

# What stands before the first word of a sentence and after the last. Textbooks write <s> and
# </s>, but a text may contain these; no word is empty.
EDGE = ""


def train(sentences: Iterable[Sequence[str]]) -> dict[str, dict[str, int]]:
    """Count for each word how often each other word follows it.

    >>> train([["a", "b"], ["a", "c"]])
    {'': {'a': 2}, 'a': {'b': 1, 'c': 1}, 'b': {'': 1}, 'c': {'': 1}}
    """
    counts: dict[str, dict[str, int]] = {EDGE: {}}
    for sentence in sentences:
        for before, word in pairwise([EDGE, *sentence, EDGE]):
            following = counts.setdefault(before, {})
            following[word] = following.get(word, 0) + 1
    return counts


def probability(word: str, before: str, counts: Mapping[str, Mapping[str, int]]) -> float:
    """Return P(word | before) with add-one smoothing.

    Each count is one higher than it was, so that no pair is impossible. What can follow is each
    of the words and the end of the sentence: together as many as there are keys in the counts.

    >>> counts = train([["a", "b"], ["a", "c"]])
    >>> probability("b", "a", counts) == (1 + 1) / (2 + 4)
    True
    >>> round(sum(probability(word, "a", counts) for word in ["a", "b", "c", EDGE]), 9)
    1.0
    """
    following = counts.get(before, {})
    return (following.get(word, 0) + 1) / (sum(following.values()) + len(counts))


def best_before(
    word: str, ways: Mapping[str, tuple[float, str]], counts: Mapping[str, Mapping[str, int]]
) -> tuple[float, str]:
    """Find the word to which another one is best added: return the new sum and that word.

    `ways` holds, for each word that ends where the new one begins, the best sum of logarithms
    up to there. Of equal sums, the first wins.

    >>> counts = train([["a", "b"], ["a", "b"], ["c"]])
    >>> best_before("b", {"a": (-1.0, EDGE), "c": (-1.0, EDGE)}, counts)[1]
    'a'
    """
    sums = {before: score + log(probability(word, before, counts)) for before, (score, _) in ways.items()}
    best = max(sums, key=sums.__getitem__)
    return sums[best], best


def table(text: str, counts: Mapping[str, Mapping[str, int]]) -> list[dict[str, tuple[float, str]]]:
    """Fill the Viterbi table: for each place, the words that end there, the longest first.

    Each word comes with the best sum of logarithms up to it, and with the word before it there.
    A character that is no known word may stand alone.

    >>> counts = train([["a", "b"], ["ab"], ["ab"]])
    >>> [[(word, before) for word, (_, before) in ways.items()] for ways in table("ab", counts)]
    [[('', '')], [('a', '')], [('ab', ''), ('b', 'a')]]
    """
    rows: list[dict[str, tuple[float, str]]] = [{EDGE: (0.0, EDGE)}]
    for end in range(1, len(text) + 1):
        words = [text[start:end] for start in range(end)]
        known = [word for word in words if word in counts or len(word) == 1]
        rows.append({word: best_before(word, rows[end - len(word)], counts) for word in known})
    return rows


def segment(text: str, counts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Segment a text into the most probable words: read the table back from its end.

    >>> segment("ab", train([["a", "b"], ["ab"], ["ab"]]))
    ['ab']
    >>> segment("<s>a", train([["<s>", "a"], ["a", "<s>"]]))
    ['<s>', 'a']
    """
    rows = table(text, counts)
    words: list[str] = []
    end = len(text)
    _, word = best_before(EDGE, rows[end], counts)
    while word != EDGE:
        words.append(word)
        _, before = rows[end][word]
        end -= len(word)
        word = before
    return words[::-1]
