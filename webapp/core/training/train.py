"""Train a plan's tokenizer from the counts of a corpus, with progress and a curve on the held-out text.

Trainers that merge (three kinds of BPE, WordPiece by score) come first, then those that choose among many pieces
(WordPiece from the top down, Unigram).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webapp.core.recipes import sentencepiece_tokenizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, sentencepiece_bpe, superbpe, unigram, wordpiece, wordpiece_top_down
from webapp.core.trainers.bpe import BYTES, END_OF_WORD, CountedMerge, TrainedBPE
from webapp.core.trainers.word_counts import WordCounts, alphabet, characters, symbol_counts
from webapp.core.trainers.wordpiece import PREFIX
from webapp.core.training.counting import CountedCorpus, TrainingError
from webapp.core.training.curve import EACH, LATEST, MatchedWords, MergedWords, Watch, tokens_of_best_paths
from webapp.core.training.ngrams import train_ngrams
from webapp.core.training.plan import Progress, Report, TrainingPlan
from webapp.core.training.recipe import MARK, MARKED, check, normalizer_of, recipe_of

SEEDS = 1_000_000  # candidates at most
SEEDS_FOR_A_PIECE = 10  # candidates from BPE, for each piece of the vocabulary


def alphabet_of(counts: WordCounts, plan: TrainingPlan) -> list[str]:
    """Return the symbols that a plan's trainer starts from, most frequent first; over bytes, none."""
    if plan.trainer == "bpe-bytes":
        return []
    if plan.trainer in ("bpe-characters", "wordpiece"):
        return alphabet(symbol_counts((_spelled(word, plan), count) for word, count in counts.items()), plan.coverage)
    return alphabet(characters(counts), plan.coverage)


def merges_of(
    counts: WordCounts, plan: TrainingPlan, symbols: Sequence[str]
) -> Iterator[CountedMerge[bytes]] | Iterator[CountedMerge[str]] | Iterator[wordpiece.ScoredMerge]:
    """Yield the merges of a plan's trainer (of SuperBPE, those of plain BPE); `symbols` is the alphabet."""
    least = plan.minimum_count or 1
    if plan.trainer == "wordpiece":
        return wordpiece.merges(counts, minimum_pair_frequency=plan.minimum_count, symbols=symbols)
    if plan.trainer == "bpe-bytes":
        return bpe.merges(counts, form="bytes", minimum_count=least)
    if plan.trainer == "bpe-characters":
        return bpe.merges(counts, form="characters", symbols=symbols, minimum_count=least)
    longest = plan.longest_piece
    return bpe.merges_of_symbols(
        counts, symbols, minimum_count=least, accepts=lambda piece: sentencepiece_bpe.is_within(piece, longest)
    )


def _spelled(word: str, plan: TrainingPlan) -> list[str]:
    return wordpiece.spell(word, PREFIX) if plan.trainer == "wordpiece" else bpe.spell(word, END_OF_WORD, False)


def _names(plan: TrainingPlan) -> tuple[str, ...]:
    """The unknown token and the special tokens, where they are the first pieces."""
    return tuple(dict.fromkeys((wordpiece.UNKNOWN if plan.trainer == "wordpiece" else "<unk>", *plan.special_tokens)))


def train_byte_bpe(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train BPE over bytes, or SuperBPE; special tokens have the ids after the pieces."""
    room = room_after(plan, BYTES, plan.special_tokens)
    merges = merges_of(counts, plan, ())
    if plan.variant == "superbpe":
        merges = superbpe.merges(counts, room, share=plan.transition, minimum_count=plan.minimum_count or 1)
    sample = MergedWords(([bytes([byte]) for byte in word.encode()], n) for word, n in watch.curve.words.items())
    trained = TrainedBPE(BYTES, _taken(merges, BYTES, room, watch, sample), plan.special_tokens)
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def train_character_bpe(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train BPE over characters with `</w>`; the unknown token comes first, special tokens come last."""
    unknown = "<unk>"
    symbols = alphabet_of(counts, plan)
    start = (unknown, *(symbol for symbol in symbols if symbol != unknown))
    names = tuple(name for name in plan.special_tokens if name != unknown)
    room = room_after(plan, start, names)
    sample = MergedWords((_spelled(word, plan), n) for word, n in watch.curve.words.items())
    taken = _taken(merges_of(counts, plan, symbols), start, room, watch, sample)
    trained = TrainedBPE(start, taken, names, END_OF_WORD, unknown)
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def train_sentencepiece_bpe(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train SentencePiece's BPE: unknown and special tokens, bytes, merged pieces, characters."""
    names, symbols = _names(plan), alphabet_of(counts, plan)
    start = tuple(dict.fromkeys((*names, *sentencepiece_bpe.BYTES, *symbols)))
    known = frozenset(symbols)
    room = room_after(plan, start)
    sample = MergedWords((_or_bytes(word, known), n) for word, n in watch.curve.words.items())
    taken = _taken(merges_of(counts, plan, symbols), start, room, watch, sample)
    trained = sentencepiece_bpe.TrainedSentencePieceBPE(tuple(symbols), taken, names)
    return sentencepiece_tokenizer(
        trained.pieces,
        trained.scores,
        algorithm="bpe",
        special_tokens=trained.special_tokens,
        normalizer=normalizer_of(plan),
    )


def train_wordpiece_by_score(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train WordPiece by score; special tokens come first."""
    names, symbols = _names(plan), alphabet_of(counts, plan)
    start = tuple(dict.fromkeys((*names, *symbols)))
    room = room_after(plan, start)
    taken = _taken(merges_of(counts, plan, symbols), start, room, watch, MatchedWords(watch.curve.words, start))
    trained = wordpiece.TrainedWordPiece(tuple(symbols), taken, names)
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def room_after(plan: TrainingPlan, start: Collection[object], special_tokens: Sequence[str] = ()) -> int:
    """Return how many pieces there may be without the special tokens; raises TrainingError if `start` is too large."""
    needed = len(start) + len(special_tokens)
    if needed > plan.size:
        raise TrainingError("alphabet", needed=needed, size=plan.size)
    return plan.size - len(special_tokens)


def _taken(merges: Any, start: Collection[str | bytes], room: int, watch: Watch, sample: Any) -> tuple[Any, ...]:
    """Take merges until there are `room` pieces, and report them; `sample` has the words that they are applied to."""
    taken = []
    pieces = set(start)
    curve = watch.curve
    others = curve.size - room  # special tokens
    latest: deque[str | bytes] = deque(maxlen=LATEST)
    if curve.due(len(pieces) + others):
        curve.add(len(pieces) + others, sample.tokens())
    for number, merge in enumerate(bpe.until(room, start, merges), 1):
        taken.append(merge)
        pieces.add(merge.piece)
        sample.add(merge)
        latest.appendleft(merge.piece)
        if not number % EACH:
            if curve.due(len(pieces) + others):
                curve.add(len(pieces) + others, sample.tokens())
            watch(len(pieces) + others, len(pieces) - len(start), room - len(start), latest)
    if curve.is_open(len(pieces) + others):
        curve.add(len(pieces) + others, sample.tokens())
    return tuple(taken)


def _or_bytes(word: str, known: Collection[str]) -> list[str]:
    """Return the characters of a word, and for one outside the alphabet its bytes."""
    symbols: list[str] = []
    for character in word:
        symbols += [character] if character in known else [f"<0x{byte:02X}>" for byte in character.encode()]
    return symbols


def train_wordpiece_top_down(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train WordPiece from the top down; special tokens come first."""
    names = _names(plan)
    always = {*names, *alphabet_of(counts, plan)}
    room_after(plan, always)
    steps = 0

    def measure(kept: Collection[str]) -> None:
        """Measure after a step of the search for the threshold, which keeps more or fewer pieces than the size."""
        nonlocal steps
        steps += 1
        pieces = always | set(kept)
        _measure_longest_matches(pieces, watch)
        watch(min(len(pieces), plan.size), steps, 0)

    trained = wordpiece_top_down.train(
        counts, plan.size, special_tokens=names, coverage=plan.coverage, kept_by_step=measure
    )
    _measure_longest_matches({*always, *trained.longer}, watch)
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def _measure_longest_matches(pieces: Collection[str], watch: Watch) -> None:
    curve = watch.curve
    if len(pieces) <= curve.size and curve.is_open(len(pieces)):
        curve.add(len(pieces), MatchedWords(curve.words, pieces, wordpiece_top_down.LONGEST).tokens())


def train_unigram(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train Unigram; special tokens come first."""
    names = _names(plan)
    room = room_after(plan, dict.fromkeys((*names, *alphabet_of(counts, plan)))) - len(names)
    minimum = plan.minimum_count or 2
    rounds = unigram.rounds(
        counts,
        room,
        coverage=plan.coverage,
        longest=plan.longest_piece,
        minimum_frequency=minimum,
        seeds=SEEDS,
        keep=plan.keep,
        candidates=_seeds_of_bpe(plan, counts, room, minimum) if plan.seeds == "bpe" else None,
        reserved=names,
    )
    curve = watch.curve
    last = None
    first = 0
    for last in rounds:
        pieces = len(last.scores) + len(names)
        first = first or pieces
        if curve.words:
            curve.add(pieces, tokens_of_best_paths(curve.words, last.scores, plan.longest_piece))
        watch(pieces, first - pieces, max(first - plan.size, 0), last.removed[:LATEST])
    assert last is not None
    trained = unigram.finished(last, names)
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
    for merge in bpe.merges_of_symbols(counts, symbols, minimum_count=minimum):
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
    sizes, measured on a sample; `characters_per_token` is that of the whole held-out text, None if there is none.
    `held_out` is that text as it was measured, for n-grams without the spaces between words; `ngrams` has their
    figures.
    """

    tokenizer: Tokenizer
    pieces: int
    curve: tuple[tuple[int, float], ...]
    characters_per_token: float | None
    held_out: str = ""
    ngrams: Mapping[str, Any] = field(default_factory=dict)


def train(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> TrainedTokenizer:
    """Train the plan's tokenizer.

    With a minimum count of the plan's own above 1, training may end before the size is reached. Raises PlanError for an
    impossible plan, and TrainingError with the code `too_small` or `alphabet`.
    """
    check(plan)
    report(Progress("train", 0, 0))
    if plan.trainer == "ngram":
        return _trained_ngrams(plan, counted, report)
    counts = counted.counts
    if plan.trainer in MARKED:
        # Every text begins with a mark, also one of a corpus without spaces: it must not fall out of the alphabet.
        counts = {**counts, MARK: counts.get(MARK, 0) + counted.characters // 1_000 + 1}
    watch = Watch(report, plan, counted)
    tokenizer = _trainer(plan)(plan, counts, watch)
    pieces = len({*range(len(tokenizer.model.pieces)), *tokenizer.special_tokens.values()})
    if pieces < plan.size and (plan.minimum_count or 1) == 1:
        raise TrainingError("too_small", possible=pieces, size=plan.size)
    held_out = counted.held_out
    tokens = len(tokenizer.ids(held_out)) if held_out else 0
    curve = tuple(sorted(watch.curve.points))
    report(Progress("train", pieces, pieces, pieces, (), curve))
    return TrainedTokenizer(tokenizer, pieces, curve, len(held_out) / tokens if tokens else None, held_out)


def _trained_ngrams(plan: TrainingPlan, counted: CountedCorpus, report: Report) -> TrainedTokenizer:
    tokenizer, held_out, figures = train_ngrams(plan, counted, report)
    tokens = len(tokenizer.ids(held_out)) if held_out else 0
    steps = int(plan.order) + 2
    report(Progress("train", steps, steps, sum(figures["sizes"])))
    share = len(held_out) / tokens if tokens else None
    return TrainedTokenizer(tokenizer, figures["words"], (), share, held_out, figures)


def _trainer(plan: TrainingPlan) -> Callable[[TrainingPlan, WordCounts, Watch], Tokenizer]:
    match plan.trainer:
        case "bpe-bytes":
            return train_byte_bpe
        case "bpe-characters":
            return train_character_bpe
        case "bpe-sentencepiece":
            return train_sentencepiece_bpe
        case "wordpiece":
            return train_wordpiece_by_score if plan.wordpiece == "score" else train_wordpiece_top_down
        case "unigram":
            return train_unigram
        case _:
            raise KeyError(plan.trainer)
