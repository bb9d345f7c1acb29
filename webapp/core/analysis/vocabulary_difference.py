"""The difference of two vocabularies: pieces that only one of them has, and pieces with different ids.

Vocabularies spell the same piece in their own way: `Ġthe`, `▁the` and ` the` all stand for "the" after a space. Pieces
are therefore compared by what they stand for:

    Ġthe   ▁the   " the"   the (WordPiece)    → " the", at the beginning of a word
    the    ##the                              → "the", inside a word
    the</w>                                   → "the ", at the end of a word
    <0xE4>   b"\\xe4"                          → the byte E4
    <s>   [CLS]                               → the special token of this name

WordPiece writes no mark at the beginning of a word. Its tokenizers separate punctuation and Chinese characters from the
rest without a space, so a piece that begins with one of those has no mark at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from webapp.core.analysis.portrait import SPECIAL, Portrait, kind_of_text, portrait_of_texts
from webapp.core.analysis.token_list import TokenList, is_byte_name
from webapp.core.analysis.token_origin import SPACED
from webapp.core.models.wordpiece import WordPiece
from webapp.core.tokenizer import Tokenizer

Meaning = str | bytes | tuple[str]
"""What a piece stands for: text with the space before or after a word, bytes that are part of a character, or the name
of a special token."""
Group = Literal["a", "b", "moved", "same"]
"""Only in the first, only in the second, in both with different ids, in both with the same id."""

GROUPS: tuple[Group, ...] = get_args(Group)


@dataclass(frozen=True)
class VocabularyDifference:
    """Four groups of pairs of ids, None where a vocabulary lacks a piece: words and the longest first, as `telling`.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE, MATCHING
    >>> first = WORDPIECE.tokenizer(WordPiece(["[UNK]", "un", "##able", "low"]))
    >>> second = WORDPIECE.tokenizer(WordPiece(["[UNK]", "##able", "un", "able"]))
    >>> found = difference_of(*((TokenList(each), each) for each in (first, second)))
    >>> found.groups["a"], found.groups["b"], found.groups["moved"], found.groups["same"]
    ([(3, None)], [(None, 3)], [(2, 1), (1, 2)], [(0, 0)])
    """

    groups: Mapping[Group, Sequence[tuple[int | None, int | None]]]

    @cached_property
    def places(self) -> Mapping[Group, frozenset[int]]:
        """The ids of each group that a search finds: of the first vocabulary, for `b` of the second."""
        return {
            group: frozenset(second if first is None else first for first, second in pairs)  # type: ignore[misc]
            for group, pairs in self.groups.items()
        }


def difference_of(first: tuple[TokenList, Tokenizer], second: tuple[TokenList, Tokenizer]) -> VocabularyDifference:
    """Return the difference of two vocabularies, each given by its tokens and its tokenizer."""
    meanings_a, meanings_b = meanings_of(*first), meanings_of(*second)
    groups: dict[Group, list[tuple[int | None, int | None]]] = {group: [] for group in GROUPS}
    for meaning, id in meanings_a.items():
        other = meanings_b.get(meaning)
        groups["a" if other is None else "same" if other == id else "moved"].append((id, other))
    groups["b"] = [(None, id) for meaning, id in meanings_b.items() if meaning not in meanings_a]

    texts_a, texts_b = (dict(zip(tokens.ids, tokens.texts, strict=True)) for tokens, _ in (first, second))

    def order(pair: tuple[int | None, int | None]) -> tuple[tuple[int, int], int]:
        texts, id = (texts_b, pair[1]) if pair[0] is None else (texts_a, pair[0])
        assert id is not None
        return telling(texts[id]), id

    return VocabularyDifference({group: sorted(pairs, key=order) for group, pairs in groups.items()})


def telling(text: str | None) -> tuple[int, int]:
    """The place of a piece in a list by what it says: words, then others, the longest first; control bytes last.

    >>> sorted([None, "a", "\\x00", "==", " low"], key=telling)
    [' low', 'a', '==', None, '\\x00']
    """
    if text is None or not text.isprintable():
        return 2, 0
    return (0 if text.strip().isalpha() else 1), -len(text)


def meanings_of(tokens: TokenList, tokenizer: Tokenizer) -> dict[Meaning, int]:
    """Return what the pieces of a vocabulary stand for, each with its id.

    Of several pieces that stand for the same, the one that is no name of a byte, then the lowest id, is kept.
    """
    opens_words = isinstance(tokenizer.model, WordPiece)
    prefix = getattr(tokenizer.model, "continuing_subword_prefix", "") if opens_words else ""
    meanings: dict[Meaning, int] = {}
    named: dict[Meaning, int] = {}  # the names of bytes
    for id, piece, text in zip(tokens.ids, tokens.pieces, tokens.texts, strict=True):
        if id in tokens.apart:
            meanings.setdefault((piece if isinstance(piece, str) else piece.decode(errors="replace"),), id)
        elif text is None:
            meanings.setdefault(tokens.bytes_of(id), id)
        elif isinstance(piece, str) and text != piece and is_byte_name(piece):
            named.setdefault(text, id)
        elif prefix and id not in tokens.added and not piece.startswith(prefix) and SPACED.match(text):  # type: ignore[arg-type]
            meanings.setdefault(f" {text}", id)
        else:
            meanings.setdefault(text, id)
    for meaning, id in named.items():
        meanings.setdefault(meaning, id)
    return meanings


def portrait_of_group(pairs: Sequence[tuple[int | None, int | None]], first: TokenList, second: TokenList) -> Portrait:
    """Return lengths and scripts of the tokens of a group; those in both are counted as the first spells them."""
    own = any(id is not None for id, _ in pairs[:1])
    tokens = first if own else second
    ids = [a if own else b for a, b in pairs]
    texts = {id: tokens.texts[at] for id in ids if id is not None and (at := tokens.place_of(id)) is not None}
    return portrait_of_texts(texts, texts.values(), tokens.apart)


def kind_in_group(pair: tuple[int | None, int | None], first: TokenList, second: TokenList) -> str:
    """Return the kind of a pair's piece, as `portrait_of_group` counts it."""
    tokens, id = (second, pair[1]) if pair[0] is None else (first, pair[0])
    assert id is not None
    at = tokens.place_of(id)
    assert at is not None
    return SPECIAL if id in tokens.apart else kind_of_text(tokens.texts[at])
