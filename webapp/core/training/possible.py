"""How many pieces a corpus makes possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webapp.core.trainers import bpe, sentencepiece_bpe, unigram, wordpiece, wordpiece_top_down
from webapp.core.trainers.bpe import END_OF_WORD
from webapp.core.trainers.word_counts import WordCounts, alphabet, characters, symbol_counts
from webapp.core.training.ngrams import MARKS
from webapp.core.training.plan import TrainingPlan

SMALL = 30_000  # characters of the distinct words; training to the end takes a fraction of a second


def possible_pieces(counts: WordCounts, plan: TrainingPlan, *, whole: bool) -> int:
    """Return how many pieces the plan's trainer can make from these counts, special tokens included.

    That is exact if these are the counts of a `whole` small corpus and the trainer merges. Otherwise it is the alphabet
    and the words that are frequent enough: merging makes at least so many, since it goes on until the words are pieces;
    for the trainers that choose among substrings it is an estimate.

    >>> possible_pieces({"low": 2, "lower": 1}, TrainingPlan(trainer="bpe-bytes"), whole=True)
    260
    """
    if plan.trainer == "ngram":
        return sum(" " not in ngram and ngram not in MARKS for ngram in counts)
    symbols = _alphabet(counts, plan)
    always = {*plan.special_tokens, *_UNKNOWN.get(plan.trainer, ()), *symbols}
    if plan.trainer == "bpe-bytes":
        always |= {f"<0x{byte:02X}>" for byte in range(256)}
    if whole and sum(map(len, counts)) <= SMALL:
        if plan.trainer == "unigram":
            minimum = plan.minimum_count or 2
            longest = plan.longest_piece
            return len(always | unigram.seed(counts, longest=longest, minimum_frequency=minimum).ranks.keys())
        if plan.trainer != "wordpiece" or plan.wordpiece == "score":
            return len(always) + len({merged for merged in _merged(counts, plan, symbols) if merged not in always})
    merges = plan.trainer.startswith("bpe-") or plan.wordpiece == "score"
    minimum = plan.minimum_count or (1 if merges else 2)
    limits = {
        "unigram": plan.longest_piece,
        "bpe-sentencepiece": plan.longest_piece,
        "wordpiece": wordpiece_top_down.LONGEST,
    }
    longest = limits.get(plan.trainer, plan.longest_word)
    return len(always) + sum(count >= minimum and 1 < len(word) <= longest for word, count in counts.items())


_UNKNOWN = {
    "bpe-characters": ("<unk>",),
    "bpe-sentencepiece": (sentencepiece_bpe.UNKNOWN, *sentencepiece_bpe.BYTES),
    "wordpiece": (wordpiece.UNKNOWN,),
    "unigram": (unigram.UNKNOWN,),
}


def _alphabet(counts: WordCounts, plan: TrainingPlan) -> list[str]:
    match plan.trainer:
        case "bpe-bytes":
            return []
        case "bpe-characters":
            spelled = ((bpe.spell(word, END_OF_WORD, False), count) for word, count in counts.items())
            return alphabet(symbol_counts(spelled), plan.coverage)
        case "wordpiece":
            spelled = ((wordpiece.spell(word, wordpiece.PREFIX), count) for word, count in counts.items())
            return alphabet(symbol_counts(spelled), plan.coverage)
        case _:
            return alphabet(characters(counts), plan.coverage)


def _merged(counts: WordCounts, plan: TrainingPlan, symbols: Sequence[str]) -> Iterator[str | bytes]:
    """Yield the pieces of all merges."""
    minimum = plan.minimum_count or 1
    if plan.trainer == "wordpiece":
        for scored in wordpiece.merges(counts, minimum_pair_frequency=plan.minimum_count, symbols=symbols):
            yield scored.piece
    elif plan.trainer == "bpe-bytes":
        for merge in bpe.merges(counts, form="bytes", minimum_count=minimum):
            yield merge.left + merge.right
    else:
        if plan.trainer == "bpe-characters":
            found = bpe.merges(counts, form="characters", symbols=symbols, minimum_count=minimum)
        else:
            longest = plan.longest_piece
            found = sentencepiece_bpe.merges(
                counts,
                symbols,
                minimum_count=minimum,
                accepts=lambda piece: sentencepiece_bpe.is_within(piece, longest),
            )
        for marked in found:
            yield marked.left + marked.right
