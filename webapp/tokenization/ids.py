"""Read ids in any shape: numbers with spaces or commas, JSON, lists and tensors of Python, arrays of C and Rust.

Objects with keys give the ids under `ids`, `input_ids` and the like; other keys, such as `attention_mask`, are ignored.
Numbers may be hexadecimal (0x1F) and have type suffixes (5u32). A comma always separates, so `1,234` are two ids.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase

MOST_IDS = 100_000
MOST_NESTED = 64
PLACES_SHOWN = 20
LONGEST_SHOWN = 40

KEYS = (
    *("ids", "input_ids", "token_ids", "prompt_token_ids", "output_ids", "output_token_ids", "tokens"),
    *("id", "token_id", "numpy", "data", "values"),
)
"""The keys whose values are ids; if an object has several, the first in this order counts."""

_NOT_IDS = ("attention_mask", "token_type_ids", "special_tokens_mask", "position_ids", "labels", "dtype", "device")
TOO_LARGE = 1 << 63  # stands for any number from there on
_PLAIN = re.compile(r"[\s0-9,;\[\](){}]*")
_DIGITS = re.compile("[0-9]+")
_TOKEN = re.compile(
    r"""(?P<space>[\s,;|`、，；]+ | \#.* | //.* | /\*(?s:.*?)\*/)
      | (?P<comment>/\*)
      | (?P<dots>\.\.\.|…)
      | (?P<number>[+-]?[0-9][\w.]*)
      | (?P<name>[^\W\d][\w.]*(?:::\w+)*(?:<[\w:, ]{0,40}>)?)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<open>[\[({<])
      | (?P<close>[\])}>])
      | (?P<sign>.)""",
    re.VERBOSE,
)
_KEY_FOLLOWS = re.compile(r"\s*[:=](?!:)")
_CALL_FOLLOWS = re.compile(r"\s*[\[({<!]")
# `const uint32_t ids[3] = {`, `let ids: Vec<u32> = vec![`, `ids = tensor([`
_DECLARATION = re.compile(r"\s*[^\W\d][^=\n{\"'(]{0,200}(?:=(?=\s*[\w&\[({<])|(?={))")
_NUMBER = re.compile(
    r"([+-]?)(?:0[xX](?P<hex>[0-9a-fA-F_]+?)|(?P<decimal>[0-9](?:[0-9_]*[0-9])?)(?:\.0*)?)"
    r"(?:[uU]?[lL]{0,2}|[lL]{1,2}[uU]|[iu](?:8|16|32|64|128|size))"
)


class IdsError(ValueError):
    """Text that is no list of ids: what is wrong, and the line and the column, counted from 1.

    Many errors are made and dropped again, one for each bracket, so a place is only looked up when it is asked for.
    """

    def __init__(self, text: str, offset: int, phrase: Phrase, *, too_many: bool = False) -> None:
        """Create an error at an offset of the text; `too_many` if the list is correct but too long."""
        super().__init__(str(phrase))
        self.phrase = phrase
        self.too_many = too_many
        self._text, self._offset = text, offset

    @property
    def line(self) -> int:
        """The line of the text."""
        return _line_and_column(self._text, self._offset)[0]

    @property
    def column(self) -> int:
        """The column in its line."""
        return _line_and_column(self._text, self._offset)[1]


@dataclass(frozen=True)
class ReadIds:
    """Ids and where each begins in the text."""

    text: str
    ids: Sequence[int]
    offsets: Sequence[int]

    def place(self, index: int) -> IdPlace:
        """Return the place of an id, with what is written there."""
        offset = self.offsets[index]
        found = _TOKEN.match(self.text, offset)
        written = found[0] if found else ""
        return IdPlace(index, *_line_and_column(self.text, offset), _shortened(written))


@dataclass(frozen=True)
class IdPlace:
    """The index of an id, its line and column, counted from 1, and what is written there."""

    index: int
    line: int
    column: int
    written: str


def read_ids(text: str, most: int | None = MOST_IDS) -> ReadIds:
    """Return the ids in a text; raises IdsError for what is none, and for more than `most` ids.

    >>> list(read_ids("{'input_ids': tensor([[101, 0x1F]]), 'attention_mask': tensor([[1, 1]])}").ids)
    [101, 31]
    >>> read_ids("12 x 13")
    Traceback (most recent call last):
    webapp.tokenization.ids.IdsError: “x” is not an id

    Numbers may be outside every vocabulary: see `ids_outside`. Those from 2⁶³ on are read as 2⁶³.
    """
    if _PLAIN.fullmatch(text):
        offsets = [found.start() for found in _DIGITS.finditer(text)]
        _check_number(text, offsets, most)
        return ReadIds(text, [_bounded(found) for found in _DIGITS.findall(text)], offsets)
    ids, offsets = _Reader(text, most).read()
    return ReadIds(text, ids, offsets)


@dataclass(frozen=True)
class OutsideIds:
    """The number of ids that a vocabulary does not have, and the places of the first ones."""

    count: int
    places: Sequence[IdPlace]


def ids_outside(read: ReadIds, tokenizer: Tokenizer) -> OutsideIds:
    """Return the ids that the vocabulary does not have."""
    outside = {id for id in set(read.ids) if not tokenizer.has_id(id)}
    indexes = [index for index, id in enumerate(read.ids) if id in outside] if outside else []
    return OutsideIds(len(indexes), [read.place(index) for index in indexes[:PLACES_SHOWN]])


@dataclass
class _Found:
    """Ids found in a part of the text, and the first thing among them that is no id."""

    ids: list[int] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    error: IdsError | None = None

    def add(self, other: _Found) -> None:
        if self.error is None:
            self.ids += other.ids
            self.offsets += other.offsets
            self.error = other.error


@dataclass
class _Frame:
    """An open bracket: what stands in it by itself and what after keys."""

    offset: int
    is_ignored: bool
    values: _Found = field(default_factory=_Found)
    keyed: dict[str, _Found] = field(default_factory=dict)
    key: str | None = None
    has_keys: bool = False

    @property
    def target(self) -> _Found | None:
        """Where the next value belongs; None if it is ignored."""
        if self.is_ignored:
            return None
        return self.values if self.key is None else self.keyed.get(self.key)


class _Reader:
    """Reads a text from left to right; time and memory are linear in its length."""

    def __init__(self, text: str, most: int | None) -> None:
        self.text = text
        self.most = most
        self.count = 0
        self.frames = [_Frame(0, False)]

    def read(self) -> tuple[list[int], list[int]]:
        declaration = _DECLARATION.match(self.text)
        position = declaration.end() if declaration else 0
        while found := _TOKEN.match(self.text, position):
            position = found.end()
            kind, token, start = found.lastgroup, found[0], found.start()
            if kind == "space":
                if len(self.frames) > 1 and ("," in token or ";" in token):
                    self.frames[-1].key = None
            elif kind == "comment":
                end = self.text.find("*/", position)
                position = end + 2 if end >= 0 else len(self.text)
            elif kind == "number":
                self._number(token, start)
            elif kind == "open":
                self._open(start)
            elif kind == "close":
                self._close()
            elif kind in ("name", "string") and (after := _KEY_FOLLOWS.match(self.text, position)):
                self._key(token.strip("\"'"))
                position = after.end()
            elif kind == "string":
                self._string(token, start)
            elif kind == "name" and _CALL_FOLLOWS.match(self.text, position):
                pass
            elif kind == "dots":
                self._fail(start, Phrase("the list is shortened with “%(dots)s”, so ids are missing", dots=token))
            elif kind == "sign" and token in "\"'":
                raise IdsError(self.text, start, Phrase("a quotation mark is not closed"))
            elif kind != "sign" or token not in "!&=*":
                self._fail(start, _not_an_id(token))
        while len(self.frames) > 1:
            self._close()
        whole = self._chosen(self.frames[0])
        if whole.error is not None:
            raise whole.error
        return whole.ids, whole.offsets

    def _number(self, token: str, start: int) -> None:
        target = self.frames[-1].target
        if target is None:
            return
        number = _NUMBER.fullmatch(token)
        if number is None:
            self._fail(start, _not_a_number(token))
            return
        if self.text[start + len(token) : start + len(token) + 1] == ":":
            self._fail(start, Phrase("“%(written)s” is a key, not an id", written=_shortened(f"{token}:")))
            return
        size = _bounded(number["hex"], 16) if number["hex"] else _bounded(number["decimal"])
        target.ids.append(-size if number[1] == "-" else size)
        target.offsets.append(start)
        self.count += 1
        if self.most is not None and self.count > self.most:
            raise _too_many(self.text, start, self.most)

    def _string(self, token: str, start: int) -> None:
        inside = token[1:-1]
        if _NUMBER.fullmatch(inside):
            self._number(inside, start + 1)
        elif not (len(inside) == 1 and self.text.endswith("(", 0, start)):  # a type code: `array('I', [1, 2])`
            self._fail(start, _not_an_id(token))

    def _key(self, key: str) -> None:
        frame = self.frames[-1]
        is_first = not frame.has_keys and not frame.values.ids
        frame.key, frame.has_keys = key, True
        if key in KEYS:
            frame.keyed.setdefault(key, _Found())
        elif len(self.frames) == 1 and (is_first or key not in _NOT_IDS):
            frame.key = None  # outside any brackets, a name for what follows

    def _open(self, start: int) -> None:
        if len(self.frames) > MOST_NESTED:
            too_deep = Phrase("brackets are nested too deeply; the limit is %(limit)s levels", limit=MOST_NESTED)
            raise IdsError(self.text, start, too_deep)
        self.frames.append(_Frame(start, self.frames[-1].target is None))

    def _close(self) -> None:
        if len(self.frames) == 1:
            return  # the end of what was copied without its beginning
        frame = self.frames.pop()
        target = self.frames[-1].target
        if target is not None:
            target.add(self._chosen(frame))

    def _chosen(self, frame: _Frame) -> _Found:
        """The ids of a closed bracket: those of the best key, or else those without a key."""
        for key in KEYS:
            if key in frame.keyed:
                return frame.keyed[key]
        if frame.has_keys and not (frame.values.ids or frame.values.error):
            missing = Phrase("an object without “ids” or “input_ids”")
            frame.values.error = IdsError(self.text, frame.offset, missing)
        return frame.values

    def _fail(self, offset: int, phrase: Phrase) -> None:
        target = self.frames[-1].target
        if target is None or target.error is not None:
            return
        target.error = IdsError(self.text, offset, phrase)
        if len(self.frames) == 1 and not self.frames[0].has_keys:  # no key can make the rest count instead
            raise target.error


def _not_an_id(written: str) -> Phrase:
    return Phrase("“%(written)s” is not an id", written=_shortened(written))


def _not_a_number(written: str) -> Phrase:
    shown = _shortened(written)
    if re.fullmatch(r"[+-]?[0-9]+\.[0-9]+", written):
        return Phrase("“%(written)s” is not a whole number", written=shown)
    if re.fullmatch("[0-9a-fA-F]+", written):
        return Phrase("“%(written)s” is not an id; write a hexadecimal number as 0x%(written)s", written=shown)
    return _not_an_id(written)


def _check_number(text: str, offsets: Sequence[int], most: int | None) -> None:
    if most is not None and len(offsets) > most:
        raise _too_many(text, offsets[most], most)


def _too_many(text: str, offset: int, most: int) -> IdsError:
    return IdsError(text, offset, Phrase("there are more than %(limit)s ids", limit=f"{most:,}"), too_many=True)


def _bounded(digits: str, base: int = 10) -> int:
    digits = digits.replace("_", "").lstrip("0")
    if len(digits) > 19:  # without converting: it takes quadratic time
        return TOO_LARGE
    return min(int(digits or "0", base), TOO_LARGE)


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    line = text.count("\n", 0, offset)
    return line + 1, offset - text.rfind("\n", 0, offset)


def _shortened(written: str) -> str:
    return written if len(written) <= LONGEST_SHOWN else f"{written[:LONGEST_SHOWN]}…"
