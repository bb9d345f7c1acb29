"""Ids to text, token by token: the bytes of each, the characters that it completes, and what a stream shows.

A token of a byte-level vocabulary may end inside a character. A client that decodes each token by itself then prints
U+FFFD; one that keeps the bytes until the character is complete prints the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from webapp.core.analysis.token_texts import TextPart, TextParts, parts_of
from webapp.core.text.utf8 import REPLACEMENT, Utf8Decoder
from webapp.core.tokenizer import Tokenizer


class DecodedToken(NamedTuple):
    """One token, and the state of the text after it."""

    position: int
    id: int
    piece: str | bytes
    """The vocabulary's piece, or the text of an added token."""
    special: bool
    unknown: bool
    skipped: bool
    """Whether the token is special and special tokens were to be left out."""
    data: bytes
    """The bytes that it adds to the text at its place, with any space that the decoder puts before it."""
    alone: str
    """The text of the token decoded by itself."""
    text: str
    """The characters that are complete with this token: what a client that waits prints for it."""
    pending: bytes
    """The bytes of a character that is unfinished after this token."""
    resolved_by: int | None
    """The index of the token that completes the pending bytes or shows that they are invalid; None for none."""
    completed: bool
    """Whether that token completes their character."""
    invalid: bytes
    """The bytes that are known to be invalid with this token."""
    start: int
    """Where its characters begin in `Decoded.streamed`; a token with part of a character has all of it."""
    end: int

    @property
    def is_partial(self) -> bool:
        """Whether the token has only a part of some character, or bytes that are no character."""
        return bool(self.pending or self.invalid) or self.alone.count(REPLACEMENT) > self.text.count(REPLACEMENT)


@dataclass(frozen=True)
class Decoded:
    """Ids decoded together and one by one.

    `exact` says whether the part that each token has in the text is known; if not, `data` and `text` of a token are
    those of the token alone.
    """

    text: str
    tokens: Sequence[DecodedToken]
    exact: bool
    rest: str
    """What a client that waits prints at the end for bytes that are still pending."""

    @cached_property
    def apart(self) -> str:
        """What a client prints that decodes each token by itself."""
        return "".join(token.alone for token in self.tokens)

    @cached_property
    def streamed(self) -> str:
        """What a client prints that keeps unfinished bytes until their character is complete."""
        return "".join(token.text for token in self.tokens) + self.rest

    @property
    def pending(self) -> bytes:
        """The bytes of a character that the last token leaves unfinished."""
        return self.tokens[-1].pending if self.tokens else b""


def decoded(tokenizer: Tokenizer, ids: Sequence[int], *, skip_special: bool = False) -> Decoded:
    r"""Return ids as text, as a whole and token by token; raises ValueError for an id outside the vocabulary.

    >>> from webapp.core.models.bpe import BPE
    >>> from webapp.core.recipes import BYTE_BPE
    >>> tokenizer = BYTE_BPE.tokenizer(BPE([bytes([byte]) for byte in range(256)], [], byte_level=True))
    >>> found = decoded(tokenizer, [0xE4, 0xBD, 0xA0, 0x21])
    >>> found.text, found.apart, found.streamed
    ('你!', '\ufffd\ufffd\ufffd!', '你!')
    >>> [(token.text, token.pending, token.resolved_by) for token in found.tokens]
    [('', b'\xe4', 2), ('', b'\xe4\xbd', 2), ('你', b'', None), ('!', b'', None)]
    """
    text = tokenizer.decode(ids, skip_special=skip_special)
    alone_of = {id: tokenizer.decode([id], skip_special=skip_special) for id in set(ids)}
    pieces = {id: tokenizer.decoded_piece(id) for id in alone_of}
    skipped = {id for id in alone_of if skip_special and tokenizer.is_skipped(id)}
    found = parts_of(tokenizer.decoder, [pieces[id] for id in ids if id not in skipped])
    exact = found is not None
    if found is None:
        alone = [TextPart(alone_of[id].encode("utf-8", "replace"), False) for id in ids if id not in skipped]
        found = TextParts(alone)
    states = _States(found, ids, skipped)
    specials = set(tokenizer.special_tokens.values())
    unknown_id = tokenizer.model.unknown_id
    tokens = [
        DecodedToken(
            index,
            id,
            pieces[id],
            id in specials,
            id == unknown_id and id not in specials,
            id in skipped,
            states.data[index],
            alone_of[id],
            states.texts[index],
            states.pending[index],
            states.resolved_by[index],
            states.completed[index],
            states.invalid[index],
            states.starts[index],
            states.ends[index],
        )
        for index, id in enumerate(ids)
    ]
    return Decoded(text, tokens, exact, states.rest)


class _States:
    """The state of a text after each token, in lists with one entry for each."""

    def __init__(self, found: TextParts, ids: Sequence[int], skipped: set[int]) -> None:
        self.data: list[bytes] = []
        self.texts: list[str] = []
        self.pending: list[bytes] = []
        self.invalid: list[bytes] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.resolved_by: list[int | None] = [None] * len(ids)
        self.completed = [False] * len(ids)
        self.rest = ""
        self._open: list[int] = []  # the tokens with bytes of the unfinished character
        self._length = 0  # characters of the text so far
        decoder = Utf8Decoder(each_byte=found.invalid != "sequence")
        parts = iter(found.parts)
        for index, id in enumerate(ids):
            self._add(index, decoder, None if id in skipped else next(parts))
        self.rest = decoder.finish()
        self._extend(len(self.rest))

    def _add(self, index: int, decoder: Utf8Decoder, part: TextPart | None) -> None:
        data = b"" if part is None else part.data
        before = decoder.pending
        broken, invalid = "", b""
        if part is not None and before and not part.raw:
            broken = decoder.finish()
            invalid = decoder.invalid
        text = broken + decoder.feed(data) if data else broken
        if data:
            broken += decoder.broken
            invalid += decoder.invalid
        pending = decoder.pending
        resolved = bool(before) and (bool(broken) or bool(text))
        start = self._length + len(broken)
        if resolved:
            for waiting in self._open:
                self.resolved_by[waiting] = index
                self.completed[waiting] = not broken
            self._extend(len(broken) or 1)
            self._open.clear()
        self._length += len(text)
        self.data.append(data)
        self.texts.append(text)
        self.pending.append(pending)
        self.invalid.append(invalid)
        self.starts.append(start)
        self.ends.append(self._length + bool(pending and data))
        if pending:
            self._open.append(index)

    def _extend(self, characters: int) -> None:
        """Let the tokens of the unfinished character cover what it turned out to be."""
        for waiting in self._open:
            if self.data[waiting]:
                self.ends[waiting] = self._length + characters
