"""What a vocabulary says about one of its tokens, and where the same text is a token elsewhere."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex

from webapp.core.added_tokens import AddedToken
from webapp.core.algorithms import finds_words
from webapp.core.analysis import token_origin
from webapp.core.analysis.reachability import Reach, Trial
from webapp.core.analysis.token_list import TokenList
from webapp.core.models.bpe import BPE, Merge
from webapp.core.models.ngram import NGram
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.word_models import DictionaryModel
from webapp.core.tokenizer import Tokenizer
from webapp.core.traces.piece_tree import PieceTree, piece_tree
from webapp.vocabularies.catalogue import CatalogueEntry
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.library import StillFetchingError, UnavailableVocabularyError, library

NEIGHBOURS = 5  # by id, on each side
SHOWN = 24  # tokens that contain this one, and merges that use it
LONGEST_MERGED = 2_000  # characters or bytes of a piece whose merges are looked up
SECONDS = 8.0  # for reading other vocabularies


@dataclass(frozen=True)
class TokenFacts:
    """A token of a vocabulary; None or empty for what does not apply.

    `spelling` is the piece as Hugging Face's files have it, `meaning` what it stands for, `forms` are tokens that
    differ by a space or by case, `within` are the first tokens that contain it, of `within_total`, and `merges` those
    that use it: left, right and the result.
    """

    id: int
    piece: str | bytes
    spelling: str
    text: str | None
    data: bytes
    meaning: str | bytes
    marks: Sequence[token_origin.Mark]
    added: AddedToken | None
    is_unknown: bool
    reach: Reach
    merge: Merge | None
    tree: PieceTree | None
    score: tuple[float, int, int] | None
    frequency: int | None
    tag: str
    forms: Sequence[tuple[str, int]]
    within: Sequence[int]
    within_total: int
    merges: Sequence[tuple[int, int, int]]
    before: Sequence[int]
    after: Sequence[int]


@dataclass(frozen=True)
class Elsewhere:
    """A token of another vocabulary with the same text, or with the space of it added or left out (`bare`)."""

    entry: CatalogueEntry
    id: int | None
    bare: Sequence[tuple[str, int]]


def token_facts(tokenizer: Tokenizer, id: int) -> TokenFacts:
    """The facts of a token; raises KeyError for an id that no token has."""
    tokens = description_of(tokenizer).tokens
    at = tokens.index(id)
    model = tokenizer.model
    piece = tokens.pieces[at]
    finder = token_origin.PieceFinder(tokenizer)
    meaning = finder.meaning(tokens, id)
    added = next((token for token in tokenizer.added_tokens if token.id == id), None)
    in_model = id < len(model.pieces) and added is None
    short = len(piece) <= LONGEST_MERGED
    within, within_total = token_origin.containing(tokens, id, SHOWN)
    frequency, tag = _word(model, id)
    return TokenFacts(
        id=id,
        piece=piece,
        spelling=token_origin.spelling_of(piece),
        text=tokens.texts[at],
        data=tokens.bytes_of(id),
        meaning=meaning,
        marks=token_origin.marks_in(tokenizer, piece) if in_model and short else (),
        added=added,
        is_unknown=id == model.unknown_id,
        reach=Trial(tokenizer, tokens).of(id),
        merge=model.merge_of(id) if in_model and short and isinstance(model, BPE | RankBPE) else None,
        tree=piece_tree(model, id) if in_model else None,
        score=token_origin.score_place(model, id) if in_model else None,
        frequency=frequency,
        tag=tag,
        forms=[] if added or not short else _forms(finder, meaning, id),
        within=within,
        within_total=within_total,
        merges=token_origin.made_with(model, id, SHOWN) if in_model else (),
        before=_ids(tokens, at - NEIGHBOURS, at),
        after=_ids(tokens, at + 1, at + 1 + NEIGHBOURS),
    )


def elsewhere(
    meaning: str | bytes, entries: Iterable[CatalogueEntry], seconds: float = 0.0
) -> tuple[list[Elsewhere], list[CatalogueEntry]]:
    """The tokens of other vocabularies for a text, and the vocabularies that were not looked at.

    Vocabularies that must be read from disk first are, as long as `seconds` last; none is fetched.
    """
    until = time.monotonic() + seconds
    found, left = [], []
    for entry in entries:
        if finds_words(entry.algorithms[0]) and not (isinstance(meaning, str) and regex.search(r"\p{Han}", meaning)):
            continue  # their words are Chinese
        if entry.load is None and not library().loaded.has(entry.name) and time.monotonic() >= until:
            left.append(entry)
            continue
        try:
            finder = token_origin.PieceFinder(library().tokenizer(entry.name))
        except (UnavailableVocabularyError, StillFetchingError, KeyError):
            continue
        forms = token_origin.forms_of(meaning)[:2] if isinstance(meaning, str) else []
        bare = [(form, id) for form in forms if (id := finder.find(form)) is not None]
        found.append(Elsewhere(entry, finder.find(meaning), bare))
    return found, left


def _forms(finder: token_origin.PieceFinder, meaning: str | bytes, id: int) -> list[tuple[str, int]]:
    if isinstance(meaning, bytes):
        return []
    found = [(form, finder.find(form)) for form in token_origin.forms_of(meaning)]
    return [(form, other) for form, other in found if other is not None and other != id]


def _word(model: object, id: int) -> tuple[int | None, str]:
    """The frequency and the part of speech of a dictionary's word, or the count of an n-gram model's."""
    if isinstance(model, NGram):
        counts = model.counts.levels[0].counts
        return (counts[id] if id < len(counts) else None), ""
    if not isinstance(model, DictionaryModel) or id >= model.dictionary.unknown_id:
        return None, ""
    dictionary = model.dictionary
    return (dictionary.frequencies[id] if dictionary.frequencies else None), (
        dictionary.tags[id] if dictionary.tags else ""
    )


def _ids(tokens: TokenList, start: int, end: int) -> Sequence[int]:
    return tokens.ids[max(0, start) : max(0, end)]
