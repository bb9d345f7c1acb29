"""WordPiece from the top down: keep the frequent pieces, the longest first.

Every substring of a word is a candidate. From the longest to the shortest, a candidate that
occurs at least `threshold` times is kept, and its count is subtracted from its prefixes: "hu"
is not worth a piece if nearly every "hu" begins a "hug" that is kept. Then words are cut into
the kept pieces, and only substrings that begin where a piece begins are counted; this is
repeated a few times. The threshold is bisected until the vocabulary has the wanted size.

Source: the vocabulary learner of TensorFlow Text (2022), `wordpiece_tokenizer_learner_lib`, as
its guide "Subword tokenizers" describes it, section "The algorithm". (Its code subtracts every
candidate from its prefixes, the guide only those that are kept; so does this file.)

>>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
>>> train(words, 10)
['##g', '##n', '##s', '##u', 'b', 'h', 'p', 'hug', 'pun', 'hugs']
"""

from collections.abc import Collection, Iterator, Mapping

PREFIX = "##"
ROUNDS = 4  # how often words are cut and counted
LONGEST = 20  # characters of a piece
LONGEST_WORD = 100  # characters; longer words are unknown to BERT, and are not counted
RAREST = 2  # the lowest threshold


def written(word: str, start: int, end: int) -> str:
    """Write a substring as a piece, with the prefix inside a word.

    >>> written("hugs", 0, 3), written("hugs", 1, 3)
    ('hug', '##ug')
    """
    return (PREFIX if start else "") + word[start:end]


def symbols(words: Mapping[str, int]) -> list[str]:
    """List the characters as pieces; they are always kept.

    >>> symbols({"hug": 10, "gs": 5})
    ['##g', '##s', '##u', 'g', 'h']
    """
    return sorted({written(word, at, at + 1) for word in words for at in range(len(word))})


def starts(word: str, pieces: Collection[str]) -> Iterator[int]:
    """Yield where the pieces of a word begin, if the longest match is taken from the left.

    >>> list(starts("hugs", ["hug", "h", "##u", "##g", "##s"]))
    [0, 3]
    """
    start = 0
    while start < len(word):
        yield start
        ends = range(min(len(word), start + LONGEST), start, -1)
        start = next(end for end in ends if written(word, start, end) in pieces)


def count(words: Mapping[str, int], pieces: Collection[str]) -> dict[str, int]:
    """Count the substrings that begin where a piece begins; without pieces, all substrings.

    >>> count({"hug": 10}, ["h", "##ug"])
    {'h': 10, 'hu': 10, 'hug': 10, '##u': 10, '##ug': 10}
    """
    counts: dict[str, int] = {}
    for word, number in words.items():
        for start in starts(word, pieces) if pieces else range(len(word)):
            for end in range(start + 1, min(len(word), start + LONGEST) + 1):
                piece = written(word, start, end)
                counts[piece] = counts.get(piece, 0) + number
    return counts


def keep(counts: Mapping[str, int], threshold: int) -> dict[str, int]:
    """Keep the frequent candidates, the longest first, each with what longer ones leave of its count.

    >>> keep({"h": 15, "hu": 15, "hug": 12, "##u": 20}, 5)
    {'hug': 12, '##u': 20}
    """
    left, kept = dict(counts), {}
    for piece in sorted(counts, key=lambda piece: -len(piece.removeprefix(PREFIX))):
        if left[piece] >= threshold:
            kept[piece] = left[piece]
            body = piece.removeprefix(PREFIX)
            for shorter in range(1, len(body)):
                left[piece[: len(piece) - shorter]] -= left[piece]
    return kept


def vocabulary(words: Mapping[str, int], threshold: int) -> list[str]:
    """List the characters, then the kept pieces, the most frequent first.

    >>> vocabulary({"hug": 10, "pug": 5}, 10)
    ['##g', '##u', 'h', 'p', 'hug']
    """
    alphabet = symbols(words)
    kept = keep(count(words, []), threshold)
    for _ in range(ROUNDS - 1):
        kept = keep(count(words, {*alphabet, *kept}), threshold)
    longer = sorted(set(kept) - set(alphabet), key=lambda piece: (-kept[piece], piece))
    return alphabet + longer


def train(words: Mapping[str, int], size: int) -> list[str]:
    """Bisect for the lowest threshold whose vocabulary fits; fill it up from the next lower one.

    >>> train({"hug": 10, "pug": 5}, 5)
    ['##g', '##u', 'h', 'p', 'hug']
    """
    words = {word: number for word, number in words.items() if len(word) <= LONGEST_WORD}
    low, high = RAREST, RAREST + sum(len(word) * number for word, number in words.items())
    while low < high:
        middle = (low + high) // 2
        if len(vocabulary(words, middle)) <= size:
            high = middle
        else:
            low = middle + 1
    found = vocabulary(words, high)
    more = vocabulary(words, high - 1) if high > RAREST else []
    return found + [piece for piece in more if piece not in found][: size - len(found)]
