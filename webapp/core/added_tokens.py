"""Added tokens: special tokens and added words, which are matched in the text before the model sees the rest.

Post-processors: special tokens around the tokens of a text, and offsets without white space.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from webapp.core.models.literals import Literals
from webapp.core.text.unicode_tables import WHITE_SPACE_CHARACTERS, is_word


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


Item = TypeVar("Item")

# The number of spaces at the beginning and at the end of a token.
Spaces = tuple[int, int]

_SPACES = "Ġ" + WHITE_SPACE_CHARACTERS


@dataclass(frozen=True)
class Template:
    """The token ids around those of a text; None stands for the text's own.

    >>> Template((101, None, 102)).ids([7, 8])
    [101, 7, 8, 102]
    """

    parts: tuple[int | None, ...]

    def ids(self, ids: Sequence[int]) -> list[int]:
        """Return the template with the text's ids filled in."""
        filled: list[int] = []
        for part in self.parts:
            filled += ids if part is None else (part,)
        return filled

    def filled(self, items: Sequence[Item], added: Item) -> list[Item]:
        """Return the template with one item for each token of the text and `added` for every other token."""
        filled: list[Item] = []
        for part in self.parts:
            filled += items if part is None else (added,)
        return filled


@dataclass(frozen=True)
class Trim:
    """Excludes leading and trailing spaces of a token from its offsets.

    With `add_prefix_space` a single space at the beginning of the text counts as inserted by the pre-tokenizer.

    >>> Trim(add_prefix_space=False).offsets([0, 5], [5, 9], [(0, 0), (1, 0)])
    ([0, 6], [5, 9])
    """

    add_prefix_space: bool = True

    def offsets(
        self, starts: Sequence[int], ends: Sequence[int], spaces: Sequence[Spaces]
    ) -> tuple[list[int], list[int]]:
        """Return the trimmed starts and ends; `spaces` holds one entry for each token."""
        trimmed_starts, trimmed_ends = list(starts), list(ends)
        for at, (leading, trailing) in enumerate(spaces):
            if not leading and not trailing:
                continue
            start, end = starts[at], ends[at]
            if leading:
                if self.add_prefix_space and leading == 1 and (at == 0 or start == 0):
                    leading = 0
                start = min(start + leading, end)
            if trailing and end >= trailing:
                end = max(end - trailing, start)
            trimmed_starts[at], trimmed_ends[at] = start, end
        return trimmed_starts, trimmed_ends


@dataclass(frozen=True)
class PostProcessor:
    """Trims offsets always and adds the template's tokens on request.

    If a template contains the text twice or not at all, `tokenizers` returns two texts or none even without special
    tokens; here, encoding without the template returns the text's own tokens unchanged.
    """

    trims: tuple[Trim, ...] = ()
    template: Template | None = None


def spaces_of(piece: str | bytes) -> Spaces:
    """Return the number of spaces at the beginning and at the end of a piece.

    >>> spaces_of(b" low"), spaces_of("Ġ low"), spaces_of(b"  ")
    ((1, 0), (2, 0), (2, 2))
    """
    if isinstance(piece, bytes):
        return len(piece) - len(piece.lstrip(b" ")), len(piece) - len(piece.rstrip(b" "))
    return len(piece) - len(piece.lstrip(_SPACES)), len(piece) - len(piece.rstrip(_SPACES))
