"""Train the plans whose trainers merge: the three kinds of BPE, and WordPiece by score."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import AnyStr

from webapp.core.sentencepiece_tokenizer import sentencepiece_tokenizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.trainers import bpe, sentencepiece_bpe, superbpe, wordpiece
from webapp.core.trainers.bpe import BYTES, END_OF_WORD, CountedMerge, TrainedBPE
from webapp.core.trainers.word_counts import WordCounts, alphabet, characters, symbol_counts
from webapp.core.training.counting import TrainingError
from webapp.core.training.curve import EACH, LATEST, MergedWords, Watch, tokens_of_longest_matches
from webapp.core.training.plan import TrainingPlan
from webapp.core.training.recipe import normalizer_of, recipe_of

LONGEST_OF_BERT = 100  # characters; WordPiece's model knows no longer word


def train_byte_bpe(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train BPE over bytes, or SuperBPE; special tokens have the ids after the pieces."""
    room = room_after(plan, BYTES, plan.special_tokens)
    least = plan.minimum_count or 1
    if plan.variant == "superbpe":
        merges = superbpe.merges(counts, room, share=plan.transition, minimum_count=least)
    else:
        merges = bpe.merges(counts, form="bytes", minimum_count=least)
    sample = MergedWords(([bytes([byte]) for byte in word.encode()], n) for word, n in watch.curve.words.items())
    taken = tuple(_taken(merges, BYTES, room, watch, sample))
    trained = TrainedBPE(BYTES, taken, plan.special_tokens)
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def train_character_bpe(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train BPE over characters with `</w>`; the unknown token comes first, special tokens come last."""
    unknown = "<unk>"
    spelled = ((bpe.spell(word, END_OF_WORD, False), count) for word, count in counts.items())
    symbols = alphabet(symbol_counts(spelled), plan.coverage)
    start = (unknown, *(symbol for symbol in symbols if symbol != unknown))
    names = tuple(name for name in plan.special_tokens if name != unknown)
    room = room_after(plan, start, names)
    words = ((bpe.spell(word, END_OF_WORD, False), n) for word, n in watch.curve.words.items())
    merges = bpe.merges(counts, form="characters", symbols=symbols, minimum_count=plan.minimum_count or 1)
    taken = tuple(_taken(merges, start, room, watch, MergedWords(words)))
    trained = TrainedBPE(start, taken, names, END_OF_WORD, unknown)
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def train_sentencepiece_bpe(plan: TrainingPlan, counts: WordCounts, watch: Watch) -> Tokenizer:
    """Train SentencePiece's BPE: unknown and special tokens, bytes, merged pieces, characters."""
    names = tuple(dict.fromkeys((sentencepiece_bpe.UNKNOWN, *plan.special_tokens)))
    symbols = alphabet(characters(counts), plan.coverage)
    start = tuple(dict.fromkeys((*names, *sentencepiece_bpe.BYTES, *symbols)))
    known = frozenset(symbols)
    room = room_after(plan, start)
    words = ((_or_bytes(word, known), n) for word, n in watch.curve.words.items())
    longest = plan.longest_piece
    merges = sentencepiece_bpe.merges(
        counts,
        symbols,
        minimum_count=plan.minimum_count or 1,
        accepts=lambda piece: sentencepiece_bpe.is_within(piece, longest),
    )
    taken = tuple(_taken(merges, start, room, watch, MergedWords(words)))
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
    names = tuple(dict.fromkeys((wordpiece.UNKNOWN, *plan.special_tokens)))
    spelled = ((wordpiece.spell(word, wordpiece.PREFIX), count) for word, count in counts.items())
    symbols = alphabet(symbol_counts(spelled), plan.coverage)
    pieces = dict.fromkeys((*names, *symbols))
    room_after(plan, pieces)
    curve = watch.curve
    taken: list[wordpiece.ScoredMerge] = []
    latest: deque[str] = deque(maxlen=LATEST)
    first, longest = len(pieces), 1

    def measure(*, last: bool = False) -> None:
        if curve.is_open(len(pieces)) if last else curve.due(len(pieces)):
            words = {word: n for word, n in curve.words.items() if len(word) <= LONGEST_OF_BERT}
            too_long = sum(curve.words.values()) - sum(words.values())
            curve.add(len(pieces), too_long + tokens_of_longest_matches(words, pieces, wordpiece.PREFIX, longest))

    found = wordpiece.merges(counts, minimum_pair_frequency=plan.minimum_count, symbols=symbols)
    measure()
    while len(pieces) < plan.size and (merge := next(found, None)) is not None:
        taken.append(merge)
        pieces[merge.piece] = None
        longest = max(longest, len(merge.piece))
        latest.appendleft(merge.piece)
        if not len(taken) % EACH:
            measure()
            watch(len(pieces), len(pieces) - first, plan.size - first, latest)
    measure(last=True)
    trained = wordpiece.TrainedWordPiece(tuple(symbols), tuple(taken), names)
    return recipe_of(plan).tokenizer(trained.model, trained.special_tokens)


def room_after(plan: TrainingPlan, start: Collection[object], special_tokens: Sequence[str] = ()) -> int:
    """Return how many pieces there may be without the special tokens; raises TrainingError if `start` is too large."""
    needed = len(start) + len(special_tokens)
    if needed > plan.size:
        raise TrainingError("alphabet", needed=needed, size=plan.size)
    return plan.size - len(special_tokens)


def _taken(
    merges: Iterator[CountedMerge[AnyStr]],
    start: Sequence[AnyStr],
    room: int,
    watch: Watch,
    sample: MergedWords,
) -> Iterator[CountedMerge[AnyStr]]:
    """Yield merges until there are `room` pieces, and report them."""
    pieces = set(start)
    curve = watch.curve
    others = curve.size - room  # special tokens
    latest: deque[AnyStr] = deque(maxlen=LATEST)
    if curve.due(len(pieces) + others):
        curve.add(len(pieces) + others, sample.tokens())
    for number, merge in enumerate(merges if len(pieces) < room else (), 1):
        yield merge
        piece = merge.left + merge.right
        pieces.add(piece)
        sample.add(merge.left, merge.right, piece)
        latest.appendleft(piece)
        if not number % EACH:
            if curve.due(len(pieces) + others):
                curve.add(len(pieces) + others, sample.tokens())
            watch(len(pieces) + others, len(pieces) - len(start), room - len(start), latest)
        if len(pieces) == room:
            break
    if curve.is_open(len(pieces) + others):
        curve.add(len(pieces) + others, sample.tokens())


def _or_bytes(word: str, known: Collection[str]) -> list[str]:
    """Return the characters of a word, and for one outside the alphabet its bytes."""
    symbols: list[str] = []
    for character in word:
        symbols += [character] if character in known else [f"<0x{byte:02X}>" for byte in character.encode()]
    return symbols
