"""N-grams: segment a text into the words that most probably follow each other.

Training counts, in sentences that are already segmented, how often each word follows the words
before it. Smoothing makes probabilities of the counts, none of them 0. Segmenting finds, among
all ways to cut a text into words, the one with the highest product of probabilities
P(word | words before it), by dynamic programming (Viterbi 1967).

Sources: Jurafsky and Martin, "Speech and Language Processing", third edition, chapter 3; Chen and
Goodman 1998, "An Empirical Study of Smoothing Techniques for Language Modeling", sections 2.1 to
2.7.

>>> counts = train([["人生", "如", "梦境"], ["人生", "如", "戏"], ["生如夏花"], ["梦境", "如", "人生"]])
>>> segment("人生如梦境", counts)
['人生', '如', '梦境']
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log

# What stands before the first word of a sentence and after the last. Textbooks write <s> and
# </s>, but a text may contain these; no word is empty.
EDGE = ""

# For each context (a tuple of words), how often each word follows it.
Counts = Mapping[tuple[str, ...], Mapping[str, int]]
Smoothing = Callable[[str, tuple[str, ...], Counts], float]
# The contexts that a path may have at a place, each with a sum of logarithms and the context before.
Row = dict[tuple[str, ...], tuple[float, tuple[str, ...]]]


def train(sentences: Iterable[Sequence[str]], order: int = 2) -> dict[tuple[str, ...], dict[str, int]]:
    """Count for each context of up to `order` - 1 words how often each word follows it.

    >>> train([["a", "b"], ["a", "c"]])[("a",)]
    {'b': 1, 'c': 1}
    >>> train([["a", "b"], ["a", "c"]])[()]
    {'': 2, 'a': 2, 'b': 1, 'c': 1}
    """
    counts: dict[tuple[str, ...], dict[str, int]] = {(): {EDGE: 0}}
    for sentence in sentences:
        line = [EDGE, *sentence, EDGE]
        for end in range(1, len(line)):
            for start in range(max(0, end - order + 1), end + 1):
                following = counts.setdefault(tuple(line[start:end]), {})
                following[line[end]] = following.get(line[end], 0) + 1
    return counts


def add_one(word: str, context: tuple[str, ...], counts: Counts) -> float:
    """Return P(word | context) with add-one smoothing (Laplace).

    Each count is one higher than it was, so that nothing is impossible. What can follow is each
    of the words and the end of the sentence: V in the literature.

    >>> counts = train([["a", "b"], ["a", "c"]])
    >>> add_one("b", ("a",), counts) == (1 + 1) / (2 + 4)
    True
    >>> round(sum(add_one(word, ("a",), counts) for word in ["a", "b", "c", EDGE]), 9)
    1.0
    """
    following = counts.get(context, {})
    return (following.get(word, 0) + 1) / (sum(following.values()) + len(counts[()]))


def discounted(word: str, context: tuple[str, ...], counts: Counts, discounts: Sequence[float]) -> float:
    """Return P(word | context) with absolute discounting.

    Every count gives up a part of 1, and the shorter context shares out what was given up; after
    the shortest comes 1 / V. `discounts` are for contexts of no word, one word, and so on.

    >>> counts = train([["a", "b"], ["a", "c"]])
    >>> discounted("b", ("a",), counts, [0.5, 0.5])  # (1 - 0.5) / 2 + 0.5 · 2 / 2 · P(b)
    0.3333333333333333
    >>> discounted("b", (), counts, [0.5])  # (1 - 0.5) / 6 + 0.5 · 4 / 6 · 1/4
    0.16666666666666666
    """
    below = discounted(word, context[1:], counts, discounts) if context else 1 / len(counts[()])
    following = {word: count for word, count in counts.get(context, {}).items() if count}
    if not following:
        return below
    total, discount = sum(following.values()), discounts[len(context)]
    own = max(following.get(word, 0) - discount, 0) / total
    return own + discount * len(following) / total * below


def absolute_discounting(word: str, context: tuple[str, ...], counts: Counts) -> float:
    """Return P(word | context) with absolute discounting, and discounts from the counts.

    >>> absolute_discounting("b", ("a",), train([["a", "b"], ["a", "c"]])) > 1 / 4
    True
    """
    return discounted(word, context, counts, discounts_of(counts))


def kneser_ney(word: str, context: tuple[str, ...], counts: Counts) -> float:
    """Return P(word | context) with interpolated Kneser-Ney smoothing.

    That is absolute discounting in which the lower orders count after how many different words
    a word occurs, instead of how often.

    >>> counts = train([["a", "b"], ["a", "b"], ["c", "d"], ["a", "d"]])
    >>> kneser_ney("b", ("new",), counts) < kneser_ney("d", ("new",), counts)
    True
    """
    adjusted = continuations(counts)
    return discounted(word, context, adjusted, discounts_of(adjusted))


def continuations(counts: Counts) -> dict[tuple[str, ...], dict[str, int]]:
    """Count, below the highest order, how many different words stand before an n-gram.

    What begins a sentence has nothing before it and keeps its count.

    >>> continuations(train([["a", "b"], ["a", "b"], ["c", "b"]]))[()]
    {'': 1, 'a': 1, 'b': 2, 'c': 1}
    """
    longest = max(map(len, counts))
    adjusted: dict[tuple[str, ...], dict[str, int]] = {(): dict.fromkeys(counts[()], 0)}
    for context, following in counts.items():
        if len(context) == longest or context[:1] == (EDGE,):
            adjusted[context] = dict(following)
        if context:
            different = adjusted.setdefault(context[1:], {})
            for word in following:
                different[word] = different.get(word, 0) + 1
    return adjusted


def discounts_of(counts: Counts) -> list[float]:
    """Return the discount of each order: n1 / (n1 + 2 · n2), or 0.5 if n1 or n2 is 0.

    n1 says how many n-grams occur once, n2 how many twice (Ney, Essen and Kneser 1994).

    >>> discounts_of(train([["a", "b"], ["a", "c"]]))  # once: b, c; twice: a and the end
    [0.3333333333333333, 0.6666666666666666]
    """
    longest = max(map(len, counts))
    discounts = []
    for length in range(longest + 1):
        found = [
            count for context, following in counts.items() if len(context) == length for count in following.values()
        ]
        once, twice = found.count(1), found.count(2)
        discounts.append(once / (once + 2 * twice) if once and twice else 0.5)
    return discounts


def jelinek_mercer(word: str, context: tuple[str, ...], counts: Counts) -> float:
    """Return P(word | context) with Jelinek-Mercer smoothing, and weights from the counts.

    >>> counts = train([["a", "b"], ["a", "c"]])
    >>> round(sum(jelinek_mercer(word, ("a",), counts) for word in ["a", "b", "c", EDGE]), 9)
    1.0
    """
    return mixed(word, context, counts, weights_of(counts))


def mixed(word: str, context: tuple[str, ...], counts: Counts, weights: Sequence[float]) -> float:
    """Return P(word | context) as a mixture: λ of each order's relative frequency, the rest of the order below.

    >>> mixed("b", ("a",), train([["a", "b"]]), [0.5, 0.5])  # 0.5 · 1/1 + 0.5 · (0.5 · 1/3 + 0.5 · 1/3)
    0.6666666666666666
    """
    below = mixed(word, context[1:], counts, weights) if context else 1 / len(counts[()])
    following = counts.get(context, {})
    total, weight = sum(following.values()), weights[len(context)]
    return weight * following.get(word, 0) / total + (1 - weight) * below if total else below


def weights_of(counts: Counts) -> list[float]:
    """Return λ of each order by deleted interpolation (Jelinek and Mercer 1980; Brants 2000).

    Each word of the training text is left out in turn: λ is the part of the words that the order
    then predicts at least as well as every lower order, kept between 0.01 and 0.99.

    >>> weights_of(train([["a", "b"], ["a", "b"], ["b", "a"]]))
    [0.01, 0.6666666666666666]
    """
    weights = []
    for length in range(max(map(len, counts)) + 1):
        won = lost = 0
        for context, following in counts.items():
            for word, count in following.items() if len(context) == length else ():
                shares = [left_out(word, context[at:], counts) for at in range(length + 1)]
                if shares[0] >= max([*shares[1:], 1 / len(counts[()])]):
                    won += count
                else:
                    lost += count
        weights.append(min(max(won / (won + lost), 0.01), 0.99) if won + lost else 0.5)
    return weights


def left_out(word: str, context: tuple[str, ...], counts: Counts) -> float:
    """Return the relative frequency of a word after a context, without one occurrence of it.

    >>> left_out("b", ("a",), train([["a", "b"], ["a", "b"], ["a", "c"]]))
    0.5
    """
    following = counts[context]
    total = sum(following.values())
    return (following[word] - 1) / (total - 1) if total > 1 else 0.0


def words_ending(text: str, end: int, counts: Counts) -> list[str]:
    """List the words that end at a place, longest first; any character may stand alone.

    >>> words_ending("ab", 2, train([["ab"]]))
    ['ab', 'b']
    """
    words = [text[start:end] for start in range(end)]
    return [word for word in words if word in counts[()] or len(word) == 1]


def table(text: str, counts: Counts, smoothing: Smoothing = add_one) -> list[Row]:
    """Fill the Viterbi table: for each place, the contexts that a path may have there.

    A context is the last words of a path, as many as the counts have. Each comes with the best
    sum of logarithms up to it, and with the context before the last word. Of equal sums, the
    first wins.

    >>> counts = train([["a", "b"], ["ab"], ["ab"]])
    >>> [[context for context in row] for row in table("ab", counts)]
    [[('',)], [('a',)], [('ab',), ('b',)]]
    """
    longest = max(map(len, counts))
    rows: list[Row] = [{(EDGE,): (0.0, ())}]
    for end in range(1, len(text) + 1):
        row: Row = {}
        for word in words_ending(text, end, counts):
            for before, (score, _) in rows[end - len(word)].items():
                total = score + log(smoothing(word, before[len(before) - longest :] if longest else (), counts))
                after = (*before, word)[-max(longest, 1) :]
                if after not in row or total > row[after][0]:
                    row[after] = total, before
        rows.append(row)
    return rows


def segment(text: str, counts: Counts, smoothing: Smoothing = add_one) -> list[str]:
    """Segment a text into the most probable words: read the table back from its end.

    >>> segment("ab", train([["a", "b"], ["ab"], ["ab"]]))
    ['ab']
    >>> segment("<s>a", train([["<s>", "a"], ["a", "<s>"]], order=3), kneser_ney)
    ['<s>', 'a']
    """
    rows = table(text, counts, smoothing)
    longest = max(map(len, counts))
    sums = {
        context: score + log(smoothing(EDGE, context[len(context) - longest :] if longest else (), counts))
        for context, (score, _) in rows[-1].items()
    }
    context = max(sums, key=sums.__getitem__)
    words: list[str] = []
    end = len(text)
    while end:
        words.append(context[-1])
        end, context = end - len(context[-1]), rows[end][context][1]
    return words[::-1]
