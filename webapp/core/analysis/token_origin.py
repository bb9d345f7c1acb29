"""One token of a vocabulary: the marks in its spelling, other spellings of the same text, and what it is part of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from webapp.core.analysis.token_list import TokenList, bare, is_byte_name, piece_marks
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredModel
from webapp.core.models.unigram import Unigram
from webapp.core.text.utf8 import bytes_to_characters
from webapp.core.tokenizer import Tokenizer

MarkKind = Literal["space", "byte", "prefix", "no prefix", "suffix", "no suffix", "byte name"]
"""`space`: a character like ▁ for a space. `byte`: a character of GPT-2's byte alphabet for a byte. `prefix`: the piece
continues a word; `no prefix`: it begins one. `suffix`: it ends a word; `no suffix`: it does not. `byte name`: the piece
names a byte."""

MOST_CANDIDATES = 2_000  # pieces whose merges are looked up


@dataclass(frozen=True)
class Mark:
    """A mark in the spelling of a piece; `byte` is what it stands for if that is a byte."""

    kind: MarkKind
    spelling: str
    byte: int | None = None


def spelling_of(piece: str | bytes) -> str:
    """A piece as files of Hugging Face spell it: bytes in GPT-2's byte alphabet.

    >>> spelling_of(b" hello"), spelling_of("▁hello")
    ('Ġhello', '▁hello')
    """
    return bytes_to_characters(piece) if isinstance(piece, bytes) else piece


def marks_in(tokenizer: Tokenizer, piece: str | bytes) -> list[Mark]:
    """The marks in a piece of the model, each once, in the order of the text.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> marks_in(WORDPIECE.tokenizer(WordPiece(["[UNK]", "##able"])), "##able")
    [Mark(kind='prefix', spelling='##', byte=None)]
    """
    marks = piece_marks(tokenizer)
    if isinstance(piece, bytes) or marks.byte_characters:
        data = piece if isinstance(piece, bytes) else marks.bytes_of(piece)
        spelled = ((bytes_to_characters(bytes([byte])), byte) for byte in dict.fromkeys(data))
        return [Mark("byte", character, byte) for character, byte in spelled if character != chr(byte) or byte > 0x7E]
    if marks.byte_names and is_byte_name(piece):
        return [Mark("byte name", piece, int(piece[3:5], 16))]
    found: list[Mark] = []
    if marks.prefix:
        inside = piece.startswith(marks.prefix) and piece != marks.prefix
        found.append(Mark("prefix" if inside else "no prefix", marks.prefix))
    if marks.space and marks.space in piece:
        found.append(Mark("space", marks.space))
    if marks.suffix:
        found.append(Mark("suffix" if piece.endswith(marks.suffix) else "no suffix", marks.suffix))
    return found


class PieceFinder:
    """Finds the token of a vocabulary that stands for a given text, however the vocabulary spells it.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> finder = PieceFinder(WORDPIECE.tokenizer(WordPiece(["[UNK]", "able", "##able", "!"]), {"[SEP]": 9}))
    >>> [finder.find(text) for text in (" able", "able", "!", "[SEP]", "x")]
    [1, 2, 3, 9, None]
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._model = tokenizer.model
        self._marks = piece_marks(tokenizer)
        self._added = {token.content: token.id for token in tokenizer.added_tokens}
        pieces = tokenizer.model.pieces
        self._bytes = bool(pieces) and isinstance(pieces[0], bytes)

    def meaning(self, tokens: TokenList, id: int) -> str | bytes:
        """What a token stands for: text, with a space where its marks say so, or bytes that are part of a character."""
        at = tokens.index(id)
        text, piece = tokens.texts[at], tokens.pieces[at]
        if text is None:
            return tokens.bytes_of(id)
        begins = self._marks.prefix and isinstance(piece, str) and not piece.startswith(self._marks.prefix)
        return f" {text}" if begins and id not in tokens.added and SPACED.match(text) else text

    def find(self, meaning: str | bytes) -> int | None:
        """The id of the token that stands for a text or for bytes; None if the vocabulary has none."""
        for spelled in self._spellings(meaning):
            id = self._model.id_of(spelled)
            if id is not None:
                return id
        return self._added.get(meaning) if isinstance(meaning, str) else None

    def _spellings(self, meaning: str | bytes) -> Iterator[str | bytes]:
        marks = self._marks
        data = meaning if isinstance(meaning, bytes) else meaning.encode("utf-8", "replace")
        if self._bytes:
            yield data
        elif marks.byte_characters:
            yield bytes_to_characters(data)
        elif isinstance(meaning, str):
            yield from self._of_text(meaning)
        if marks.byte_names and len(data) == 1:
            yield f"<0x{data[0]:02X}>"

    def _of_text(self, text: str) -> Iterator[str]:
        marks = self._marks
        if marks.prefix:
            if text[:1] == " " and not text.isspace():
                yield text[1:]
                return
            yield marks.prefix + text
            if text and not SPACED.match(text):
                yield text
        elif marks.suffix and text[-1:] == " " and len(text) > 1:
            yield text[:-1] + marks.suffix
        else:
            yield text.replace(" ", marks.space) if marks.space else text


def forms_of(meaning: str) -> list[str]:
    """Texts that differ from a token's only by a space before or after it, or by the case of its letters.

    >>> forms_of(" hello")
    ['hello', 'hello ', ' Hello', 'Hello', ' HELLO', 'HELLO']
    """
    word = bare(meaning)
    forms = [word, f" {word}", f"{word} "]
    for form in (word.lower(), word.capitalize(), word.upper()):
        forms += [f" {form}", form]
    return [form for form in dict.fromkeys(forms) if form != meaning and form.strip()]


def containing(tokens: TokenList, id: int, most: int) -> tuple[list[int], int]:
    """The first `most` other tokens whose text or bytes contain those of a token, and how many there are."""
    at = tokens.index(id)
    text = tokens.texts[at]
    if not text and text is not None:
        return [], 0
    if text is None:
        data = tokens.bytes_of(id)
        found = [other for other in tokens.ids if other != id and data in tokens.bytes_of(other)]
    else:
        found = [other for other, whole in zip(tokens.ids, tokens.texts, strict=True) if whole and text in whole]
        found.remove(id)
    return found[:most], len(found)


def made_with(model: object, id: int, most: int) -> list[tuple[int, int, int]]:
    """Merges that use a piece, `(left, right, made)`, lowest rank first, at most `most`; empty without merges."""
    found: list[tuple[int, int, int]] = []
    if isinstance(model, BPE):
        for left, right in model.merges:
            if id in (left, right) and (made := model.merge_result(left, right)) is not None:
                found.append((left, right, made[1]))
                if len(found) == most:
                    break
    elif isinstance(model, RankBPE) and id < len(model.pieces):
        piece = model.pieces[id]
        longer = (at for at, other in enumerate(model.pieces) if other.startswith(piece) or other.endswith(piece))
        for tried, other in enumerate(longer):
            merge = model.merge_of(other) if other != id and len(model.pieces[other]) <= _LONGEST_MERGED else None
            if merge is not None and id in (merge.left, merge.right):
                found.append((merge.left, merge.right, other))
            if len(found) == most or tried == MOST_CANDIDATES:
                break
    return found


def score_place(model: object, id: int) -> tuple[float, int, int] | None:
    """The score of a piece, how many pieces of text have a higher one, and how many there are; None without scores."""
    if not isinstance(model, Unigram | ScoredModel) or id >= len(model.scores):
        return None
    scores: Sequence[float] = model.scores
    if isinstance(model, ScoredModel):
        if model.vocabulary.kinds[id] != PieceKind.NORMAL:
            return None
        kinds = model.vocabulary.kinds
        scores = [score for score, kind in zip(scores, kinds, strict=True) if kind == PieceKind.NORMAL]
    elif id == model.unknown_id:
        return None
    own = model.scores[id]
    return own, sum(score > own for score in scores), len(scores)


_LONGEST_MERGED = 1_000  # bytes of a piece whose merge is looked up
# What BERT's pre-tokenizer does not separate from its neighbors.
SPACED = regex.compile(r"[^\p{P}\p{S}\p{Han}\s]")
