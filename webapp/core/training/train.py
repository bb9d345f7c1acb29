"""Train a plan's tokenizer from the counts of a corpus, with progress and a curve on the held-out text.

Trainers that merge (three kinds of BPE, WordPiece) come first, then Unigram, which chooses among many pieces.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from webapp.core.models import Model
from webapp.core.recipes import sentencepiece_tokenizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, bpe_variants, unigram, wordpiece
from webapp.core.trainers.bpe import END_OF_WORD, CountedMerge, TrainedBPE
from webapp.core.trainers.bpe_variants import TrainedSentencePieceBPE
from webapp.core.trainers.ties import byte_alphabet, in_order_of_ids
from webapp.core.trainers.word_counts import WordCounts, alphabet, characters, symbol_counts
from webapp.core.trainers.wordpiece import PREFIX
from webapp.core.training.counting import CountedCorpus, Limited, TrainingError, count_block
from webapp.core.training.ngrams import train_ngrams
from webapp.core.training.plan import TIED, Progress, Report, Trainer, TrainingPlan
from webapp.core.training.recipe import MARK, MARKED, check, normalizer_of, recipe_of
from webapp.core.training.taggers import train_tagger

USUAL_COVERAGE = 0.9995  # as in SentencePiece
RARE_CHARACTERS: Mapping[Trainer, float] = {"bpe-characters": 1 / 2, "wordpiece": 3 / 4}
"""The share of the vocabulary that the alphabet may have with the characters that the usual coverage leaves out.

For the trainers without `▁`, whose tokenizers make a word unknown if one of its characters is. In a corpus of English
and two Chinese books, 614 characters occur once. Of 8,000 pieces of WordPiece they make English 3 % longer, of 16,000
0.8 %, of 32,000 0.2 %. Of 400,000 characters of another novel, 2,904 are unknown without them and 2,305 with them, as
with `tokenizers`.
"""
SEEDS = 1_000_000  # candidates at most
SEEDS_FOR_A_PIECE = 10  # candidates from BPE, for each piece of the vocabulary


def alphabet_of(
    counts: WordCounts, plan: TrainingPlan, held_out: WordCounts | None = None, *, every: bool = False
) -> list[str]:
    """Return the symbols that a plan's trainer starts from, in the order of their ids; over bytes, none.

    A plan without a coverage of its own has SentencePiece's. For some trainers rarer symbols are added, the most
    frequent first, up to `RARE_CHARACTERS`, or `every` one that the vocabulary has room for; also those of the
    `held_out` text, of which they see nothing else.
    """
    if plan.trainer == "bpe-bytes":
        return []
    coverage = plan.coverage or USUAL_COVERAGE
    if plan.trainer in MARKED:
        found = alphabet(characters(counts), coverage)
    else:
        words = chain(counts.items(), held_out.items() if held_out else ())
        frequencies = symbol_counts((_spelled(word, plan), count) for word, count in words)
        for symbol in tuple(frequencies):  # WordPiece knows what continues words at their beginning, too
            frequencies.setdefault(symbol.removeprefix(PREFIX), 1)
        found = alphabet(frequencies, coverage)
        most = int((plan.size - len(_names(plan))) * (1 if every else RARE_CHARACTERS[plan.trainer]))
        if not plan.coverage and len(found) < most:
            found = list(dict.fromkeys((*found, *alphabet(frequencies))))[:most]
    return in_order_of_ids(found, plan.ties) if plan.trainer in TIED else found


def merges_of(
    counts: WordCounts, plan: TrainingPlan, symbols: Sequence[str]
) -> Iterator[CountedMerge[bytes]] | Iterator[CountedMerge[str]] | Iterator[wordpiece.ScoredMerge]:
    """Yield the merges of a plan's trainer (of SuperBPE, those of plain BPE); `symbols` is the alphabet."""
    least = plan.minimum_count or 1
    if plan.trainer == "wordpiece":
        return wordpiece.merges(counts, minimum_pair_frequency=plan.minimum_count, symbols=symbols)
    if plan.trainer == "bpe-bytes":
        return bpe.byte_merges(counts, minimum_count=least, ties=plan.ties)
    if plan.trainer == "bpe-characters":
        return bpe.character_merges(counts, symbols=symbols, minimum_count=least, ties=plan.ties)
    longest = plan.longest_piece
    return bpe.character_merges(
        counts,
        end_of_word_suffix="",
        symbols=symbols,
        minimum_count=least,
        accepts=lambda piece: bpe_variants.is_within(piece, longest),
        ties=plan.ties,
    )


def _spelled(word: str, plan: TrainingPlan) -> list[str]:
    return wordpiece.spell(word, PREFIX) if plan.trainer == "wordpiece" else bpe.spell(word, END_OF_WORD, False)


def _names(plan: TrainingPlan) -> tuple[str, ...]:
    """The unknown token and the special tokens, where they are the first pieces."""
    return tuple(dict.fromkeys((wordpiece.UNKNOWN if plan.trainer == "wordpiece" else "<unk>", *plan.special_tokens)))


def train_by_merging(
    plan: TrainingPlan, counts: WordCounts, watch: Watch, held_out: WordCounts | None = None, *, every: bool = False
) -> Tokenizer:
    """Train BPE, SuperBPE or WordPiece by score: take merges until the vocabulary has its size, and report them.

    For `held_out` and `every` see `alphabet_of`.
    """
    symbols = alphabet_of(counts, plan, held_out, every=every)
    start = _vocabulary(plan, symbols, ())
    pieces = set(start.model.pieces)
    others = sum(id >= len(start.model.pieces) for id in start.special_tokens.values())
    first, room = len(pieces), room_after(plan, pieces, others)
    merges: Any = merges_of(counts, plan, symbols)
    if plan.variant == "superbpe":
        least = plan.minimum_count or 1
        merges = bpe_variants.merges(counts, room, share=plan.transition, minimum_count=least, ties=plan.ties)
    taken: list[Any] = []
    latest: deque[str | bytes] = deque(maxlen=LATEST)
    curve = watch.curve

    def measure() -> None:
        curve.measure(len(pieces) + others, _vocabulary(plan, symbols, taken).model, merging=True)

    if curve.due(first + others):
        measure()
    for number, merge in enumerate(bpe.until(room, pieces, merges), 1):
        taken.append(merge)
        pieces.add(merge.piece)
        latest.appendleft(merge.piece)
        if not number % EACH:
            if curve.due(len(pieces) + others):
                measure()
            watch(len(pieces) + others, len(pieces) - first, room - first, latest)
    if curve.is_open(len(pieces) + others):
        measure()
    trained = _vocabulary(plan, symbols, taken)
    if isinstance(trained, TrainedSentencePieceBPE):
        return sentencepiece_tokenizer(
            trained.pieces,
            trained.scores,
            algorithm="bpe",
            special_tokens=trained.special_tokens,
            normalizer=normalizer_of(plan),
        )
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def _vocabulary(
    plan: TrainingPlan, symbols: Sequence[str], merges: Sequence[Any]
) -> TrainedBPE[Any] | TrainedSentencePieceBPE | wordpiece.TrainedWordPiece:
    """The vocabulary after some merges; special tokens come first, of BPE over bytes and characters last."""
    names = _names(plan)
    match plan.trainer:
        case "bpe-bytes":
            return TrainedBPE(byte_alphabet(plan.ties), tuple(merges), plan.special_tokens)
        case "bpe-characters":
            start = tuple(dict.fromkeys((names[0], *symbols)))
            return TrainedBPE(start, tuple(merges), names[1:], END_OF_WORD, names[0])
        case "bpe-sentencepiece":
            return TrainedSentencePieceBPE(tuple(symbols), tuple(merges), names)
        case _:
            return wordpiece.TrainedWordPiece(tuple(symbols), tuple(merges), names)


def room_after(plan: TrainingPlan, start: Collection[object], others: int = 0) -> int:
    """Return how many pieces there may be without `others`; raises TrainingError if `start` is too large."""
    needed = len(start) + others
    if needed > plan.size:
        raise TrainingError("alphabet", needed=needed, size=plan.size)
    return plan.size - others


def train_unigram(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train Unigram; special tokens come first."""
    names = _names(plan)
    room = room_after(plan, dict.fromkeys((*names, *alphabet_of(counts, plan)))) - len(names)
    minimum = plan.minimum_count or 2
    rounds = unigram.rounds(
        counts,
        room,
        coverage=plan.coverage or USUAL_COVERAGE,
        longest=plan.longest_piece,
        minimum_frequency=minimum,
        seeds=SEEDS,
        keep=plan.keep,
        compact=True,
        candidates=_seeds_of_bpe(plan, counts, room, minimum) if plan.seeds == "bpe" else None,
        reserved=names,
    )
    first = 0
    for each in rounds:
        trained = unigram.finished(each, names)
        pieces = len(trained.model.pieces)
        first = first or pieces
        watch.curve.measure(pieces, trained.model)
        watch(pieces, first - pieces, max(first - plan.size, 0), each.removed[:LATEST])
    return sentencepiece_tokenizer(
        trained.model.pieces,
        trained.model.scores,
        algorithm="unigram",
        special_tokens=trained.special_tokens,
        normalizer=normalizer_of(plan),
    )


def _seeds_of_bpe(plan: TrainingPlan, counts: WordCounts, room: int, minimum: int) -> Mapping[str, int]:
    """Return the pieces of BPE's merges with the counts of their pairs, several for each piece that is wanted.

    As an alternative to frequent substrings: they are fewer, and no part of a longer piece that is never alone.
    """
    symbols = alphabet_of(counts, plan)
    seeds: dict[str, int] = {}
    for merge in bpe.character_merges(counts, end_of_word_suffix="", symbols=symbols, minimum_count=minimum):
        piece = merge.piece
        if len(piece) <= plan.longest_piece:
            seeds[piece] = seeds.get(piece, 0) + merge.count
        if len(seeds) >= min(room * SEEDS_FOR_A_PIECE, SEEDS):
            break
    return seeds


@dataclass(frozen=True)
class TrainedTokenizer:
    """A trained tokenizer, and how it does on the held-out text.

    `pieces` is the size of the vocabulary, special tokens included. `curve` has the characters per token at several
    sizes; `characters_per_token` is that of `held_out`, lines from all of the held-out text (None if there is none),
    for models of words without the spaces between them; `figures` are those of such a model.
    """

    tokenizer: Tokenizer
    pieces: int
    curve: tuple[tuple[int, float], ...]
    characters_per_token: float | None
    held_out: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)


def train(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> TrainedTokenizer:
    """Train the plan's tokenizer.

    With a minimum count of the plan's own above 1, training may end before the size is reached. Raises PlanError for an
    impossible plan, and TrainingError with the code `too_small` or `alphabet`.
    """
    check(plan)
    report(Progress("train", 0, 0))
    if plan.of_words:
        return _trained_on_words(plan, counted, report)
    counts = counted.counts
    if plan.trainer in MARKED:
        # Every text begins with a mark, also one of a corpus without spaces: it must not fall out of the alphabet.
        table = dict(counts.items())
        table[MARK] = table.get(MARK, 0) + counted.characters // 1_000 + 1
        counts = table
    held_out = count_block(counted.held_out, plan) if plan.trainer in RARE_CHARACTERS else None
    for every in (False, True):  # again if merges are too few: Chinese has none within WordPiece's words
        watch = Watch(report, plan, counted)
        if plan.trainer == "unigram":
            tokenizer = train_unigram(plan, counts, watch)
        else:
            tokenizer = train_by_merging(plan, counts, watch, held_out, every=every)
        pieces = len({*range(len(tokenizer.model.pieces)), *tokenizer.special_tokens.values()})
        if pieces >= plan.size or plan.coverage or plan.trainer not in RARE_CHARACTERS:
            break
    if pieces < plan.size and (plan.minimum_count or 1) == 1:
        raise TrainingError("too_small", possible=pieces, size=plan.size)
    measured = sample_of(counted.held_out, MEASURED)
    tokens = len(tokenizer.ids(measured)) if measured else 0
    curve = tuple(sorted(watch.curve.points))
    report(Progress("train", pieces, pieces, pieces, (), curve))
    return TrainedTokenizer(tokenizer, pieces, curve, len(measured) / tokens if tokens else None, measured)


def _trained_on_words(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> TrainedTokenizer:
    train_words = train_ngrams if plan.trainer == "ngram" else train_tagger
    tokenizer, held_out, figures = train_words(plan, counted, report)
    held_out = sample_of(held_out, MEASURED)
    tokens = len(tokenizer.ids(held_out)) if held_out else 0
    steps, pieces = (int(plan.order) + 2, sum(figures["sizes"])) if plan.trainer == "ngram" else (1, plan.rounds)
    report(Progress("train", steps, steps, pieces))
    share = len(held_out) / tokens if tokens else None
    return TrainedTokenizer(tokenizer, figures["words"], (), share, held_out, figures)


SAMPLE = 20_000  # characters, for the curve
MEASURED = 40_000  # characters: each vocabulary that is compared is measured in a tenth of a second
SIZES = 24
LATEST = 12  # pieces shown
EACH = 16  # merges between two looks at the clock


class Curve:
    """The points so far, and the words of the sample with their counts."""

    def __init__(self, counted: CountedCorpus, plan: TrainingPlan) -> None:
        """`size` is that of the finished vocabulary."""
        sample = sample_of(counted.held_out)
        self.characters = len(sample)
        self.words = count_block(sample, plan) if sample else {}
        self.points: list[tuple[int, float]] = []
        self.size = plan.size
        self._next = 0
        self._finished = 0  # words that are one token for good

    def due(self, pieces: int) -> bool:
        """Whether to measure at this size: at sizes that grow geometrically."""
        if pieces < self._next or not self.characters:
            return False
        first = self.points[0][0] if self.points else pieces
        growth = max((self.size / first) ** (1 / SIZES), 1.01)
        self._next = int(pieces * growth) + 1
        return True

    def is_open(self, pieces: int) -> bool:
        """Whether this size has not been measured, though it can be."""
        return bool(self.characters) and all(size != pieces for size, _ in self.points)

    def measure(self, pieces: int, model: Model, *, merging: bool = False) -> None:
        """Add a point: the characters per token with a model of so many pieces.

        With `merging`, a word that is one token stays one in all later models, and is not encoded again.
        """
        tokens = self._finished
        for word, count in list(self.words.items()):
            number = len(model.ids(word))
            tokens += count * number
            if merging and number == 1:
                self._finished += self.words.pop(word)
        if tokens:
            self.points.append((pieces, round(self.characters / tokens, 4)))


class Watch:
    """Reports the progress of a training, at most a few times a second."""

    def __init__(self, report: Report, plan: TrainingPlan, counted: CountedCorpus) -> None:
        self.curve = Curve(counted, plan)
        self._report = Limited(report)

    def __call__(self, pieces: int, done: int, total: int, latest: Iterable[str | bytes] = ()) -> None:
        """Report a moment; see `Progress`."""
        self._report(partial(self._moment, pieces, done, total, latest))

    def _moment(self, pieces: int, done: int, total: int, latest: Iterable[str | bytes]) -> Progress:
        return Progress("train", done, total, pieces, tuple(map(shown, latest)), tuple(sorted(self.curve.points)))


def sample_of(text: str, most: int = SAMPLE) -> str:
    """Return at most `most` characters of a text, of lines spread over it.

    >>> sample_of("a\\nb\\nc\\nd\\n", 4)
    'a\\nc\\n'
    """
    if len(text) <= most:
        return text
    lines = text.splitlines(keepends=True)
    return "".join(lines[:: -(-len(text) // most)])[:most]


def shown(piece: str | bytes) -> str:
    r"""Return a piece as text; bytes that are not valid UTF-8 in hexadecimal.

    >>> shown(b" the"), shown(b"\xe4\xb8")
    (' the', '⟨E4 B8⟩')
    """
    if isinstance(piece, str):
        return piece
    try:
        return piece.decode()
    except UnicodeDecodeError:
        return f"⟨{piece.hex(' ').upper()}⟩"
