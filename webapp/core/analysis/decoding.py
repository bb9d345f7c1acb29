"""Ids to text, token by token: the bytes of each, the characters that it completes, and what a stream shows.

A token of a byte-level vocabulary may end inside a character. A client that decodes each token by itself then prints
U+FFFD; one that keeps the bytes until the character is complete prints the text.

`completions` are texts that have given bytes in them; the missing bytes of the first and last character are filled in.

E4 B8   → 一, 丁, …      81 82   → characters whose last two bytes are 81 82      20 F0 9F   → a space and 😀, …
"""

import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from webapp.core.analysis.token_texts import TextPart, TextParts, parts_of
from webapp.core.text.decoders import Decoder
from webapp.core.text.utf8 import REPLACEMENT, Utf8Decoder, begins_character, missing_bytes
from webapp.core.tokenizer import Tokenizer


@dataclass(slots=True)
class DecodedToken:
    """One token, and the state of the text after it."""

    position: int
    id: int
    piece: str | bytes
    """The vocabulary's piece, or the text of an added token."""
    special: bool = False
    unknown: bool = False
    skipped: bool = False
    """Whether the token is special and special tokens were to be left out."""
    data: bytes = b""
    """The bytes that it adds to the text at its place, with any space that the decoder puts before it."""
    alone: str = ""
    """The text of the token decoded by itself."""
    text: str = ""
    """The characters that are complete with this token: what a client that waits prints for it."""
    pending: bytes = b""
    """The bytes of a character that is unfinished after this token."""
    resolved_by: int | None = None
    """The index of the token that completes the pending bytes or shows that they are invalid; None for none."""
    completed: bool = False
    """Whether that token completes their character."""
    invalid: bytes = b""
    """The bytes that are known to be invalid with this token."""
    start: int = 0
    """Where its characters begin in `Decoded.streamed`; a token with part of a character has all of it."""
    end: int = 0

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
    specials = set(tokenizer.special_tokens.values())
    tokens = [
        DecodedToken(
            index,
            id,
            pieces[id],
            special=id in specials,
            unknown=id == tokenizer.model.unknown_id and id not in specials,
            skipped=id in skipped,
            alone=alone_of[id],
        )
        for index, id in enumerate(ids)
    ]
    return Decoded(text, tokens, exact, _stream(found, tokens))


def part_places(decoder: Decoder | None, pieces: Sequence[str | bytes], text: str) -> list[tuple[int, int]] | None:
    """Where the part of each piece starts and ends in the decoded text; None if the parts are not known."""
    found = parts_of(decoder, pieces)
    if found is None:
        return None
    tokens = [DecodedToken(at, at, piece) for at, piece in enumerate(pieces)]
    rest = _stream(found, tokens)
    streamed = "".join(token.text for token in tokens) + rest
    return [(token.start, token.end) for token in tokens] if streamed == text else None


def _stream(found: TextParts, tokens: Sequence[DecodedToken]) -> str:
    """Record the state of the text after each token; return what stands for bytes that are pending at the end."""
    decoder = Utf8Decoder(each_byte=found.invalid != "sequence")
    parts = iter(found.parts)
    waiting: list[DecodedToken] = []  # the tokens with bytes of the unfinished character
    length = 0  # characters of the text so far
    for token in tokens:
        part = None if token.skipped else next(parts)
        token.data = b"" if part is None else part.data
        before = decoder.pending
        broken = ""
        if part is not None and before and not part.raw:
            broken = decoder.finish()
            token.invalid = decoder.invalid
        token.text = broken + decoder.feed(token.data) if token.data else broken
        if token.data:
            broken += decoder.broken
            token.invalid += decoder.invalid
        token.pending = decoder.pending
        token.start = length + len(broken)
        if before and (broken or token.text):
            for one in waiting:
                one.resolved_by, one.completed = token.position, not broken
            _extend(waiting, length + (len(broken) or 1))
            waiting.clear()
        length += len(token.text)
        token.end = length + bool(token.pending and token.data)
        if token.pending:
            waiting.append(token)
    rest = decoder.finish()
    _extend(waiting, length + len(rest))
    return rest


def _extend(waiting: Sequence[DecodedToken], end: int) -> None:
    """Let the tokens of the unfinished character cover what it turned out to be."""
    for token in waiting:
        if token.data:
            token.end = end


_NEVER = frozenset((0xC0, 0xC1, *range(0xF5, 0x100)))
# Second and later bytes that are tried where several are missing: spread, so that they meet characters of many kinds.
_FEW = (0x98, 0x80, 0xA0, 0xB0, 0x8F, 0xBF, 0x90, 0xA8)
_CONTINUING = bytes(range(0x80, 0xC0))
# How many endings are tried with each beginning, where both are missing.
_BOTH = 6
# First bytes by the number of bytes of their character, those of common scripts first.
_LEADS = {
    2: (0xC3, 0xD0, 0xC2, 0xD8, 0xCE, 0xD7, *range(0xC4, 0xE0)),
    3: (0xE4, 0xE2, 0xE3, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xEB, 0xEC, 0xEF, 0xE0, 0xE1, 0xED, 0xEE),
    4: (0xF0, 0xF3, 0xF1, 0xF2, 0xF4),
}


def never_in_utf8(data: bytes) -> bool:
    """Whether bytes occur in no text in UTF-8 at all.

    >>> never_in_utf8(b"\\xc0"), never_in_utf8(b"\\xe4\\xb8"), never_in_utf8(b"\\xe4a")
    (True, False, True)
    """
    return next(iter(completions(data)), None) is None


def completions(data: bytes) -> Iterator[str]:
    """Yield texts whose UTF-8 has `data` in it, assigned characters first; none if no text can have it.

    Many texts are possible; those with the least added come, at most some thousands.

    >>> next(completions(b" \\xf0\\x9f")), next(completions(b"\\xb8\\xad"))
    (' 😘', '中')
    """
    if not _NEVER.isdisjoint(data):
        return
    head = len(data) - len(data.lstrip(_CONTINUING))
    if head > 3:
        return
    tail = next((size for size in (1, 2, 3) if begins_character(data[max(head, len(data) - size) :])), 0)
    try:
        data[head : len(data) - tail].decode()
    except UnicodeDecodeError:
        return
    later: list[str] = []
    seen: set[str] = set()
    for text in _filled(data, head, tail):
        if text in seen:
            continue
        seen.add(text)
        if {"Cn", "Co"}.isdisjoint(map(unicodedata.category, text)):
            yield text
        else:
            later.append(text)
    yield from later


def _filled(data: bytes, head: int, tail: int) -> Iterator[str]:
    """The text of the bytes with every choice of what stands before the first and after the last of them."""
    missing = missing_bytes(data[len(data) - tail :]) if tail else ()
    tails = [
        bytes(after)
        for after in _tails(len(missing))
        if all(low <= byte <= high for byte, (low, high) in zip(after, missing, strict=True))
    ]
    if head and tail:
        tails = tails[:: max(1, len(tails) // _BOTH)]
    for before in _heads(data[:head]) if head else (b"",):
        for after in tails:
            with suppress(UnicodeDecodeError):
                yield (before + data + after).decode()


def _heads(continuing: bytes) -> Iterator[bytes]:
    """What can stand before the bytes that end a character."""
    for length in range(len(continuing) + 1, 5):
        for lead in _LEADS[length]:
            for between in _between(length - 1 - len(continuing)):
                yield bytes((lead, *between))


def _between(count: int) -> Iterator[tuple[int, ...]]:
    if count < 2:
        yield from ((byte,) for byte in (*_FEW, *range(0x80, 0xC0))) if count else ((),)
    else:
        yield from product((0x9F, *_FEW), _FEW)


def _tails(missing: int) -> Iterator[tuple[int, ...]]:
    """What can stand after the bytes that begin a character."""
    if missing == 2:
        yield from ((first, last) for last in (*_FEW, 0x85) for first in (*_FEW, *range(0x80, 0xC0)))
    elif missing == 3:
        yield from product((0x9F, *_FEW), _FEW, _FEW)
    else:
        yield from _between(missing)
