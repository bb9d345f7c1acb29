"""WordPiece from the top down: keep the frequent substrings, the longest first.

Source: the vocabulary learner of TensorFlow Text (`wordpiece_tokenizer_learner_lib`), as its guide to subword
tokenizers describes it. Training by score (`wordpiece`) picks ever rarer pairs as the corpus grows; here a piece is
frequent at any size. `webapp.core.reference.wordpiece_top_down` explains the steps and is the oracle.

- Exploits: a substring is at most as frequent as its beginning, so substrings are counted length by length from
  beginnings that are frequent enough, once for all thresholds, and a round stops at the first one that is too rare.
- Invariant: a candidate below the threshold is neither kept nor subtracted from others.
- Proved by: `webapp.core.reference.wordpiece_top_down`, in `tests.core.reference.test_wordpiece_top_down`.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from webapp.core.models.wordpiece import WordPiece
from webapp.core.trainers.word_counts import WordCounts, alphabet
from webapp.core.trainers.wordpiece import PREFIX, UNKNOWN, spell

ROUNDS = 4  # how often words are split and substrings counted
LONGEST = 20  # characters of a piece
LONGEST_WORD = 100  # characters; longer words are unknown to the model, and are not counted
RAREST = 2  # the lowest threshold


@dataclass(frozen=True)
class TopDownWordPiece:
    """A trained vocabulary: special tokens, the alphabet, then the longer pieces, most frequent first."""

    alphabet: tuple[str, ...]
    longer: tuple[str, ...]
    threshold: int
    special_names: tuple[str, ...]
    unknown: str = UNKNOWN
    prefix: str = PREFIX

    @cached_property
    def model(self) -> WordPiece:
        """The model."""
        pieces = tuple(dict.fromkeys((*self.special_names, *self.alphabet, *self.longer)))
        return WordPiece(pieces, unknown=self.unknown, continuing_subword_prefix=self.prefix)

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids, as `Tokenizer` expects them."""
        return {name: index for index, name in enumerate(self.special_names)}


def train(
    counts: WordCounts,
    size: int,
    *,
    special_tokens: Sequence[str] = (UNKNOWN,),
    unknown: str = UNKNOWN,
    prefix: str = PREFIX,
    coverage: float = 1.0,
    accepts: Callable[[str], bool] | None = None,
    kept_by_step: Callable[[Collection[str]], None] | None = None,
) -> TopDownWordPiece:
    """Train WordPiece with `size` pieces: special tokens, alphabet, and the longer pieces.

    The threshold is the lowest count with which the vocabulary fits; what room is left goes to the most frequent
    pieces of the next lower one. The result has fewer pieces if the corpus has too few substrings that occur twice.
    `accepts`: whether a longer piece may enter the vocabulary; by default, every piece may. `kept_by_step` is called
    with the longer pieces that each threshold keeps which is tried. `coverage` and errors are as in `wordpiece.train`.

    >>> trained = train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 11)
    >>> trained.longer, trained.threshold
    (('hug', 'pun', 'hugs'), 6)
    """
    if unknown not in special_tokens:
        raise ValueError(f"the unknown token {unknown!r} is not among the special tokens {special_tokens!r}")
    spelled = {word: spell(word, prefix) for word in counts if len(word) <= LONGEST_WORD}
    frequencies: defaultdict[str, int] = defaultdict(int)
    for word, symbols_of_word in spelled.items():
        for symbol in symbols_of_word:
            frequencies[symbol] += counts[word]
    symbols = alphabet(frequencies, coverage)
    always = set(symbols) | set(special_tokens)
    if size < len(always):
        raise ValueError(f"{size} pieces cannot hold an alphabet and special tokens of {len(always)}")
    known = frozenset(symbols)
    words = {word: counts[word] for word, found in spelled.items() if found and known.issuperset(found)}
    candidates = _frequent_substrings(words, prefix)
    if accepts is not None:
        candidates = {piece: count for piece, count in candidates.items() if piece in known or accepts(piece)}

    low, high = RAREST, RAREST + sum(len(word) * count for word, count in words.items())
    # A threshold keeps at most the candidates that reach it, so from this one on the vocabulary fits in any case.
    ranked = sorted((count for piece, count in candidates.items() if piece not in always), reverse=True)
    fits = max(ranked[size - len(always)] + 1, RAREST) if len(ranked) > size - len(always) else RAREST
    found: dict[str, int] | None = None
    more: dict[str, int] = {}
    while low < high:
        middle = (low + high) // 2
        if middle >= fits:
            high, found = middle, None
            continue
        kept = _vocabulary(words, candidates, middle, prefix)
        if kept_by_step is not None:
            kept_by_step(kept)
        if len(always) + len(kept.keys() - always) <= size:
            high, found = middle, kept
        else:
            low, more = middle + 1, kept
    if found is None:
        found = _vocabulary(words, candidates, high, prefix)
    if high > RAREST and not more:
        more = _vocabulary(words, candidates, high - 1, prefix)
    longer = _ranked(found, always)
    longer += [piece for piece in _ranked(more, always) if piece not in found][: size - len(always) - len(longer)]
    return TopDownWordPiece(tuple(symbols), tuple(longer), high, tuple(special_tokens), unknown, prefix)


def _ranked(kept: Mapping[str, int], always: Collection[str]) -> list[str]:
    return sorted((piece for piece in kept if piece not in always), key=lambda piece: (-kept[piece], piece))


def _frequent_substrings(words: WordCounts, prefix: str) -> dict[str, int]:
    """Return how often each substring occurs, as a piece, of those that occur at least RAREST times."""
    frequent: dict[str, int] = {}
    alive = [(word, count, list(range(len(word)))) for word, count in words.items()]
    for length in range(1, LONGEST + 1):
        found: defaultdict[str, int] = defaultdict(int)
        for word, count, starts in alive:
            for start in starts:
                found[prefix + word[start : start + length] if start else word[:length]] += count
        frequent |= {piece: count for piece, count in found.items() if count >= RAREST}
        still_alive = []
        for word, count, starts in alive:
            starts = [
                start
                for start in starts
                if start + length < len(word)
                and (prefix + word[start : start + length] if start else word[:length]) in frequent
            ]
            if starts:
                still_alive.append((word, count, starts))
        alive = still_alive
    return frequent


def _vocabulary(words: WordCounts, candidates: Mapping[str, int], threshold: int, prefix: str) -> dict[str, int]:
    """Return the pieces that a threshold keeps, with what longer ones leave of their counts."""
    frequent = {piece: count for piece, count in candidates.items() if count >= threshold}
    kept = _keep(frequent, threshold, prefix)
    for _ in range(ROUNDS - 1):
        counts: defaultdict[str, int] = defaultdict(int)
        for word, count in words.items():
            start, size = 0, len(word)
            while start < size:
                mark = prefix if start else ""
                next_start = start + 1  # a character is always a piece
                for end in range(start + 1, min(size, start + LONGEST) + 1):
                    piece = mark + word[start:end]
                    if piece not in frequent:
                        break  # and so is nothing that begins with it
                    counts[piece] += count
                    if piece in kept:
                        next_start = end
                start = next_start
        kept = _keep(counts, threshold, prefix)
    return kept


def _keep(counts: Mapping[str, int], threshold: int, prefix: str) -> dict[str, int]:
    """Keep the frequent candidates, longest first, and subtract the count of each from its prefixes."""
    left = dict(counts)
    kept = {}
    by_length: defaultdict[int, list[str]] = defaultdict(list)
    for piece, count in counts.items():
        if count >= threshold:
            by_length[len(piece.removeprefix(prefix)) if prefix else len(piece)].append(piece)
    for length in sorted(by_length, reverse=True):
        for piece in by_length[length]:
            count = left[piece]
            if count >= threshold:
                kept[piece] = count
                for end in range(len(piece) - length + 1, len(piece)):
                    left[piece[:end]] -= count
    return kept
