"""`/bytes`: the byte alphabet; with `vocabulary`, each byte leads to its token there."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, Response, make_response, request, url_for
from flask_babel import gettext as _

from webapp.core.analysis.token_origin import PieceFinder
from webapp.core.text.byte_characters import bytes_to_characters
from webapp.rendering.markup import visible
from webapp.tokenization.messages import unavailable_problem
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, find, title_of, tokenizer_of
from webapp.web.htmx import private
from webapp.web.templates import Page, render


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


blueprint = Blueprint("byte_alphabet", __name__)


@blueprint.get("/bytes")
def page() -> Response:
    """The table of bytes, and the marks in the spelling of tokens."""
    name = request.args.get("vocabulary", "").strip()
    entry = find(name) if name else None
    finder, problem, status = None, "", 200
    if name and (entry is None or entry.origin in ("learned", "pasted")):
        entry, status = None, 404
        problem = _("There is no vocabulary “%(name)s”.", name=visible(name[:40]))
    elif entry is not None:
        try:
            finder = PieceFinder(tokenizer_of(entry.name))
        except UnavailableVocabularyError as error:
            told = unavailable_problem(error)
            problem, status = told.message, told.status
        except StillFetchingError:
            problem, status = _("The vocabulary is still being downloaded. Try again in a moment."), 503
    context = BytesPage(
        cells=[_cell(byte, finder, name) for byte in range(256)],
        marks=_marks(),
        vocabulary=title_of(entry) if entry and finder else "",
        page_of_vocabulary=url_for("vocabularies.vocabulary", name=name) if entry and finder else "",
        problem=problem,
    )
    return private(make_response(render(context), status))


def _cell(byte: int, finder: PieceFinder | None, name: str) -> ByteCell:
    character = bytes_to_characters(bytes([byte]))
    id = None if finder is None else finder.find(bytes([byte]))
    return ByteCell(
        byte=f"{byte:02X}",
        character=character,
        meaning=_meaning(byte),
        moved=character != chr(byte),
        address="" if id is None else url_for("vocabularies.token", name=name, id=id),
    )


def _meaning(byte: int) -> str:
    """What a byte is in UTF-8."""
    if byte < 0x80:
        names = {0x09: _("tab"), 0x0A: _("line end"), 0x0D: _("carriage return"), 0x20: _("space"), 0x7F: _("delete")}
        if byte in names:
            return str(names[byte])
        return unicodedata.name(chr(byte), "") if byte > 0x20 else _("control character")
    if byte < 0xC0:
        return _("second or later byte of a character")
    if byte in (0xC0, 0xC1) or byte > 0xF4:
        return _("never in UTF-8")
    length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
    return _("first byte of a character of %(count)s bytes", count=length)


def _marks() -> list[MarkLine]:
    return [
        MarkLine(
            "Ġ",
            "Ġhello",
            _("The byte 20, a space, in the byte alphabet: “ hello”. Ċ is the byte 0A, a line end; é is spelled Ã©."),
            _("Byte-level BPE in Hugging Face’s files: GPT-2, RoBERTa, Llama 3, Qwen"),
        ),
        MarkLine(
            "IA==",
            "IGhlbGxv",
            _("The bytes of the token in Base64; the token itself begins with a space."),
            _("tiktoken’s files: GPT-3.5, GPT-4, GPT-4o"),
        ),
        MarkLine(
            "▁",
            "▁hello",
            _("A space, U+2581 in the file. The tokenizer often adds one before the text."),
            _("SentencePiece: T5, Llama 2, Mistral, Gemma, XLM-R"),
        ),
        MarkLine(
            "##",
            "##ing",
            _("The piece continues a word; a piece without it begins one. There is no token for the space."),
            _("WordPiece: BERT, DistilBERT, ELECTRA"),
        ),
        MarkLine(
            "</w>",
            "low</w>",
            _("The piece ends a word; a piece without it is followed by another of the same word."),
            _("Sennrich’s BPE: the first GPT, CLIP, subword-nmt"),
        ),
        MarkLine(
            "<0x0A>",
            "<0xE4>",
            _("One byte, by its number. Characters without a piece of their own become their bytes."),
            _("Byte fallback: Llama 2, Mistral, Gemma"),
        ),
        MarkLine(
            "<|…|>",
            "<|im_start|>",
            _("A special token: it stands for no text. Templates put it in; typed as text, it is ordinary characters."),
            _("Chat and document boundaries; also <s>, [CLS] and [INST]"),
        ),
    ]
