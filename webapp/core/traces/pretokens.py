"""The input of the model for one text: its pre-tokens in order, and the added tokens between them."""

from collections.abc import Iterator
from dataclasses import dataclass

from webapp.core.added_tokens import AddedToken
from webapp.core.text import pretokenizers
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Pretoken:
    """A pre-token as the model receives it: normalized, and with any prefix from the pre-tokenizer.

    `start` and `end` are in characters of the original text.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AddedFound:
    """An added token that was matched in the text, or with `around` one that the template adds."""

    token: AddedToken
    start: int
    end: int
    around: bool = False


def pretokens_of(
    tokenizer: Tokenizer, text: str, *, special: bool = False, template: bool = False
) -> list[Pretoken | AddedFound]:
    """Return the pre-tokens and added tokens of a text, in order.

    Concatenating `model.ids` of each pre-token and the id of each added token gives the ids of `tokenizer.encode` with
    the same arguments.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE
    >>> tokenizer = WORDPIECE.tokenizer(WordPiece(["[UNK]", "[SEP]"]), {"[SEP]": 1})
    >>> for found in pretokens_of(tokenizer, "It's [SEP]", special=True):  # doctest: +ELLIPSIS
    ...     print(found)
    Pretoken(text='It', start=0, end=2)
    Pretoken(text="'", start=2, end=3)
    Pretoken(text='s', start=3, end=4)
    AddedFound(token=AddedToken(content='[SEP]', id=1, ...), start=5, end=10, around=False)
    """
    within = list(_within(tokenizer, text, special))
    parts = tokenizer.postprocessor.template.parts if template and tokenizer.postprocessor.template else (None,)
    added = {token.id: token for token in tokenizer.added_tokens}
    found: list[Pretoken | AddedFound] = []
    place = 0
    for id in parts:
        if id is None:
            found += within
            place = len(text)
        else:
            token = added.get(id) or AddedToken(str(tokenizer.model.pieces[id]), id)
            found.append(AddedFound(token, place, place, around=True))
    return found


def _within(tokenizer: Tokenizer, text: str, special: bool) -> Iterator[Pretoken | AddedFound]:
    for part, token in tokenizer.parts(text, special=special):
        if token is not None:
            yield AddedFound(token, part.starts[0], part.ends[-1])
            continue
        whole = [part] if tokenizer.pretokenizer is None else pretokenizers.cut(tokenizer.pretokenizer, part)
        for piece in whole:
            if piece.text:
                yield Pretoken(piece.text, min(piece.starts), max(piece.ends))
