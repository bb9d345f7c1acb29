"""The searchable, paged list of a vocabulary's tokens."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.analysis.token_list import TokenList, bare
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.matching import Matching
from webapp.core.models.ngram import NGram
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import PieceKind, ScoredModel
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.rendering.markup import shown_piece, visible
from webapp.tokenization.forms import InputProblem
from webapp.web.localization import number

PAGE = 100  # tokens
LONGEST_QUERY = 100  # characters
CHARACTERS_SHOWN = 8  # by their code points
BYTES_SHOWN = 24
PIECE_SHOWN = 160  # characters
LONGEST_DRAWN = 2_000  # characters or bytes of a piece that are rendered
_CODE_POINTS = re.compile(r"\s*(?:U\+[0-9A-F]{1,6}[\s,]*)+", re.IGNORECASE)
# A single pair may be a word or a number, `be` or `20`; two pairs, or one with 0x, are bytes.
_BYTES = re.compile(r"\s*(?:0x[0-9A-F]{2}|[0-9A-F]{2}(?=\s+[0-9A-F]{2}))(?:\s+(?:0x)?[0-9A-F]{2})*\s*", re.IGNORECASE)


@dataclass(frozen=True)
class TokenColumn:
    """A column that a kind of vocabulary has besides the piece: a heading, and the cell of an id."""

    title: str
    cell: Callable[[int], str]
    is_figure: bool = True


@dataclass(frozen=True)
class TokenRow:
    """A token in the list; `tags` name the purpose of a token that is not text."""

    id: int
    piece: str
    tags: Sequence[str]
    bytes: str
    characters: str
    in_model: bool


@dataclass(frozen=True)
class TokenPage:
    """One page of the results: `number` of `last`, counted from 1."""

    found: Sequence[int]
    number: int
    last: int
    columns: Sequence[TokenColumn]
    rows: Sequence[TokenRow]


def short(text: str) -> str:
    """A text of an address as a message quotes it, truncated if it is long."""
    text = visible(text)
    return text if len(text) <= 40 else f"{text[:40]}…"


def page_number(page: str, found: int) -> tuple[int, int]:
    """The page of an address, empty for the first, and the last page of a list with `found` tokens, counted from 1.

    Raises InputProblem if there is no such page.
    """
    last = max(1, -(-found // PAGE))
    number = page.strip() or "1"
    if not (number.isascii() and number.isdecimal() and len(number) < 10 and 1 <= int(number) <= last):
        raise InputProblem(
            _("There is no page %(number)s; the last one is %(last)s.", number=short(page), last=last), 404
        )
    return int(number), last


def page_of(model: Model, tokens: TokenList, query: str, page: str) -> TokenPage:
    """The tokens that contain `query`, or all of them; `page` is the raw value of the address, empty for the first.

    Raises InputProblem if there is no such page.
    """
    found = tokens.find(*texts_of(query), data=bytes_of(query)) if query else tokens.ids
    number, last = page_number(page, len(found))
    rows = [_row(model, tokens, id) for id in found[(number - 1) * PAGE : number * PAGE]]
    return TokenPage(found, number, last, columns_of(model), rows)


def _row(model: Model, tokens: TokenList, id: int) -> TokenRow:
    data = tokens.bytes_of(id)
    return TokenRow(
        id,
        shown_token(piece_of(tokens, id)),
        tags_of(model, tokens, id),
        data[:BYTES_SHOWN].hex(" ").upper() + ("…" if len(data) > BYTES_SHOWN else ""),
        _code_points(data),
        id < len(model.pieces),
    )


def piece_of(tokens: TokenList, id: int) -> str | bytes:
    """The piece of a token; for an id without one, such as that of unknown text, its number."""
    at = tokens.place_of(id)
    return f"[{id}]" if at is None else tokens.pieces[at]


def _code_points(data: bytes) -> str:
    """The code points of a short piece; empty for a long one, or for bytes that are not valid UTF-8.

    >>> _code_points("▁研".encode()), _code_points(b"\\xe4\\xb8")
    ('U+2581 U+7814', '')
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return " ".join(f"U+{ord(character):04X}" for character in text) if len(text) <= CHARACTERS_SHOWN else ""


def lengths_of(tokens: TokenList, ids: Iterable[int]) -> list[tuple[int, str, int]]:
    """Some tokens with the number of their characters."""
    places = [(id, tokens.place_of(id) or 0) for id in ids]
    return [(id, shown_token(tokens.pieces[at]), len(bare(tokens.texts[at] or ""))) for id, at in places]


def shown_token(piece: str | bytes) -> str:
    """A piece as readable text, truncated if it is very long."""
    if isinstance(piece, bytes) and len(piece) > LONGEST_DRAWN:
        piece = piece[:PIECE_SHOWN].decode(errors="replace")  # the cut may be inside a character
    drawn = shown_piece(piece[: PIECE_SHOWN + 1])
    return drawn if len(drawn) <= PIECE_SHOWN else f"{drawn[:PIECE_SHOWN]}…"


def columns_of(model: Model) -> list[TokenColumn]:
    """The columns for the tokens of a model."""
    match model:
        case Matching():
            return _dictionary_columns(model)
        case NGram():
            return [TokenColumn(_("Count"), lambda id: number(model.counts.levels[0].counts[id]))]
        case Unigram() | SentencePieceUnigram():
            return [TokenColumn(_("Log-probability"), lambda id: number(model.scores[id], 3))]
        case ScoredBPE():
            return [TokenColumn(_("Score"), lambda id: number(model.scores[id]))]
        case BPE():
            return [TokenColumn(_("Rank"), _rank(model)), TokenColumn(_("Merged from"), _parts(model), is_figure=False)]
        case RankBPE():
            return [TokenColumn(_("Merged from"), _parts(model), is_figure=False)]
    return []


def _dictionary_columns(model: Matching) -> list[TokenColumn]:
    frequencies, tags = model.dictionary.frequencies, model.dictionary.tags
    columns = [TokenColumn(_("Frequency"), lambda id: number(frequencies[id]))] if frequencies is not None else []
    return columns + ([TokenColumn(_("Part of speech"), lambda id: tags[id], is_figure=False)] if tags else [])


def _rank(model: BPE) -> Callable[[int], str]:
    return lambda id: "" if (merge := model.merge_of(id)) is None else number(merge.rank)


def _parts(model: BPE | RankBPE) -> Callable[[int], str]:
    def parts(id: int) -> str:
        # Finding the merge of a long piece may need merging.
        merge = model.merge_of(id) if len(model.pieces[id]) <= LONGEST_DRAWN else None
        halves = (merge.left, merge.right) if merge else ()
        return " + ".join(shown_token(model.pieces[half]) for half in halves)

    return parts


def tags_of(model: Model, tokens: TokenList, id: int) -> list[str]:
    """The purpose of a token that is not an ordinary piece."""
    tags = []
    if id == model.unknown_id:
        tags.append(_("unknown token"))
    if id in tokens.special:
        tags.append(_("special token"))
    elif id in tokens.added:
        tags.append(_("added token"))
    if isinstance(model, ScoredModel) and id < len(model.pieces):
        names = {PieceKind.USER_DEFINED: _("user-defined"), PieceKind.UNUSED: _("unused"), PieceKind.BYTE: _("byte")}
        tags += filter(None, [names.get(model.vocabulary.kinds[id])])
    return tags


def texts_of(query: str) -> list[str]:
    """The texts of a query: itself, and the characters whose code points it gives.

    >>> texts_of("U+7814 u+7A76"), texts_of("a·b"), texts_of("U+110000")
    (['U+7814 u+7A76', '研究'], ['a·b', 'a b'], ['U+110000'])
    """
    # The list shows a space as a dot; text copied from there is found too.
    texts = [query, query.replace("·", " ")]
    if _CODE_POINTS.fullmatch(query):
        codes = [int(code, 16) for code in re.findall(r"\+([0-9A-Fa-f]+)", query)]
        if all(code <= 0x10FFFF for code in codes):
            texts.append("".join(map(chr, codes)))
    return list(dict.fromkeys(texts))


def bytes_of(query: str) -> bytes:
    """The bytes that a query gives in hexadecimal, or empty if it gives none.

    >>> bytes_of("e4 b8").hex(), bytes_of("0x41"), bytes_of("be"), bytes_of("20"), bytes_of("add ed")
    ('e4b8', b'A', b'', b'', b'')
    """
    if not _BYTES.fullmatch(query):
        return b""
    return bytes.fromhex(re.sub("0x", "", query, flags=re.IGNORECASE))
