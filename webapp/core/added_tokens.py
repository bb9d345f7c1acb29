"""Tokens that are found in the text itself, before the model sees what is left: special ones and words added later."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from webapp.core.models.literals import Literals
from webapp.core.text.split_patterns import WHITE_SPACE_CHARACTERS
from webapp.core.text.word_characters import is_word


@dataclass(frozen=True)
class AddedToken:
    """A token with its flags, as Hugging Face's `tokenizers` has them.

    A `special` one is honoured only where the caller asks for it, and left out of a decoded text on request. A
    `normalized` one is looked for in the normalized text. A `single_word` has no word character beside it. `lstrip` and
    `rstrip` take the white space on that side with it. `declared_id` is the id in its file, where
    `tokenizers` gives it another one.
    """

    content: str
    id: int
    special: bool = True
    normalized: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    declared_id: int | None = None


# A stretch of a text, and the added token that stands there; None for the text between them.
Part = tuple[int, int, AddedToken | None]


class AddedTokenFinder:
    """Finds tokens in a text: the leftmost first, the longest among those that begin together.

    >>> finder = AddedTokenFinder([AddedToken("<mask>", 4, lstrip=True), AddedToken("<m", 5)])
    >>> [(start, end, token.id if token else None) for start, end, token in finder.parts("a <mask><m")]
    [(0, 1, None), (1, 8, 4), (8, 10, 5)]
    """

    def __init__(self, tokens: Iterable[AddedToken], spelt: Callable[[str], str] = lambda content: content) -> None:
        """`spelt` gives a token's content as it stands in the texts.

        Raises VocabularyError for tokens that `Literals` refuses.
        """
        self._token_of: dict[str, AddedToken] = {}
        for token in sorted(tokens, key=lambda token: not token.special):
            self._token_of.setdefault(spelt(token.content), token)
        self._contents = Literals(self._token_of)
        self.only_special = all(token.special for token in self._token_of.values())

    def __bool__(self) -> bool:
        return bool(self._contents)

    def parts(self, text: str, *, special: bool = True) -> list[Part]:
        """The text as tokens and what lies between them, in order; without `special` only the other tokens.

        `rstrip` may reach into the next token: then both are there, as in `tokenizers`.
        """
        parts: list[Part] = []
        position = 0
        last = -1
        for start, end in self._contents.spans(text) if special or not self.only_special else ():
            token = self._token_of[text[start:end]]
            if start == end == last:  # of a token that is normalized to nothing
                continue
            last = end
            if (token.special and not special) or (token.single_word and not _stands_alone(text, start, end)):
                continue
            if token.lstrip:
                start = max(_without_space_before(text, start), position)
            if token.rstrip:
                end = _without_space_behind(text, end)
            if position < start:
                parts.append((position, start, None))
            if start < end:
                parts.append((start, end, token))
            position = end
        if position < len(text):
            parts.append((position, len(text), None))
        return parts


def as_added_tokens(special_tokens: Mapping[str, int]) -> tuple[AddedToken, ...]:
    """Special tokens without any flags."""
    return tuple(AddedToken(content, id) for content, id in special_tokens.items())


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (start and is_word(text[start - 1])) and not is_word(text[end : end + 1])


def _without_space_before(text: str, at: int) -> int:
    while at and text[at - 1] in WHITE_SPACE_CHARACTERS:
        at -= 1
    return at


def _without_space_behind(text: str, at: int) -> int:
    while at < len(text) and text[at] in WHITE_SPACE_CHARACTERS:
        at += 1
    return at
