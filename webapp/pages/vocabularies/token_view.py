"""The values of the page of one token."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flask import request, url_for
from flask_babel import gettext as _

from webapp.core.analysis.reachability import Reach, Reason
from webapp.core.analysis.token_list import TokenList
from webapp.core.models.bpe import BPE
from webapp.core.models.ngram import NGram
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import ScoredBPE
from webapp.core.models.sentencepiece_unigram import SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.models.word_models import DictionaryModel
from webapp.core.models.wordpiece import WordPiece
from webapp.core.tokenizer import Tokenizer
from webapp.pages.vocabularies import listing
from webapp.pages.vocabularies.listing import HeadedPage
from webapp.pages.vocabularies.token_table import shown_token, tags_of
from webapp.pages.walkthrough.merge_tree import MergeTree, merge_tree
from webapp.rendering.markup import visible
from webapp.tokenization.token_details import (
    CHARACTERS_SHOWN,
    Character,
    character_of,
    mark_sentences,
    reason_sentence,
    reason_title,
    special_purpose,
)
from webapp.vocabularies import CATALOGUE, CatalogueEntry, title_of, well_known
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.library import library
from webapp.vocabularies.token_facts import SECONDS, TokenFacts, elsewhere, is_on_disk
from webapp.vocabularies.upload_cookie import uploads_of
from webapp.web.localization import number
from webapp.web.templates import Context

MOST_LEAVES = 40  # of a tree that is drawn
BYTES_SHOWN = 256
TOKENS_SHOWN = 16  # that a text gives instead
TEXT_SHOWN = 200  # characters
COLOURS = 6


@dataclass(frozen=True)
class LinkedToken:
    """A token with the address of its page."""

    id: int
    piece: str
    address: str


@dataclass(frozen=True)
class TokenForm:
    """A token whose text differs from this one's by a space or by case; `how` says by what."""

    token: LinkedToken
    how: str


@dataclass(frozen=True)
class MergedWith:
    """A merge that uses a token: the two parts, and the piece that it makes."""

    left: LinkedToken
    right: LinkedToken
    made: LinkedToken


@dataclass(frozen=True)
class OtherVocabulary:
    """The same text in another vocabulary: as one token, or without or with its space, or not at all."""

    title: str
    address: str
    token: LinkedToken | None
    forms: Sequence[LinkedToken]


@dataclass(frozen=True, kw_only=True)
class OthersContext(Context):
    """The same text in other vocabularies, for htmx."""

    template = "vocabularies/_others.html"

    entry: CatalogueEntry
    id: int
    others: Sequence[OtherVocabulary]
    without: Sequence[str]  # the titles of those that have no such token
    left: int  # number of vocabularies on disk that were not looked at


@dataclass(frozen=True, kw_only=True)
class TokenPage(HeadedPage):
    """One token of a vocabulary."""

    template = "vocabularies/token.html"

    facts: TokenFacts
    same_elsewhere: OthersContext
    piece: str  # readable
    spelling: str  # as files of Hugging Face have it, readable
    kind: str  # what it is if it is no ordinary piece
    purpose: str  # of a special token with a usual meaning
    flags: Sequence[str]
    bytes: str
    bytes_left_out: int
    base64: str  # how tiktoken's files spell it
    marks: Sequence[tuple[str, str]]
    has_bytes: bool  # whether a mark belongs to GPT-2's byte alphabet
    characters: Sequence[Character]
    characters_left_out: int
    how: str  # how it is made, in a sentence
    score_place: str  # by score, among the pieces
    tree: MergeTree | None
    scored: bool  # whether merges have scores
    parts: Sequence[LinkedToken]  # that are merged to make it
    reach: Reach
    reach_text: str  # the tried text, readable
    instead: Sequence[LinkedToken]  # the tokens of that text
    same_as: LinkedToken | None
    plain: Sequence[LinkedToken]  # what a special token's spelling gives as ordinary text
    forms: Sequence[TokenForm]
    within: Sequence[LinkedToken]
    merges: Sequence[MergedWith]
    before: Sequence[LinkedToken]
    after: Sequence[LinkedToken]
    tint: int
    reason_title: Callable[[Reason], str] = reason_title
    reason_sentence: Callable[[Reason], str] = reason_sentence


class Linker:
    """Makes linked tokens of ids."""

    def __init__(self, entry: CatalogueEntry, tokens: TokenList) -> None:
        self._entry = entry
        self._tokens = tokens

    def of(self, id: int) -> LinkedToken:
        """A token; an id without a piece, such as that of unknown text, has its number."""
        at = self._tokens.place_of(id)
        piece = f"[{id}]" if at is None else shown_token(self._tokens.pieces[at]) or _("empty")
        return LinkedToken(id, piece, url_for("vocabularies.token", name=self._entry.name, id=id))

    def all(self, ids: Iterable[int]) -> list[LinkedToken]:
        """Some tokens."""
        return list(map(self.of, ids))


def token_page(entry: CatalogueEntry, tokenizer: Tokenizer, facts: TokenFacts) -> TokenPage:
    """The page of a token."""
    model = tokenizer.model
    tokens = description_of(tokenizer).tokens
    link = Linker(entry, tokens)
    added = facts.added
    text = facts.text or ""
    if facts.text is None:
        characters: Sequence[str] = ""
    else:
        characters = added.content if added else text
    flags = [flag for flag in ("normalized", "single_word", "lstrip", "rstrip") if added and getattr(added, flag)]
    return TokenPage(
        line=listing.line_of(entry),
        facts=facts,
        same_elsewhere=others_context(entry, facts),
        piece=shown_token(facts.piece) or _("empty"),
        spelling=_quoted(facts.spelling) if facts.added else visible(facts.spelling[:TEXT_SHOWN]),
        kind=next(iter(tags_of(model, tokens, facts.id)), _("part of a character") if facts.text is None else ""),
        purpose=special_purpose(added.content if added else str(facts.piece)) if added or facts.is_unknown else "",
        flags=flags,
        bytes=facts.data[:BYTES_SHOWN].hex(" ").upper(),
        bytes_left_out=max(0, len(facts.data) - BYTES_SHOWN),
        base64=b64encode(facts.data[:BYTES_SHOWN]).decode() if isinstance(model, RankBPE) and added is None else "",
        marks=[(visible(spelling), sentence) for spelling, sentence in mark_sentences(list(facts.marks))],
        has_bytes=any(mark.kind in ("byte", "byte name") for mark in facts.marks),
        characters=[character_of(character) for character in characters[:CHARACTERS_SHOWN]],
        characters_left_out=max(0, len(characters) - CHARACTERS_SHOWN),
        how=_how(model, facts),
        score_place=_score_place(facts),
        tree=_tree(facts),
        scored=isinstance(model, ScoredBPE),
        parts=link.all((facts.merge.left, facts.merge.right)) if facts.merge else (),
        reach=facts.reach,
        reach_text=_quoted(facts.reach.text),
        instead=link.all(facts.reach.ids[:TOKENS_SHOWN]),
        same_as=None if facts.reach.same_as is None else link.of(facts.reach.same_as),
        plain=link.all(tokenizer.ids(added.content)[:TOKENS_SHOWN]) if added and added.special else (),
        forms=[TokenForm(link.of(id), _difference(str(facts.meaning), form)) for form, id in facts.forms],
        within=link.all(facts.within),
        merges=[MergedWith(*link.all(ids)) for ids in facts.merges],
        before=link.all(facts.before),
        after=link.all(facts.after),
        tint=facts.id % COLOURS + 1,
    )


def others_context(entry: CatalogueEntry, facts: TokenFacts) -> OthersContext:
    """The same text in other vocabularies; those on disk are read if the address says `others=all`."""
    entries = [*CATALOGUE.values(), *uploads_of(request), *well_known()]
    other = [one for one in entries if one.name != entry.name and listing.has_page(one) and is_on_disk(one)]
    if facts.added is not None and not facts.added.special:
        other = []
    found, left = elsewhere(facts.meaning, other, SECONDS if request.args.get("others") == "all" else 0.0)
    others = []
    for one in found:
        link = Linker(one.entry, description_of(library().tokenizer(one.entry.name)).tokens)
        token = None if one.id is None else link.of(one.id)
        if token is not None or one.bare:
            page = listing.line_of(one.entry).page
            others.append(OtherVocabulary(title_of(one.entry), page, token, [link.of(id) for _form, id in one.bare]))
    without = [title_of(one.entry) for one in found if one.id is None and not one.bare]
    return OthersContext(entry=entry, id=facts.id, others=others, without=without, left=len(left))


def _how(model: object, facts: TokenFacts) -> str:
    """How a piece comes to be a token, in a sentence."""
    if facts.added is not None:
        if facts.added.special:
            return _("It is not made from text: templates and programs put it in by its id.")
        return _("It is matched in the text as a whole, before the model sees the rest.")
    if isinstance(model, BPE | RankBPE | ScoredBPE):
        if facts.tree is None:
            return _("It has no merges that could be drawn.")
        if len(facts.tree.nodes) == 1:
            return _("It is a symbol that merging begins with.")
        if not facts.tree.makes(facts.id):
            whole = isinstance(model, RankBPE) or getattr(model, "ignore_merges", False)
            if whole:
                return _("Merging does not make it: only a pre-token that is exactly its text gives it.")
            return _("Merging does not make it: other merges come first and take its symbols.")
        if isinstance(model, ScoredBPE):
            return _("Merged by score: of all adjacent pairs, the one that makes the piece with the best score first.")
        return _("Merged by rank: of all adjacent pairs, the one with the lowest rank first.")
    if isinstance(model, Unigram | SentencePieceUnigram):
        return _("Nothing is merged: the split of a text whose pieces have the best score together wins.")
    if isinstance(model, WordPiece):
        return _("Nothing is merged: WordPiece takes the longest piece that fits, from the left of each word.")
    if isinstance(model, NGram):
        return _("A word of the model, which looks at the words around it as well.")
    if isinstance(model, DictionaryModel):
        return _("A word of the dictionary.")
    return _("A pre-token that is this piece is this token.")


def _tree(facts: TokenFacts) -> MergeTree | None:
    tree = facts.tree
    if tree is None or len(tree.nodes) == 1 or sum(not node.parts for node in tree.nodes) > MOST_LEAVES:
        return None
    word = facts.text if facts.text is not None and isinstance(facts.piece, bytes) else facts.piece
    return merge_tree(word if isinstance(word, str) else "", tree.nodes, tree.tokens, tint=facts.id % COLOURS)


def _quoted(text: str) -> str:
    shown = visible(text[:TEXT_SHOWN], show=True).replace("\n", "")
    return shown if len(text) <= TEXT_SHOWN else f"{shown}…"


def _difference(meaning: str, form: str) -> str:
    """By what a form differs from a token's text."""
    spaces = [(text.startswith(" "), text.endswith(" ") and len(text) > 1) for text in (meaning, form)]
    same_letters = meaning.strip() == form.strip()
    if same_letters and spaces[0][0] != spaces[1][0] and not (spaces[0][1] or spaces[1][1]):
        return _("with a space before it") if spaces[1][0] else _("without the space before it")
    if same_letters:
        return _("with a space after it") if spaces[1][1] else _("without the space after it")
    return _("other case") if spaces[0] == spaces[1] else _("other case, other space")


def _score_place(facts: TokenFacts) -> str:
    if facts.score is None:
        return ""
    _score, higher, total = facts.score
    return _("number %(place)s of %(total)s by score", place=number(higher + 1), total=number(total))
