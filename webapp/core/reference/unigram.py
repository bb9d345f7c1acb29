"""The Unigram language model: keep the pieces that a corpus would miss most.

Each piece has a probability, and the pieces of a text are independent of each other: the
probability of a segmentation is the product of its pieces' probabilities. Encoding finds the
most probable segmentation. Training begins with far too many pieces and repeats two steps:
estimate the probabilities by expectation maximization (EM), and drop the pieces without which
the corpus becomes only a little less probable.

Sources: Kudo 2018, "Subword Regularization: Improving Neural Network Translation Models with
Multiple Subword Candidates", section 3.2; the details that the paper leaves open are those of
its implementation, SentencePiece: the seed, the sparse prior of `maximize` and the estimate of
`loss`.

>>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
>>> scores = train(words, seed(words), 9)
>>> [piece for piece in scores if len(piece) > 1]
['hug', 'pun']
>>> encode("hugpuns", scores)
['hug', 'pun', 's']
"""

from collections.abc import Iterator, Mapping
from math import exp, inf, log

RARELY = 0.5  # the lowest count that EM works with
UNKNOWN_PENALTY = 10.0  # how far below the worst piece an unknown character scores


# --- the lattice: all ways to segment a text


def segmentations(text: str, pieces: Mapping[str, float]) -> Iterator[list[str]]:
    """Yield every way to cut a text into pieces.

    There may be 2 ** (len(text) - 1) of them, so nothing below goes through them one by one.

    >>> for pieces in segmentations("hug", {"h": 0.2, "u": 0.2, "g": 0.1, "hu": 0.2, "ug": 0.3}):
    ...     print(pieces)
    ['h', 'u', 'g']
    ['h', 'ug']
    ['hu', 'g']
    """
    if not text:
        yield []
    for end in range(1, len(text) + 1):
        if text[:end] in pieces:
            for rest in segmentations(text[end:], pieces):
                yield [text[:end], *rest]


def lattice(text: str, pieces: Mapping[str, float]) -> list[tuple[int, int]]:
    """List where each piece that occurs in a text begins and ends.

    >>> lattice("hug", {"h": 0.2, "u": 0.2, "g": 0.1, "hu": 0.2, "ug": 0.3})
    [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    """
    places = range(len(text) + 1)
    return [(start, end) for start in places for end in places[start + 1 :] if text[start:end] in pieces]


# --- encoding


def viterbi(text: str, scores: Mapping[str, float]) -> list[str]:
    """Find the segmentation with the highest sum of scores (log probabilities).

    The best path to each place ends with some piece, and before that piece comes the best path
    to where it begins. Of equal sums, the longer last piece wins.

    >>> viterbi("hug", {"h": -2.0, "u": -2.0, "g": -2.0, "hu": -3.5, "ug": -3.0})
    ['h', 'ug']
    """
    best, start_of = [0.0] + [-inf] * len(text), [0] * (len(text) + 1)
    for start, end in lattice(text, scores):
        score = best[start] + scores[text[start:end]]
        if score > best[end]:
            best[end], start_of[end] = score, start
    path = []
    end = len(text)
    while end > 0:
        path.append(text[start_of[end] : end])
        end = start_of[end]
    return path[::-1]


def encode(text: str, scores: Mapping[str, float]) -> list[str]:
    """Encode a text; neighbouring characters that no piece covers make one unknown token.

    >>> encode("abxyc", {"a": -1.0, "b": -1.0, "ab": -1.5, "c": -2.0})
    ['ab', 'xy', 'c']
    """
    unknown = min(scores.values(), default=0.0) - UNKNOWN_PENALTY
    tokens: list[str] = []
    for piece in viterbi(text, dict.fromkeys(text, unknown) | dict(scores)):
        if tokens and tokens[-1] not in scores and piece not in scores:
            tokens[-1] += piece
        else:
            tokens.append(piece)
    return tokens


# --- expectation: how often is each piece used?


def forward(text: str, pieces: Mapping[str, float]) -> list[float]:
    """Sum, for each place, the probabilities of all paths from the beginning to it.

    The last sum is the probability of the text. (Of a long text it is too small for a number;
    implementations add logarithms, or cut the text where no piece crosses.)

    >>> forward("hug", {"h": 0.25, "u": 0.25, "g": 0.25, "ug": 0.25})
    [1.0, 0.25, 0.0625, 0.078125]
    """
    sums = [1.0] + [0.0] * len(text)
    for start, end in lattice(text, pieces):
        sums[end] += sums[start] * pieces[text[start:end]]
    return sums


def backward(text: str, pieces: Mapping[str, float]) -> list[float]:
    """Sum, for each place, the probabilities of all paths from it to the end.

    >>> backward("hug", {"h": 0.25, "u": 0.25, "g": 0.25, "ug": 0.25})
    [0.078125, 0.3125, 0.25, 1.0]
    """
    sums = [0.0] * len(text) + [1.0]
    for start, end in reversed(lattice(text, pieces)):
        sums[start] += pieces[text[start:end]] * sums[end]
    return sums


def expected_counts(words: Mapping[str, int], pieces: Mapping[str, float]) -> dict[str, float]:
    """Count the uses of each piece over all segmentations, each weighted with its probability.

    "hug" is h + ug with a probability of 80 %, and h + u + g with 20 %:

    >>> expected_counts({"hug": 10}, {"h": 0.25, "u": 0.25, "g": 0.25, "ug": 0.25})
    {'h': 10.0, 'u': 2.0, 'g': 2.0, 'ug': 8.0}
    """
    expected = dict.fromkeys(pieces, 0.0)
    for word, count in words.items():
        before, after = forward(word, pieces), backward(word, pieces)
        for start, end in lattice(word, pieces):
            piece = word[start:end]
            share = before[start] * pieces[piece] * after[end] / before[-1]
            expected[piece] += count * share
    return expected


def log_likelihood(words: Mapping[str, int], pieces: Mapping[str, float]) -> float:
    """Return the logarithm of the probability of the corpus, which EM raises.

    >>> round(log_likelihood({"hug": 10}, {"h": 0.25, "u": 0.25, "g": 0.25, "ug": 0.25}), 3)
    -25.494
    """
    return sum(count * log(forward(word, pieces)[-1]) for word, count in words.items())


# --- maximization: which probabilities make these counts most likely?


def normalize(expected: Mapping[str, float]) -> dict[str, float]:
    """Return probabilities in proportion to the counts; counts below `RARELY` are raised to it.

    >>> normalize({"a": 3.0, "b": 1.0})
    {'a': 0.75, 'b': 0.25}
    """
    counts = {piece: max(count, RARELY) for piece, count in expected.items()}
    total = sum(counts.values())
    return {piece: count / total for piece, count in counts.items()}


def maximize(expected: Mapping[str, float]) -> dict[str, float]:
    """Return probabilities that favour few, frequent pieces.

    With a sparse prior, the estimate is exp(digamma(count)) in place of the count: about half
    less than each count, which a rare piece feels and a frequent one does not (Liang, Petrov,
    Jordan and Klein 2007, "The Infinite PCFG using Hierarchical Dirichlet Processes").

    >>> {piece: round(p, 3) for piece, p in maximize({"a": 3.0, "b": 1.0}).items()}
    {'a': 0.717, 'b': 0.16}
    """
    counts = {piece: max(count, RARELY) for piece, count in expected.items()}
    total = digamma(sum(counts.values()))
    return {piece: exp(digamma(count) - total) for piece, count in counts.items()}


def digamma(x: float) -> float:
    """Return the derivative of log(gamma(x)), close to log(x - 1/2) for a large x.

    >>> round(digamma(1.0), 6)  # minus Euler's constant
    -0.577216
    """
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    square = 1 / (x * x)
    return result + log(x) + square * (1 / 24 - square * (7 / 960 - square * (31 / 8064)))


# --- pruning: which pieces would be missed least?


def uses(words: Mapping[str, int], pieces: Mapping[str, float]) -> dict[str, int]:
    """Count the uses of each piece if every word is segmented in its best way.

    >>> uses({"hug": 10, "hugs": 5}, {"h": 0.1, "u": 0.1, "g": 0.1, "s": 0.1, "hug": 0.6})
    {'h': 0, 'u': 0, 'g': 0, 's': 5, 'hug': 15}
    """
    scores = {piece: log(probability) for piece, probability in pieces.items()}
    used = dict.fromkeys(pieces, 0)
    for word, count in words.items():
        for piece in viterbi(word, scores):
            used[piece] += count
    return used


def without(piece: str, pieces: Mapping[str, float]) -> list[str]:
    """Segment the text of a piece in the best way that does not use the piece itself.

    >>> without("hug", {"h": 0.1, "u": 0.2, "g": 0.1, "ug": 0.1, "hug": 0.5})
    ['h', 'ug']
    """
    return viterbi(piece, {other: log(p) for other, p in pieces.items() if other != piece})


def loss(piece: str, instead: list[str], used: Mapping[str, int]) -> float:
    """Estimate by how much the log-likelihood of the corpus falls without a piece.

    Every use of the piece becomes a use of each of the pieces that are taken `instead`.

    >>> round(loss("ug", ["u", "g"], {"h": 10, "u": 5, "g": 5, "ug": 10}), 3)
    8.63
    >>> loss("ug", ["u", "g"], {"h": 10, "u": 15, "g": 15, "ug": 0})
    0.0
    """
    count, total = used[piece], sum(used.values())
    if count == 0:
        return 0.0
    total_without = total + count * (len(instead) - 1)
    log_instead = sum(log(used[other] + count) - log(total_without) for other in instead)
    return count * (log(count) - log(total) - log_instead)


def least_missed(losses: Mapping[str, float], surplus: int) -> list[str]:
    """Choose what to drop: a quarter of the pieces and all without a loss, within the surplus.

    Of pieces with equal losses, the later one goes.

    >>> least_missed({"a": 9.0, "b": 1.0, "c": 0.0, "d": 0.0}, 3)
    ['c', 'd']
    """
    useless = sum(loss <= 0 for loss in losses.values())
    number = min(surplus, max(round(len(losses) / 4), useless, 1))
    return sorted(losses, key=losses.__getitem__, reverse=True)[-number:]


# --- training


def substrings(words: Mapping[str, int], longest: int = 16) -> dict[str, int]:
    """Count all substrings of the words, the shortest first.

    >>> substrings({"hug": 2, "ug": 1})
    {'h': 2, 'u': 3, 'g': 3, 'hu': 2, 'ug': 3, 'hug': 2}
    """
    counts: dict[str, int] = {}
    for length in range(1, longest + 1):
        for word, count in words.items():
            for start in range(len(word) - length + 1):
                piece = word[start : start + length]
                counts[piece] = counts.get(piece, 0) + count
    return counts


def seed(words: Mapping[str, int], number: int = 1_000_000) -> dict[str, float]:
    """Choose the pieces to begin with: all characters, and the `number` best longer substrings.

    A substring has to occur twice, and not only as a part of one and the same longer substring.
    The best are those that cover most of the corpus, by count times length. The pieces begin
    with probabilities in proportion to that.

    >>> seeds = seed({"hug": 2, "hugs": 1})  # hu and ug occur only as parts of hug
    >>> {piece: round(probability, 3) for piece, probability in seeds.items()}
    {'h': 0.158, 'u': 0.158, 'g': 0.158, 's': 0.053, 'hug': 0.474}
    """
    counts = substrings(words)
    parts = [(piece, part) for piece in counts for part in (piece[1:], piece[:-1])]
    inside = {part for piece, part in parts if counts.get(part) == counts[piece]}
    covered = {piece: count * len(piece) for piece, count in counts.items()}
    ranked = sorted(covered, key=covered.__getitem__, reverse=True)
    characters = [piece for piece in ranked if len(piece) == 1]
    longer = [piece for piece in ranked if len(piece) > 1 and counts[piece] > 1 and piece not in inside]
    chosen = [*characters, *longer[:number]]
    total = sum(covered[piece] for piece in chosen)
    return {piece: covered[piece] / total for piece in chosen}


def train(words: Mapping[str, int], pieces: Mapping[str, float], size: int) -> dict[str, float]:
    """Prune the pieces to `size`; return their log probabilities, the most probable first.

    Single characters stay, so that every text can be encoded.

    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> list(train(words, seed(words), 8))
    ['u', 'p', 'n', 'hug', 'g', 's', 'b', 'h']
    """
    size = max(size, sum(len(piece) == 1 for piece in pieces))
    while len(pieces) > size:
        for _ in range(2):
            pieces = maximize(expected_counts(words, pieces))
        used = uses(words, pieces)
        losses = {piece: loss(piece, without(piece, pieces), used) for piece in pieces if len(piece) > 1}
        dropped = least_missed(losses, len(pieces) - size)
        pieces = {piece: p for piece, p in pieces.items() if piece not in dropped}
    pieces = maximize(expected_counts(words, pieces))
    pieces = normalize(expected_counts(words, pieces))
    return {piece: log(pieces[piece]) for piece in sorted(pieces, key=pieces.__getitem__, reverse=True)}
