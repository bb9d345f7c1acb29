"""Candidates: the pieces of an addition in a form that no vocabulary owns, so that every base can spell them its way.

▁the   Ġthe    a space, then "the"
##ing          "ing", inside a word
low</w>        "low", at the end of a word
b"\\xe4\\xb8"    part of a character

`Spelling` says how a base spells a candidate, and whether its pipeline leaves the candidate whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import regex

from webapp.core.analysis.token_list import PieceMarks, is_byte_name, piece_marks
from webapp.core.expansion.files import Reason
from webapp.core.models.scored_pieces import PieceKind, ScoredModel
from webapp.core.models.unigram import Unigram
from webapp.core.tokenizer import Tokenizer

SPACE = "▁"
INSIDE = "##"

# Scripts whose words follow one another without spaces.
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}ー々]"
)
_LETTER = regex.compile(r"[\p{L}\p{M}\p{N}]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece to add.

    `text` is what it stands for, without the space before it; bytes if that is part of a character. `space` says
    whether that space belongs to it. `start` and `end` say whether it begins or ends a word; None if the addition does
    not tell. `score` is its log probability in a Unigram vocabulary.
    """

    name: str
    text: str | bytes
    space: bool = False
    start: bool | None = None
    end: bool | None = None
    score: float | None = None

    @property
    def literal(self) -> str | bytes:
        """The text with the space that belongs to it."""
        return f" {self.text}" if self.space and isinstance(self.text, str) else self.text


def is_spaced(text: str) -> bool:
    """Whether a text begins with a letter or digit of a script that puts spaces between words.

    >>> is_spaced("low"), is_spaced("研究"), is_spaced(",")
    (True, False, False)
    """
    return bool(_LETTER.match(text)) and not _UNSPACED.match(text)


def of_lines(lines: Iterable[str]) -> Iterator[Candidate]:
    """Yield the tokens of a list, one for each line that is not empty.

    A token is taken as it is written: `▁` or a space in front belongs to it, `##` puts it inside a word.

    >>> [(token.text, token.space, token.start) for token in of_lines(["low", "▁low", "", "##er"])]
    [('low', False, True), ('low', True, True), ('er', False, False)]
    """
    for line in lines:
        if not line.strip():
            continue
        inside = line.startswith(INSIDE) and len(line) > len(INSIDE)
        text = (line.removeprefix(INSIDE) if inside else line).replace(SPACE, " ")
        space = text.startswith(" ") and not text.isspace()
        yield Candidate(line, text.removeprefix(" ") if space else text, space, start=not inside)


def of_tokenizer(tokenizer: Tokenizer) -> Iterator[Candidate]:
    """Yield the pieces of a vocabulary by id, without special and added tokens, bytes by name and unused pieces.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> tokenizer = WORDPIECE.tokenizer(WordPiece(["[UNK]", "un", "##aff", "研"]))
    >>> [(piece.text, piece.space, piece.start) for piece in of_tokenizer(tokenizer)]
    [('un', True, True), ('aff', False, False), ('研', False, True)]
    """
    model, marks = tokenizer.model, piece_marks(tokenizer)
    left_out = {token.id for token in tokenizer.added_tokens} | {model.unknown_id} | tokenizer.gaps
    scores = model.scores if isinstance(model, Unigram) else None
    if isinstance(model, ScoredModel):
        kept = (PieceKind.NORMAL, PieceKind.USER_DEFINED)
        left_out |= {id for id, kind in enumerate(model.vocabulary.kinds) if kind not in kept}
        marks = PieceMarks(space="" if model.vocabulary.space == " " else model.vocabulary.space)
        scores = model.scores if hasattr(model, "arcs") else None
    pieces: Sequence[str | bytes] = list(model.pieces)
    for id, piece in enumerate(pieces):
        if id in left_out:
            continue
        if isinstance(piece, str) and (piece == marks.suffix or (marks.byte_names and is_byte_name(piece))):
            continue
        score = None if scores is None else scores[id]
        yield _candidate(piece, marks, score)


def _candidate(piece: str | bytes, marks: PieceMarks, score: float | None) -> Candidate:
    if isinstance(piece, bytes) or marks.byte_characters:
        data = marks.bytes_of(piece)
        suffix = marks.suffix.encode()
        try:
            text = data.decode()
            if suffix:
                return Candidate(text, data.removesuffix(suffix).decode(), end=data.endswith(suffix), score=score)
        except UnicodeDecodeError:
            return Candidate(data.hex(" ").upper(), data)
        return _spaced(text, text, score)
    if marks.prefix:
        inside = piece.startswith(marks.prefix) and len(piece) > len(marks.prefix)
        if inside:
            return Candidate(piece, piece.removeprefix(marks.prefix), start=False, score=score)
        return Candidate(piece, piece, is_spaced(piece), start=True, score=score)
    if marks.suffix:
        end = piece.endswith(marks.suffix)
        return Candidate(piece, piece.removesuffix(marks.suffix) if end else piece, end=end, score=score)
    return _spaced(piece, piece.replace(marks.space, " ") if marks.space else piece, score)


def _spaced(name: str, text: str, score: float | None) -> Candidate:
    """The candidate of a vocabulary that writes the space before a word into the word's first piece."""
    if text.startswith(" ") and not text.isspace():
        return Candidate(name, text[1:], True, start=True, score=score)
    return Candidate(name, text, start=False if is_spaced(text) else None, score=score)


LONGEST = 100  # characters of a candidate
_SURROGATE = re.compile("[\ud800-\udfff]")

Form = str | bytes


class SpellingRefused(Exception):  # noqa: N818  # a verdict on a candidate, not an error
    """A candidate that the base cannot have."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True)
class Spelling:
    """The marks of a base and its pipeline.

    `byte_level` pieces are bytes; otherwise `space` stands for a space (empty if the base has none), `prefix` begins a
    piece inside a word and `suffix` ends a word.
    """

    base: Tokenizer
    byte_level: bool
    space: str
    prefix: str
    suffix: str

    @classmethod
    def of(cls, base: Tokenizer) -> Spelling:
        """The spelling of a base."""
        marks = piece_marks(base)
        byte_level = bool(getattr(base.model, "byte_level", False))
        space = getattr(getattr(base.model, "vocabulary", None), "space", marks.space)
        return cls(base, byte_level, space, marks.prefix, marks.suffix)

    def forms(self, candidate: Candidate) -> list[Form]:
        """The pieces that a candidate becomes: two where it may begin or continue a word, or end it or not.

        Raises SpellingRefused with the reason why there is none.
        """
        if isinstance(candidate.text, bytes):
            if not self.byte_level:
                raise SpellingRefused("part")
            return [candidate.text]
        text = candidate.text
        if len(text) > LONGEST:
            raise SpellingRefused("long")
        if not text or ("\0" in text and not self.byte_level) or _SURROGATE.search(text):
            raise SpellingRefused("invalid")
        if self.byte_level and not self.suffix:
            self._check(str(candidate.literal))
            return [str(candidate.literal).encode()]
        if self.space:
            self._check(str(candidate.literal))
            return [str(candidate.literal).replace(" ", self.space)]
        if " " in text:
            raise SpellingRefused("space")
        if self.prefix:
            return self._wordpieces(text, candidate.start)
        self._check(text)
        if not self.suffix:
            return [text]
        endings = {True: [self.suffix], False: [""], None: ["", self.suffix]}[candidate.end]
        return [(text + ending).encode() if self.byte_level else text + ending for ending in endings]

    def text_of(self, form: Form) -> str:
        """What a piece stands for, for a reader; bytes that are part of a character in hexadecimal."""
        if isinstance(form, bytes):
            try:
                return form.decode()
            except UnicodeDecodeError:
                return form.hex(" ").upper()
        return form.replace(self.space, " ") if self.space else form

    def _wordpieces(self, text: str, start: bool | None) -> list[Form]:
        first: SpellingRefused | None = None
        forms: list[Form] = []
        for begins in (True, False) if start is None else (start,):
            try:
                self._check(text, "" if begins else "a")
            except SpellingRefused as refused:
                first = first or refused
            else:
                forms.append(text if begins else self.prefix + text)
        if not forms:
            assert first is not None
            raise first
        return forms

    def _check(self, text: str, before: str | None = None) -> None:
        """Raise SpellingRefused if no pre-token contains the text: alone, or after a letter; or after `before`."""
        for context in ("", "a") if before is None else (before,):
            whole = context + text
            normalized = whole if self.base.normalizer is None else self.base.normalizer.normalize(whole)
            pretokens = self._pretokens(normalized)
            for wanted in dict.fromkeys((text, text.replace(" ", self.space or SPACE))):
                if any(context + wanted in pretoken if before else wanted in pretoken for pretoken in pretokens):
                    return
        alone = text if self.base.normalizer is None else self.base.normalizer.normalize(text)
        kept = "".join(alone.split()).replace(self.space or SPACE, "")
        if kept != "".join(text.split()).replace(self.space or SPACE, ""):
            raise SpellingRefused("normalized", kept[:LONGEST])
        raise SpellingRefused("split", " | ".join(self._pretokens(alone))[: 2 * LONGEST])

    def _pretokens(self, text: str) -> list[str]:
        return [text] if self.base.pretokenizer is None else self.base.pretokenizer.split(text)
