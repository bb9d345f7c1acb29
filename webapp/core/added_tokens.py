"""Added tokens: special tokens and added words, which are matched in the text before the model sees the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from webapp.core.models.literals import Literals
from webapp.core.text.split_patterns import WHITE_SPACE_CHARACTERS
from webapp.core.text.word_characters import is_word


@dataclass(frozen=True)
class AddedToken:
    """A token with the flags of Hugging Face's `tokenizers`.

    A `special` token is recognized only on request and can be skipped in decoding. A `normalized` token is matched in
    the normalized text. A `single_word` token matches only where no word character is adjacent. With `lstrip` and
    `rstrip` the token includes the white space on that side. `declared_id` is the id in the file where `tokenizers`
    assigns a different one.
    """

    content: str
    id: int
    special: bool = True
    normalized: bool = False
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    declared_id: int | None = None


# A span of text (start, end) and the added token that it matches; None for the text between tokens.
Part = tuple[int, int, AddedToken | None]


class AddedTokenFinder:
    """Finds added tokens in a text: the leftmost first, and the longest of those that start together.

    >>> finder = AddedTokenFinder([AddedToken("<mask>", 4, lstrip=True), AddedToken("<m", 5)])
    >>> [(start, end, token.id if token else None) for start, end, token in finder.parts("a <mask><m")]
    [(0, 1, None), (1, 8, 4), (8, 10, 5)]
    """

    def __init__(self, tokens: Iterable[AddedToken], spelling: Callable[[str], str] = lambda content: content) -> None:
        """Build the finder; `spelling` maps a token's content to its spelling in the texts.

        Raises VocabularyError for tokens that `Literals` rejects.
        """
        self._token_of: dict[str, AddedToken] = {}
        for token in sorted(tokens, key=lambda token: not token.special):
            self._token_of.setdefault(spelling(token.content), token)
        self._contents = Literals(self._token_of)
        self.only_special = all(token.special for token in self._token_of.values())

    def __bool__(self) -> bool:
        return bool(self._contents)

    def parts(self, text: str, *, special: bool = True) -> list[Part]:
        """Return the tokens of a text and the spans between them, in order; special tokens only with `special`.

        With `rstrip` a token may overlap the next one; both are returned then, as in `tokenizers`.
        """
        parts: list[Part] = []
        position = 0
        last = -1
        for start, end in self._contents.spans(text) if special or not self.only_special else ():
            token = self._token_of[text[start:end]]
            if start == end == last:  # a token that normalizes to the empty string
                continue
            last = end
            if (token.special and not special) or (token.single_word and not _stands_alone(text, start, end)):
                continue
            if token.lstrip:
                start = max(_without_space_before(text, start), position)
            if token.rstrip:
                end = _without_space_after(text, end)
            if position < start:
                parts.append((position, start, None))
            if start < end:
                parts.append((start, end, token))
            position = end
        if position < len(text):
            parts.append((position, len(text), None))
        return parts


def as_added_tokens(special_tokens: Mapping[str, int]) -> tuple[AddedToken, ...]:
    """Return special tokens as added tokens with default flags."""
    return tuple(AddedToken(content, id) for content, id in special_tokens.items())


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (start and is_word(text[start - 1])) and not is_word(text[end : end + 1])


def _without_space_before(text: str, at: int) -> int:
    while at and text[at - 1] in WHITE_SPACE_CHARACTERS:
        at -= 1
    return at


def _without_space_after(text: str, at: int) -> int:
    while at < len(text) and text[at] in WHITE_SPACE_CHARACTERS:
        at += 1
    return at
