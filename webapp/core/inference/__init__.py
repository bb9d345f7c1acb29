"""Several ways to apply one vocabulary: by its own rule, longest match, fewest tokens, BPE-dropout, Unigram samples.

Each works on the pre-tokens of the tokenizer's own normalizer and pre-tokenizer, with its pieces as they are, so ids,
offsets, special tokens and decoding stay what they are. Only the own rule is what a model trained with the vocabulary
expects.

- `longest`: the longest piece at each position, from the left (Uzan et al. 2024, "Greed is All You Need").
- `fewest`: the fewest pieces, a shortest path (Schmidt et al. 2024, "Tokenization Is More Than Compression", where it
  is PathPiece); among equals the longest piece first, from the left.
- `dropout`: BPE whose merges are dropped at random (Provilkov et al. 2020, "BPE-Dropout").
- `sample`: Unigram segmentations drawn by their probabilities (Kudo 2018, "Subword Regularization").
"""

from dataclasses import dataclass

from webapp.core.inference.character_pieces import (
    BytePieces,
    CharacterPieces,
    ScoredPiecesByRule,
    UnigramPieces,
    WordPieces,
)
from webapp.core.inference.dropout import MergesWithDropout
from webapp.core.inference.piece_table import fewest_parts, longest_parts
from webapp.core.inference.samples import DrawnTokenizer, UnigramSamples
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class Parameter:
    """A number that an inference depends on, from `least` to `most`."""

    name: str
    least: float
    most: float
    default: float


DROPOUT = Parameter("dropout", 0.0, 1.0, 0.1)
"""The probability with which each possible merge is dropped at each step."""
ALPHA = Parameter("alpha", 0.01, 10.0, 1.0)
"""The exponent of the probabilities: at 1 samples follow the model, near 0 all segmentations are equally likely."""
SEED = Parameter("seed", 0, 2**31, 0)
"""Which of the random results: the same seed gives the same result."""


PARAMETERS = (DROPOUT, ALPHA, SEED)


@dataclass(frozen=True)
class Inference:
    """A way to apply a vocabulary; `source` is the paper's number on arXiv, empty for the vocabulary's own rule."""

    id: str
    source: str = ""
    parameters: tuple[Parameter, ...] = ()


OWN = "own"
"""The id of the vocabulary's own rule, the only one that is exact."""

INFERENCES: dict[str, Inference] = {
    each.id: each
    for each in (
        Inference(OWN),
        Inference("longest", "2403.01289"),
        Inference("fewest", "2402.18376"),
        Inference("dropout", "1910.13267", (DROPOUT, SEED)),
        Inference("sample", "1804.10959", (ALPHA, SEED)),
    )
}


class InferenceError(ValueError):
    """A model does not have this inference."""


def inferences_for(model: Model) -> tuple[str, ...]:
    """The ids of the ways to apply the vocabulary of a model, its own rule first.

    >>> inferences_for(WordPiece(["[UNK]", "a"]))
    ('own', 'longest', 'fewest')
    """
    if isinstance(model, BPE | RankBPE | ScoredBPE):
        return OWN, "longest", "fewest", "dropout"
    if isinstance(model, Unigram | SentencePieceUnigram):
        return OWN, "longest", "fewest", "sample"
    return (OWN, "longest", "fewest") if isinstance(model, WordPiece) else (OWN,)


def infer(
    tokenizer: Tokenizer,
    name: str,
    *,
    dropout: float = DROPOUT.default,
    alpha: float = ALPHA.default,
    seed: int = 0,
) -> Tokenizer:
    """Return a tokenizer that applies the vocabulary of another one by the inference `name`.

    `dropout` is the probability of BPE-dropout, `alpha` the exponent of Unigram samples, `seed` chooses among the
    random results: the same seed gives the same tokens, on every platform.

    >>> from webapp.core.recipes import BYTE_BPE
    >>> pieces = [*(bytes([byte]) for byte in range(256)), b"ab", b"bc", b"bcd"]
    >>> own = BYTE_BPE.tokenizer(BPE(pieces, [(97, 98), (98, 99), (257, 100)], byte_level=True))
    >>> [[pieces[id] for id in infer(own, name).ids("abcd")] for name in ("own", "longest", "fewest")]
    [[b'ab', b'c', b'd'], [b'ab', b'c', b'd'], [b'a', b'bcd']]

    Raises InferenceError if the model does not have the inference, ValueError for a parameter outside its limits.
    """
    model = tokenizer.model
    if name not in inferences_for(model):
        raise InferenceError(f"this vocabulary has no inference {name!r}: {', '.join(inferences_for(model))}")
    if name == OWN:
        return tokenizer
    if name == "dropout" and isinstance(model, BPE | RankBPE | ScoredBPE):
        return DrawnTokenizer(tokenizer, MergesWithDropout(model, dropout), seed)
    if name == "sample" and isinstance(model, Unigram | SentencePieceUnigram):
        return DrawnTokenizer(tokenizer, UnigramSamples(model, alpha), seed)
    return tokenizer.changed(model=_by_rule(tokenizer, name))


def _by_rule(tokenizer: Tokenizer, name: str) -> Model:
    model, rule = tokenizer.model, longest_parts if name == "longest" else fewest_parts
    without = set(tokenizer.special_tokens.values())
    if isinstance(model, WordPiece):
        return model if name == "longest" else WordPieces(model, rule, without)  # its own rule is the longest match
    if isinstance(model, Unigram):
        return UnigramPieces(model, rule, without)
    if isinstance(model, ScoredBPE | SentencePieceUnigram):
        return ScoredPiecesByRule(model, rule, without)
    if isinstance(model, BPE) and not model.byte_level:
        return CharacterPieces(model, rule, without)
    return BytePieces(model, rule, without | model.reserved if isinstance(model, RankBPE) else without)
