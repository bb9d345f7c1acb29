"""`expand`: a base with pieces added, by the rule of its kind of model."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from math import ceil, frexp
from typing import Any, Literal

from webapp.core.added_tokens import AddedToken
from webapp.core.expansion import candidates as candidates_of
from webapp.core.expansion.candidates import Candidate, Form, Spelling
from webapp.core.expansion.files import Added, Expansion, ExpansionError
from webapp.core.expansion.growth import Growth, NewPiece, grow
from webapp.core.expansion.merge_tables import Merges, Ranks, Scores
from webapp.core.expansion.unigram import UNKNOWN_PENALTY, best_score, scores_of, shift
from webapp.core.models import Model
from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram, single
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase, VocabularyError

_MANTISSA = 24  # bits


def falling_scores(lowest: float, count: int) -> list[float]:
    """`count` scores below `lowest`, each below the one before; all differ in single precision.

    The step is 1, as in Llama 2, whose scores are −0, −1, −2 …; it is larger where single precision has no steps of 1.

    >>> falling_scores(-31741.0, 3), falling_scores(-2.5, 2), falling_scores(-1e9, 2)
    ([-31742.0, -31743.0, -31744.0], [-3.0, -4.0], [-1000000064.0, -1000000128.0])
    """
    first = min(0.0, float(ceil(lowest)))
    step = 1.0
    # One bit more than the lowest new score needs, so that steps are whole multiples of the distance of its numbers.
    while frexp(abs(first) + step * (count + 1))[1] - _MANTISSA > frexp(step)[1] - 1:
        step *= 2
    scores = [single(first - step * (at + 1)) for at in range(count)]
    if any(high <= low for high, low in zip([lowest, *scores], scores, strict=False)):
        raise ExpansionError("base", Phrase("the scores of the base are too low to add pieces below them"))
    return scores


BaseKind = Literal["merges", "ranks", "scores", "wordpiece", "unigram"]

MOST_ADDED = 100_000  # pieces
SECONDS = 20.0


def base_kind(tokenizer: Tokenizer) -> BaseKind | None:
    """The kind of a base, which chooses the rule; None if its vocabulary cannot be expanded.

    Dictionaries and vocabularies of whole words have nothing that pieces could be added to; the merges of subword-nmt
    and of BPE with a prefix inside words follow rules that `tokenizers` does not have.
    """
    match tokenizer.model:
        case BPE() if not isinstance(tokenizer.model, SubwordBPE) and not tokenizer.model.continuing_subword_prefix:
            return "merges"
        case RankBPE():
            return "ranks"
        case ScoredBPE():
            return "scores"
        case WordPiece():
            return "wordpiece"
        case Unigram() | SentencePieceUnigram():
            return "unigram"
    return None


def expand(
    base: Tokenizer,
    addition: Tokenizer | Iterable[str],
    *,
    bridge: bool = True,
    most: int = MOST_ADDED,
    seconds: float = SECONDS,
) -> Expansion:
    """Add the pieces of another vocabulary, or the tokens of a list, to a base; no id of the base changes.

    The pieces of a BPE addition keep their order, after its single characters. Others are added by length, shorter ones
    first, so that longer ones are merges of them. `bridge` adds the pieces in between that a merge needs; otherwise
    candidates that need them are refused. At most `most` pieces are added, in about `seconds` of CPU time at most.

    >>> from webapp.core.trainers.from_text import train_bpe
    >>> base = train_bpe("low lower lowest", merges=3)
    >>> expansion = expand(base, ["lowest", "low", "分"])
    >>> [(piece.id, piece.text, piece.between) for piece in expansion.added], expansion.present
    ([(259, 'E5 88', True), (260, '分', False), (261, 'lowe', True), (262, 'lowes', True), (263, 'lowest', False)],
     ['low'])
    >>> [expansion.tokenizer.decode([id]) for id in expansion.tokenizer.ids("lowest 分")]
    ['lowest', ' ', '分']

    Raises ExpansionError if the base cannot be expanded, if the time is up, or if the pieces are too long for a model.
    """
    kind = base_kind(base)
    if kind is None:
        sentence = Phrase("this kind of vocabulary cannot be expanded; choose one of BPE, WordPiece or Unigram")
        raise ExpansionError("base", sentence)
    growth = Growth(Spelling.of(base), _candidates(addition), most, seconds, bridge)
    try:
        model, placeholders = _RULES[kind](base.model, growth)
    except ExpansionError:
        raise
    except VocabularyError as error:  # pieces that are too long or have too many parts for a model
        raise ExpansionError("addition", Phrase(error.sentence, **error.values)) from error
    first = len(model.pieces) - len(growth.new)
    return Expansion(
        base,
        base.changed(model=model, added_tokens=[*base.added_tokens, *placeholders]),
        [
            Added(first + at, growth.spelling.text_of(piece.form), piece.old_ids, piece.candidate is None)
            for at, piece in enumerate(growth.new.values())
        ],
        growth.present,
        growth.refused,
        [token.id for token in placeholders],
    )


def _candidates(addition: Tokenizer | Iterable[str]) -> list[Candidate]:
    if not isinstance(addition, Tokenizer):
        return sorted(candidates_of.of_lines(addition), key=_length)
    found, model = list(candidates_of.of_tokenizer(addition)), addition.model
    if isinstance(model, RankBPE) or getattr(model, "byte_level", False):
        return found
    # SentencePiece writes characters last: beyond the limit, each would cost a base with bytes three tokens.
    return sorted(found, key=_is_merged if isinstance(model, BPE | ScoredBPE) else _length)


def _is_merged(candidate: Candidate) -> bool:
    return len(candidate.literal) > 1


def _length(candidate: Candidate) -> int:
    return len(candidate.text)


# --- one rule for each kind -------------------------------------------------------------------------------------------

Grown = tuple[Model, Sequence[AddedToken]]
"""The model with the new pieces, and placeholders for ids that the base left free."""


def _by_merges(model: Any, growth: Growth) -> Grown:
    beyond = _beyond(growth.base)
    whole = _with_pieces(model, [token.encode() if model.byte_level else token for token in beyond], model.merges)
    table = Merges(whole)
    grow(table, Merges(model), growth)
    return _with_pieces(whole, list(growth.new), table.merges), ()


def _with_pieces(model: BPE, pieces: Sequence[Form], merges: Sequence[tuple[int, int]]) -> BPE:
    return BPE([*model.pieces, *pieces], merges, **model.options)


def _by_ranks(model: Any, growth: Growth) -> Grown:
    names = {token.id: token.content for token in growth.base.added_tokens}
    size = len(model.pieces)
    end = max([size - 1, *names]) + 1
    placeholders = [AddedToken(f"<|unused_{id}|>", id) for id in range(size, end) if id not in names]
    names |= {token.id: token.content for token in placeholders}
    grow(Ranks(model, end), Ranks(model, end), growth)
    pieces = [*model.pieces, *(names[id].encode() for id in range(size, end)), *growth.new]
    return RankBPE(pieces, reserved={*model.reserved, *range(size, end)}), placeholders


def _by_scores(model: Any, growth: Growth) -> Grown:
    grow(Scores(model), Scores(model), growth)
    lowest = min(_normal_scores(model.vocabulary).values(), default=0.0)
    return ScoredBPE(_scored(model.vocabulary, list(growth.new), falling_scores(lowest, len(growth.new)))), ()


def _wordpiece(model: Any, growth: Growth) -> Grown:
    prefix = model.continuing_subword_prefix

    def take(candidate: Candidate, form: Form) -> None:
        piece = str(form)
        inside = piece.startswith(prefix) and len(piece) > len(prefix)
        # A piece inside a word is split as if it followed the first letter of a word that the base covers.
        old = model.ids(piece.removeprefix(prefix)) if not inside else _inside(model, piece.removeprefix(prefix))
        growth.new[form] = NewPiece(form, tuple(old), candidate)

    growth.run(model.id_of, take)
    if growth.new:
        # A longer piece leaves other rests of a word than before. Any rest is covered if its characters are.
        inner = {letter for piece in model.pieces if piece.startswith(prefix) for letter in piece.removeprefix(prefix)}
        for piece in sorted(prefix + letter for letter in inner):
            if model.id_of(piece) is None and piece not in growth.new:
                growth.new[piece] = NewPiece(piece, (model.unknown_id,))
    return WordPiece(
        [*model.pieces, *_beyond(growth.base), *map(str, growth.new)],
        unknown=model.unknown,
        continuing_subword_prefix=prefix,
        max_word_length=model.max_word_length,
        gaps=model.gaps,
    ), ()


def _inside(model: WordPiece, text: str) -> Sequence[int]:
    """The ids of a text that continues a word: the longest pieces with the prefix, else the unknown id."""
    ids: list[int] = []
    start = 0
    while start < len(text):
        for end in range(len(text), start, -1):
            id = model.id_of(model.continuing_subword_prefix + text[start:end])
            if id is not None:
                ids.append(id)
                start = end
                break
        else:
            return (model.unknown_id,)
    return ids


def _unigram(model: Any, growth: Growth) -> Grown:
    if isinstance(model, SentencePieceUnigram):
        known = _normal_scores(model.vocabulary)
    else:
        known = dict(zip(model.pieces, model.scores, strict=True))
        del known[model.pieces[model.unknown_id]]
    lowest = min(known.values(), default=0.0)
    longest = max(map(len, known), default=1)

    def take(candidate: Candidate, form: Form) -> None:
        growth.new[form] = NewPiece(form, (), candidate)

    space = growth.spelling.space or " "
    own = {
        str(candidate.literal).replace(" ", space): candidate.score
        for candidate in growth.candidates
        if candidate.score is not None and isinstance(candidate.text, str)
    }
    growth.run(model.id_of, take)
    added = {str(form): piece.candidate for form, piece in growth.new.items()}
    scores = scores_of(known, lowest, added, shift(known, own))
    for form, piece in growth.new.items():
        _, parts = best_score(str(form), known, lowest - UNKNOWN_PENALTY, longest)
        found = [(model.id_of(part), end) for part, end in zip(parts, accumulate(map(len, parts)), strict=True)]
        piece.old_ids = tuple(id for id, _, _ in model.tokens(found, str(form)))
    new = list(map(str, growth.new))
    if isinstance(model, SentencePieceUnigram):
        return SentencePieceUnigram(_scored(model.vocabulary, new, [scores[piece] for piece in new])), ()
    beyond = _beyond(growth.base)
    return Unigram(
        [*model.pieces, *beyond, *new],
        [*model.scores, *[lowest] * len(beyond), *(scores[piece] for piece in new)],
        unknown_id=model.unknown_id,
        byte_fallback=model.byte_fallback,
    ), ()


_RULES: Mapping[BaseKind, Callable[[Any, Growth], Grown]] = {
    "merges": _by_merges,
    "ranks": _by_ranks,
    "scores": _by_scores,
    "wordpiece": _wordpiece,
    "unigram": _unigram,
}


# --- parts of the rules -----------------------------------------------------------------------------------------------


def _beyond(base: Tokenizer) -> list[str]:
    """The contents of the added tokens after the model's pieces, by id; they become pieces, so that ids stay."""
    size = len(base.model.pieces)
    contents = {token.id: token.content for token in base.added_tokens if token.id >= size}
    if set(contents) != set(range(size, size + len(contents))):
        sentence = Phrase("the ids of the base's added tokens do not follow its pieces without a gap")
        raise ExpansionError("base", sentence)
    return [contents[id] for id in sorted(contents)]


def _normal_scores(vocabulary: ScoredPieces) -> dict[str, float]:
    return {
        piece: score
        for piece, score, kind in zip(vocabulary.pieces, vocabulary.scores, vocabulary.kinds, strict=True)
        if kind in (PieceKind.NORMAL, PieceKind.UNUSED)
    }


def _scored(vocabulary: ScoredPieces, new: Sequence[Form], scores: Sequence[float]) -> ScoredPieces:
    return ScoredPieces(
        [*vocabulary.pieces, *map(str, new)],
        [*vocabulary.scores, *scores],
        [*vocabulary.kinds, *[PieceKind.NORMAL] * len(new)],
        byte_ids=vocabulary.byte_ids,
        space=vocabulary.space,
    )
