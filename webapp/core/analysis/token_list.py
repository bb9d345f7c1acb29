"""All tokens of a vocabulary by id, with their text, and a search over them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from webapp.core.analysis.surface_forms import PieceMarks, bare, piece_marks
from webapp.core.tokenizer import Tokenizer


class TokenList:
    """All ids of a tokenizer, ascending: those of the model's pieces and of added tokens, which may have further ids.

    `ids`, `pieces`, `texts` and `written` are parallel. `texts` has what each piece represents in a text, None for part
    of a character; `written` has the piece as the vocabulary spells it, in hexadecimal if it is part of a character.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> model = WordPiece(["[UNK]", "un", "##aff", "aff", "affable"])
    >>> tokens = TokenList(WORDPIECE.tokenizer(model, {"[SEP]": 7}))
    >>> list(tokens.ids), tokens.texts, sorted(tokens.apart)
    ([0, 1, 2, 3, 4, 7], ['[UNK]', 'un', 'aff', 'aff', 'affable', '[SEP]'], [0, 7])
    >>> tokens.find("aff"), tokens.find("##"), tokens.find("7"), tokens.find("x")
    ([2, 3, 4], [2], [7], [])

    `added` holds the ids of added tokens, `special` those of special tokens, and `apart` those that represent no text:
    special tokens and the unknown one.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        model = tokenizer.model
        pieces: list[str | bytes] = list(model.pieces)
        added = {token.id: token.content for token in tokenizer.added_tokens}
        beyond = sorted(id for id in added if id >= len(pieces))
        self.ids: Sequence[int] = [*range(len(pieces)), *beyond] if beyond else range(len(pieces))
        self._marks = piece_marks(tokenizer)
        self.texts: list[str | None] = [*map(self._marks.text_of, pieces), *map(added.__getitem__, beyond)]
        self.pieces = pieces + [added[id] for id in beyond]
        for id, content in added.items():
            if id < len(model.pieces):
                self.pieces[id] = self.texts[id] = content
        self.written = [_written(piece, text) for piece, text in zip(self.pieces, self.texts, strict=True)]
        unknown = () if model.unknown_id is None or model.unknown_id >= len(pieces) else (model.unknown_id,)
        self.added = frozenset(added)
        self.special = frozenset(token.id for token in tokenizer.added_tokens if token.special)
        self.apart = self.special.union(unknown)

    def __len__(self) -> int:
        return len(self.ids)

    def place_of(self, id: int) -> int | None:
        """The index of an id in the lists, or None if no token has it."""
        at = bisect_left(self.ids, id)
        return at if at < len(self.ids) and self.ids[at] == id else None

    def bytes_of(self, id: int) -> bytes:
        """The bytes of a token as the vocabulary spells it; raises KeyError for an id that no token has."""
        at = self.place_of(id)
        if at is None:
            raise KeyError(id)
        marks = PieceMarks() if id in self.added else self._marks
        return marks.bytes_of(self.pieces[at])

    def find(self, *queries: str, data: bytes = b"") -> list[int]:
        """The ids of the tokens that contain one of `queries`, in `texts` or `written`, or the bytes `data`.

        A token whose id is a query comes first, then exact matches, then the others by id. Case matters.
        """
        whole: list[int] = []
        part: list[int] = []
        for id, piece, text, written in zip(self.ids, self.pieces, self.texts, self.written, strict=True):
            if data and data in (own := (PieceMarks() if id in self.added else self._marks).bytes_of(piece)):
                (whole if data == own else part).append(id)
                continue
            for query in queries:
                if query in written or (text is not None and text is not written and query in text):
                    same = query in (written, text) or (text is not None and query == bare(text))
                    (whole if same else part).append(id)
                    break
        numbers = [int(query) for query in queries if query.isascii() and query.isdecimal() and len(query) <= _DIGITS]
        named = [number for number in numbers if self.place_of(number) is not None]
        return list(dict.fromkeys((*named, *whole, *part)))


_DIGITS = 15  # of the largest number that is looked up as an id


def _written(piece: str | bytes, text: str | None) -> str:
    if isinstance(piece, str):
        return piece
    return piece.hex(" ").upper() if text is None else text
