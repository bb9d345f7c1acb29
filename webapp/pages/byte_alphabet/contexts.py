"""The variables of the template of `/bytes`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.web.templates import Page


@dataclass(frozen=True)
class ByteCell:
    """A byte: its number in hexadecimal, its character in the alphabet, what it is, and its token in a vocabulary."""

    byte: str
    character: str
    meaning: str
    moved: bool  # whether the character is another than the byte is in ASCII or Latin-1
    address: str  # of the token; empty without a vocabulary, or if it has none


@dataclass(frozen=True)
class MarkLine:
    """A mark, its example, what it stands for, and which models and files have it."""

    spelling: str
    example: str
    sentence: str
    where: str


@dataclass(frozen=True, kw_only=True)
class BytesPage(Page):
    """The table of bytes and the marks."""

    template = "byte_alphabet/page.html"

    cells: Sequence[ByteCell]
    marks: Sequence[MarkLine]
    vocabulary: str  # the title of the vocabulary whose tokens the bytes link to, if any
    page_of_vocabulary: str
    problem: str
