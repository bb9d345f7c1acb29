"""Unigram: begin with far too many pieces and drop, round by round, those that are missed least.

Source: Kudo 2018, "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword
Candidates", section 3.2, with the choices that its implementation, sentencepiece, makes:

1. Seed: all characters and the substrings that occur often (`seeds`).
2. Two iterations of expectation maximization (`lattice`). The maximization step takes exp(ψ(expected count))
   in place of the expected count, ψ being the digamma function: the variational Bayesian estimate under a
   sparse Dirichlet prior (Liang, Jordan, Klein 2007), which takes from the rare what the frequent hardly
   need.
3. Prune: estimate for each piece by how much the corpus' log-likelihood would fall without it; keep the best three
   quarters, all single characters among them, whatever they lose, so that no text becomes unreadable.
4. Again from 2 until the size is right; then a last plain maximization, so that the probabilities sum to 1.

Where sentencepiece prunes to 1.1 times the size and takes the most probable pieces in the end, pruning here
goes all the way. Where it drops at once what is expected less than half a time, here that counts as half a
time and falls to pruning, so that the size is exact.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, log

from webapp.core.models.unigram import Unigram
from webapp.core.trainers.corpus_lattice import LONGEST_STRETCH, CorpusLattices
from webapp.core.trainers.seed_pieces import seed_pieces
from webapp.core.trainers.word_counts import WordCounts, alphabet, characters

UNKNOWN = "<unk>"
ITERATIONS = 2  # of expectation maximization before each pruning
RARELY = 0.5  # the least that a piece is taken to be expected


@dataclass(frozen=True)
class PruningRound:
    """What one round did.

    `scores`: the pieces at hand and their log-probabilities after expectation maximization,
    `log_likelihoods`: the corpus' before each iteration of it; `losses`: by how much the log-likelihood would
    fall without each of the longer pieces; `removed`: those dropped for it, least missed first. Both are
    empty in the last round. In the order of `scores`: `expected`, how often each piece is used by the last
    expectation step, and `probabilities`, what follows from that.
    """

    number: int
    scores: dict[str, float]
    log_likelihoods: tuple[float, ...]
    losses: dict[str, float]
    removed: tuple[str, ...]
    expected: Sequence[float] = field(repr=False)
    probabilities: Sequence[float] = field(repr=False)
    lattices: CorpusLattices = field(repr=False, compare=False)

    def used(self) -> dict[str, int]:
        """How often each piece is used when every word is read in its most probable way."""
        return dict(zip(self.scores, self.lattices.best_path_counts(self.probabilities), strict=True))

    def instead(self, piece: str) -> tuple[str, ...]:
        """How the text of a longer piece is read without it."""
        pieces = tuple(self.scores)
        return tuple(pieces[number] for number in self.lattices.without(piece, self.probabilities))


@dataclass(frozen=True)
class TrainedUnigram:
    """A trained Unigram vocabulary: special tokens (score 0), then the pieces, most probable first."""

    scores: dict[str, float]
    log_likelihood: float
    special_names: tuple[str, ...]
    unknown: str = UNKNOWN

    @cached_property
    def model(self) -> Unigram:
        """The model."""
        pieces = (*self.special_names, *self.scores)
        scores = [0.0] * len(self.special_names) + list(self.scores.values())
        return Unigram(pieces, scores, unknown_id=self.special_names.index(self.unknown))

    @property
    def special_tokens(self) -> dict[str, int]:
        """The special tokens and their ids, as a `Tokenizer` with `model` takes them."""
        return {name: index for index, name in enumerate(self.special_names)}


def train(
    counts: WordCounts,
    size: int,
    *,
    special_tokens: Sequence[str] = (UNKNOWN,),
    unknown: str = UNKNOWN,
    coverage: float = 1.0,
    longest: int = 16,
    minimum_frequency: int = 2,
    seeds: int = 1_000_000,
    keep: float = 0.75,
    candidates: Mapping[str, int] | None = None,
) -> TrainedUnigram:
    """Unigram with `size` pieces in all: special tokens, alphabet, the longer pieces missed most.

    `special_tokens` must name `unknown`; for the rest see `rounds`. Fewer pieces when the corpus has fewer
    substrings that are frequent enough. Raises ValueError for a size that cannot hold alphabet and special
    tokens.

    >>> trained = train({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 10)
    >>> sorted(trained.scores, key=len)[-2:], round(sum(map(exp, trained.scores.values())), 6)
    (['hug', 'pun'], 1.0)
    """
    if unknown not in special_tokens:
        raise ValueError(f"the unknown token {unknown!r} is not among the special tokens {special_tokens!r}")
    if not any(counts.values()):
        return TrainedUnigram({}, 0.0, tuple(special_tokens), unknown)  # nothing to learn from: all text is unknown
    room = size - len(special_tokens)
    every_round = rounds(
        counts,
        room,
        coverage=coverage,
        longest=longest,
        minimum_frequency=minimum_frequency,
        seeds=seeds,
        keep=keep,
        candidates=candidates,
        reserved=special_tokens,
    )
    return finished(deque(every_round, maxlen=1).pop(), special_tokens, unknown)  # no other round stays in memory


def finished(last: PruningRound, special_tokens: Sequence[str] = (UNKNOWN,), unknown: str = UNKNOWN) -> TrainedUnigram:
    """The vocabulary that the last of `rounds` comes to."""
    ranked = sorted(last.scores, key=last.scores.__getitem__, reverse=True)
    # Six decimals are more than the counts can tell, and every reader of a file takes them for the same number.
    scores = {piece: round(last.scores[piece], 6) for piece in ranked}
    return TrainedUnigram(scores, last.log_likelihoods[-1], tuple(special_tokens), unknown)


def rounds(
    counts: WordCounts,
    size: int,
    *,
    coverage: float = 1.0,
    longest: int = 16,
    minimum_frequency: int = 2,
    seeds: int = 1_000_000,
    keep: float = 0.75,
    whole_words: bool = True,
    candidates: Mapping[str, int] | None = None,
    reserved: Sequence[str] = (),
) -> Iterator[PruningRound]:
    """Train to `size` pieces (special tokens not among them), a round each time that one is asked for.

    `coverage`: the share of characters that the alphabet makes up, the most frequent first, the rest being
    unknown; `longest`: of a piece, in characters; `minimum_frequency`: how often a longer piece has to occur:
    a long phrase that occurs twice saves many pieces there and none anywhere else, so that in a large corpus
    more is better; `seeds`: how many longer pieces to begin with at most; `keep`: the share that a round
    leaves; `whole_words`: see `seed_pieces`; `candidates`: longer pieces and their frequencies to begin with, instead
    of those that it finds; `reserved`: what may not become a piece. Words longer than
    LONGEST_STRETCH characters are read in stretches of that length.
    """
    seeded = seed(
        counts,
        coverage=coverage,
        longest=longest,
        minimum_frequency=minimum_frequency,
        seeds=seeds,
        whole_words=whole_words,
        candidates=candidates,
        reserved=reserved,
    )
    if size < seeded.characters:
        raise ValueError(f"{size} pieces cannot hold an alphabet of {seeded.characters} characters")
    texts = seeded.texts
    pieces = list(seeded.ranks)
    probabilities = seeded.probabilities()
    number = 0
    while True:
        number += 1
        done = len(pieces) <= size
        lattices = CorpusLattices(texts, pieces)
        texts = lattices.texts
        log_likelihoods = []
        for iteration in range(ITERATIONS):
            expected, log_likelihood = lattices.expectation(probabilities)
            log_likelihoods.append(log_likelihood)
            last = done and iteration == ITERATIONS - 1
            probabilities = maximization(expected, plain=last)
        losses = {} if done else _losses(lattices, pieces, probabilities)
        scores = dict(zip(pieces, map(log, probabilities), strict=True))
        removed = _least_missed(losses, len(pieces) - size, keep)
        yield PruningRound(number, scores, tuple(log_likelihoods), losses, removed, expected, probabilities, lattices)
        if done:
            return
        gone = frozenset(removed)
        probabilities = [p for piece, p in zip(pieces, probabilities, strict=True) if piece not in gone]
        pieces = [piece for piece in pieces if piece not in gone]


@dataclass(frozen=True)
class SeededTraining:
    """What a training begins with: the words as lattices can hold them, and the pieces with their ranks.

    The rank is a piece's frequency times its length; the first `characters` pieces are the single ones.
    """

    texts: dict[str, int]
    ranks: dict[str, int]
    characters: int

    def probabilities(self) -> list[float]:
        """The first guess: in proportion to the ranks."""
        total = sum(self.ranks.values())
        return [rank / total for rank in self.ranks.values()]


def seed(
    counts: WordCounts,
    *,
    coverage: float = 1.0,
    longest: int = 16,
    minimum_frequency: int = 2,
    seeds: int = 1_000_000,
    whole_words: bool = True,
    candidates: Mapping[str, int] | None = None,
    reserved: Sequence[str] = (),
) -> SeededTraining:
    """The pieces that training begins with: the alphabet and what `seed_pieces` finds; see `rounds`.

    >>> seed({"hug": 2, "hugs": 1}).ranks
    {'h': 3, 'u': 3, 'g': 3, 's': 1, 'hug': 9}
    """
    known = alphabet(characters(counts), coverage)
    texts = _stretches(counts, frozenset(known))
    frequencies = characters(texts)
    ranks = {character: frequencies[character] for character in known}
    if candidates is None:
        candidates = seed_pieces(
            texts, seeds, longest=longest, minimum_frequency=minimum_frequency, whole_words=whole_words
        )
    for piece, frequency in candidates.items():
        if piece not in reserved:
            ranks[piece] = frequency * len(piece)
    return SeededTraining(texts, ranks, len(known))


def maximization(expected: Sequence[float], *, plain: bool = False) -> list[float]:
    """The probabilities that expected counts suggest; `plain`: in proportion to the counts, summing to 1.

    >>> [round(p, 3) for p in maximization([3.0, 1.0, 0.0], plain=True)]
    [0.667, 0.222, 0.111]
    >>> [round(p, 3) for p in maximization([3.0, 1.0, 0.0])]
    [0.627, 0.14, 0.035]
    """
    clamped = [max(count, RARELY) for count in expected]
    if plain:
        total = sum(clamped)
        return [count / total for count in clamped]
    log_total = digamma(sum(clamped))
    return [exp(digamma(count) - log_total) for count in clamped]


def digamma(x: float) -> float:
    """ψ(x), the derivative of the logarithm of the gamma function, for x > 0.

    By ψ(x) = ψ(x + 1) - 1/x up to where the asymptotic series in 1/(x - 1/2) is exact to nine digits.

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


def _losses(lattices: CorpusLattices, pieces: Sequence[str], probabilities: Sequence[float]) -> dict[str, float]:
    """For each longer piece, by how much the corpus' log-likelihood would fall without it.

    As sentencepiece estimates it: every use of the piece on a best path gives way to the best reading of its
    text without it, whose pieces become so much more frequent; no other path changes.
    """
    used = lattices.best_path_counts(probabilities)
    total = sum(used)
    log_total = log(total)
    losses = {}
    for number, piece in enumerate(pieces):
        if len(piece) == 1:
            continue
        count = used[number]
        if not count:
            losses[piece] = 0.0
            continue
        instead = lattices.without(piece, probabilities)
        log_total_without = log(total + count * (len(instead) - 1))
        without = sum(log(used[other] + count) - log_total_without for other in instead)
        losses[piece] = count * (log(count) - log_total - without)
    return losses


def _least_missed(losses: dict[str, float], surplus: int, keep: float) -> tuple[str, ...]:
    """The pieces to drop: those beyond the share to keep and all unused, but never more than the surplus."""
    if surplus <= 0:
        return ()
    unused = sum(1 for loss in losses.values() if loss <= 0)
    number = min(surplus, max(round(len(losses) * (1 - keep)), unused, 1))
    # Stable, so that of pieces missed equally those that were seeded last go first.
    ranked = sorted(losses, key=losses.__getitem__, reverse=True)
    return tuple(ranked[: -number - 1 : -1])


def _stretches(counts: WordCounts, known: frozenset[str]) -> dict[str, int]:
    """The words cut at unknown characters, and into stretches that a lattice can hold."""
    texts: dict[str, int] = {}
    for word, count in counts.items():
        if not known.issuperset(word):
            word = "".join(character if character in known else "\0" for character in word)
            parts = word.split("\0")
        else:
            parts = [word]
        for part in parts:
            for begin in range(0, len(part), LONGEST_STRETCH):
                stretch = part[begin : begin + LONGEST_STRETCH]
                texts[stretch] = texts.get(stretch, 0) + count
    return texts
