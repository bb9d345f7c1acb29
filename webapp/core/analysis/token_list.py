"""All tokens of a vocabulary by id, with their text, and a search over them.

The text of a vocabulary's pieces, without the marks for the beginning, the inside and the end of a word.

▁the → " the"    ##ing → "ing"    low</w> → "low "    <0x41> → "A"    b"\\xe4\\xb8" → part of a character
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from webapp.core.text import decoders
from webapp.core.text.decoders import Decoder, DecoderStep
from webapp.core.text.sentencepiece_normalizer import SentencePieceDecoder
from webapp.core.text.utf8 import characters_to_bytes, decoded
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class PieceMarks:
    """The marks in the pieces of a vocabulary.

    `space` represents a space, `prefix` begins a piece inside a word, `suffix` ends a word. With `byte_names` a piece
    like `<0x0A>` is a byte; with `byte_characters` characters represent bytes, as in GPT-2's files.

    >>> marks = PieceMarks(space="▁", byte_names=True)
    >>> [marks.text_of(piece) for piece in ("▁the", "<0x0A>", "<0xE4>", b" the", b"\\xe4\\xb8")]
    [' the', '\\n', None, ' the', None]
    """

    space: str = ""
    prefix: str = ""
    suffix: str = ""
    byte_names: bool = False
    byte_characters: bool = False

    def text_of(self, piece: str | bytes) -> str | None:
        """The text of a piece, or None if its bytes are not whole characters."""
        data = self._bytes_of(piece)
        if data is not None:
            ends = bool(self.suffix) and data.endswith(self.suffix.encode())
            text = decoded(data.removesuffix(self.suffix.encode()))
            return f"{text} " if ends and text is not None else text
        assert isinstance(piece, str)
        if self.prefix and len(piece) > len(self.prefix):
            piece = piece.removeprefix(self.prefix)
        if self.suffix and piece.endswith(self.suffix):
            piece = f"{piece.removesuffix(self.suffix)} "
        return piece.replace(self.space, " ") if self.space else piece

    def bytes_of(self, piece: str | bytes) -> bytes:
        """The bytes of a piece in UTF-8, including its marks; for the name of a byte, that byte.

        >>> PieceMarks(space="▁", byte_names=True).bytes_of("▁a"), PieceMarks(byte_names=True).bytes_of("<0xE4>")
        (b'\\xe2\\x96\\x81a', b'\\xe4')
        """
        data = self._bytes_of(piece)
        return str(piece).encode("utf-8", "replace") if data is None else data

    def _bytes_of(self, piece: str | bytes) -> bytes | None:
        """The bytes of a piece that represents bytes; None for a piece of text."""
        if isinstance(piece, bytes):
            return piece
        if self.byte_names and _BYTE.fullmatch(piece):
            return bytes([int(piece[3:5], 16)])
        if self.byte_characters:
            with suppress(ValueError):  # an added word may contain other characters
                return characters_to_bytes(piece)
        return None


def piece_marks(tokenizer: Tokenizer) -> PieceMarks:
    """The marks of a tokenizer's pieces, from its model and decoder.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> piece_marks(WORDPIECE.tokenizer(WordPiece(["[UNK]", "un", "##aff"]))).text_of("##aff")
    'aff'
    """
    model, steps = tokenizer.model, _steps(tokenizer.decoder)
    space, suffix = "", getattr(model, "end_of_word_suffix", "")
    byte_names = byte_characters = False
    for step in steps:
        match step:
            case SentencePieceDecoder():
                space, byte_names = step.space, bool(step.byte_pieces)
            case decoders.MetaspaceDecoder():
                space = step.replacement
            case decoders.ReplaceDecoder(content=" ", regular=False) if len(step.pattern) == 1:
                space = step.pattern
            case decoders.BPEDecoder():
                suffix = suffix or step.suffix
            case decoders.ByteFallback():
                byte_names = True
            case decoders.ByteLevelDecoder():
                byte_characters = True
    return PieceMarks(
        space="" if space == " " else space,
        prefix=getattr(model, "continuing_subword_prefix", ""),
        suffix=suffix,
        byte_names=byte_names or getattr(model, "byte_fallback", False),
        byte_characters=byte_characters and not (model.pieces and isinstance(model.pieces[0], bytes)),
    )


def bare(text: str) -> str:
    """Return a piece's text without the single space between words; white space stays unchanged.

    So `▁the`, ` the`, `the` and `the</w>` have the same length, however a vocabulary marks words.

    >>> [bare(text) for text in (" the", "the ", "the", "    ", " ")]
    ['the', 'the', 'the', '    ', ' ']
    """
    if text.isspace():
        return text
    return text[1:] if text.startswith(" ") else text.removesuffix(" ")


def is_byte_name(piece: str | bytes) -> bool:
    """Return whether a piece is spelled as the name of a byte, as byte fallback names them.

    >>> is_byte_name("<0x0A>"), is_byte_name("<s>"), is_byte_name(b"<0x0A>")
    (True, False, False)
    """
    return isinstance(piece, str) and _BYTE.fullmatch(piece) is not None


_BYTE = re.compile("<0x[0-9A-Fa-f]{2}>")


def _steps(decoder: Decoder | DecoderStep | None) -> list[Decoder | DecoderStep]:
    if isinstance(decoder, decoders.DecoderSequence):
        return [inner for step in decoder.steps for inner in _steps(step)]
    return [] if decoder is None else [decoder]


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
        if gaps := tokenizer.gaps - added.keys():
            kept = [at for at in range(len(self.ids)) if at not in gaps]
            self.ids = [self.ids[at] for at in kept]
            self.pieces, self.texts = [self.pieces[at] for at in kept], [self.texts[at] for at in kept]
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

    def index(self, id: int) -> int:
        """The index of an id in the lists; raises KeyError for an id that no token has."""
        if (at := self.place_of(id)) is None:
            raise KeyError(id)
        return at

    def bytes_of(self, id: int) -> bytes:
        """The bytes of a token as the vocabulary spells it; raises KeyError for an id that no token has."""
        at = self.index(id)
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
    return piece.hex(" ").upper() if text is None else piece.decode()
