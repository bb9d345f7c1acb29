"""Unigram: the scores of new pieces.

The log probabilities of two vocabularies are not comparable: each sums to 1 over its own pieces and its own corpus. The
pieces that both have say how far they are apart, and the median of the differences is the shift. A piece without a log
probability, from a list or from BPE, has only the second half of the rule: at least twice the probability of the best
segmentation of its text so far, so that it is used. No score is below the base's lowest, on which the score of unknown
characters depends.
"""

from collections.abc import Mapping
from math import inf, log
from statistics import median

from webapp.core.expansion.candidates import Candidate

UNKNOWN_PENALTY = 10.0  # below the lowest score, as in SentencePiece and `tokenizers`
TWICE = log(2)
FEWEST_SHARED = 8  # pieces


def shift(base: Mapping[str, float], addition: Mapping[str, float]) -> float | None:
    """The median difference of the scores of shared pieces; None if fewer than 8 are shared.

    >>> shift({"a": -3.0}, {"a": -2.0})
    >>> shift(dict.fromkeys("abcdefgh", -3.0), dict.fromkeys("abcdefghi", -2.0))
    -1.0
    """
    differences = [base[piece] - score for piece, score in addition.items() if piece in base]
    return median(differences) if len(differences) >= FEWEST_SHARED else None


def best_score(text: str, scores: Mapping[str, float], unknown: float, longest: int) -> tuple[float, tuple[str, ...]]:
    """The score of the best segmentation of a text and its parts; an unknown character is a part with `unknown`.

    >>> best_score("abc", {"a": -1.0, "b": -1.0, "ab": -1.5}, -12.0, 2)
    (-13.5, ('ab', 'c'))
    """
    best = [0.0] + [-inf] * len(text)
    start_of = [0] * (len(text) + 1)
    for end in range(1, len(text) + 1):
        for start in range(max(0, end - longest), end):
            score = scores.get(text[start:end])
            if score is None:
                if end - start > 1:
                    continue
                score = unknown
            if best[start] + score > best[end]:
                best[end] = best[start] + score
                start_of[end] = start
    parts: list[str] = []
    end = len(text)
    while end:
        parts.append(text[start_of[end] : end])
        end = start_of[end]
    return best[-1], tuple(reversed(parts))


def scores_of(
    base: Mapping[str, float], lowest: float, new: Mapping[str, Candidate | None], added: float | None
) -> dict[str, float]:
    """The scores of new pieces; `added` is the shift of their own scores, None if they cannot be compared.

    Shorter pieces come first, so that a longer one is compared with all of its possible parts.
    """
    known = dict(base)
    longest = max(map(len, known), default=1)
    scores: dict[str, float] = {}
    for piece in sorted(new, key=len):
        best, _ = best_score(piece, known, lowest - UNKNOWN_PENALTY, longest)
        candidate = new[piece]
        own = candidate.score if candidate is not None else None
        score = max(lowest, best + TWICE)
        if own is not None and added is not None:
            score = max(score, own + added)
        scores[piece] = known[piece] = min(score, -1e-6) if best < 0 else score
        longest = max(longest, len(piece))
    return scores
