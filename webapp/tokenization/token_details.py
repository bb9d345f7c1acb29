"""Details of one token, for the pane beside a result."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.analysis.token_origin import Mark, marks_in
from webapp.core.encoding import Encoding
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import ScoredModel
from webapp.core.models.unigram import Unigram
from webapp.core.models.word_models import DictionaryModel
from webapp.core.trainers.wordpiece import ScoredMerge
from webapp.rendering.markup import piece_bytes, shown_piece, visible
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import token_address
from webapp.tokenization.result import Result

CHARACTERS_SHOWN = 64
LONGEST_MARKED = 1_000  # characters or bytes of a piece whose marks are explained


class TokenDetails:
    """The contents of the details pane for token `index`; None for what the vocabulary does not have."""

    def __init__(self, result: Result, index: int, named: str = "") -> None:
        """Collect the details; raises InputProblem if the text has no such token, which the request `named` so."""
        encoding, model = result.encoding, result.tokenizer.model
        if not 0 <= index < len(encoding):
            values = {"index": named or index, "count": f"{len(encoding):,}"}
            message = _("There is no token %(index)s: the text has %(count)s, counted from 0.", **values)
            raise InputProblem(message, 404)
        self.token = token = encoding[index]
        is_piece = token.id < len(model.pieces)
        text = encoding.text[token.start : token.end]
        # An unknown word is `[UNK]` if there is such a piece.
        self.piece = shown_piece(model.pieces[token.id] if token.unknown and is_piece else token.piece)
        self.bytes = piece_bytes(encoding, index)[: 4 * CHARACTERS_SHOWN].hex(" ").upper()
        self.characters = list(map(character_of, text[:CHARACTERS_SHOWN]))
        self.characters_left_out = max(0, len(text) - CHARACTERS_SHOWN)
        self.rank: int | None = None
        self.merged_from: list[tuple[int | None, str]] = []  # the id and the piece of each half
        self.exclusiveness: float | None = None  # WordPiece's score of the merge
        if isinstance(model, BPE | RankBPE) and is_piece and (merge := model.merge_of(token.id)):
            self.rank = merge.rank
            self.merged_from = [(half, shown_piece(model.pieces[half])) for half in (merge.left, merge.right)]
        for rank, trained in enumerate(result.merges):
            if isinstance(trained, ScoredMerge) and trained.piece == token.piece:
                self.rank, self.exclusiveness = rank, trained.score
                self.merged_from = [(model.id_of(half), shown_piece(half)) for half in (trained.left, trained.right)]
        self.score: float | None = None
        if isinstance(model, Unigram | ScoredModel) and not token.unknown and is_piece:
            self.score = model.scores[token.id]
        dictionary = model.dictionary if isinstance(model, DictionaryModel) else None
        known = dictionary if dictionary and token.id < dictionary.unknown_id else None
        self.frequency = known.frequencies[token.id] if known and known.frequencies else None
        self.tag = known.tags[token.id] if known and known.tags else None
        affixed = result.affixed
        self.is_added = affixed is not None and token.id in affixed.added
        self.is_around = affixed is not None and not affixed.before <= index < len(encoding) - affixed.after
        has_marks = is_piece and not token.unknown and not token.special
        self.marks: list[Mark] = []
        if has_marks and len(model.pieces[token.id]) <= LONGEST_MARKED:
            self.marks = marks_in(result.tokenizer, model.pieces[token.id])
        self.page = token_address(result, token.id)  # the address of the token's own page


@dataclass(frozen=True)
class Character:
    """A code point with its Unicode name; `shown` is safe to put on a page."""

    code: str
    name: str
    shown: str


def character_of(char: str) -> Character:
    """A character with its code point and its name."""
    code = f"U+{ord(char):04X}"
    return Character(code, unicodedata.name(char, ""), visible(char, show=True).strip("\n\t"))


def token_bytes(encoding: Encoding, index: int) -> bytes:
    """The bytes of a token: of its piece if the vocabulary is one of bytes, else of the text that it covers."""
    piece, data = encoding.piece(index), piece_bytes(encoding, index)
    if isinstance(piece, bytes) or data != piece.encode("utf-8", "replace"):
        return data
    return encoding.text[encoding.starts[index] : encoding.ends[index]].encode("utf-8", "replace") or data
