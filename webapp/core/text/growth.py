"""How long normalizers and decoders may make a text.

A replacement of thousands of characters, or U+FDFA, which Unicode's compatibility forms spell with 18, makes a megabyte
of text so long that every later step would take minutes.
"""

from webapp.core.text.split_patterns import TextError

LONGEST = 1 << 24
"""Limit in characters for the output of a decoder: 16 times the longest text of this site."""

MOST_NORMALIZED = 1 << 21
"""Limit in characters for a text that a normalizer made more than twice as long: twice the longest text of this site.
Unicode's forms of a megabyte of Hangul have 1.0 million and of accented Greek 1.5 million, of U+FDFA 6 million."""


class GrowthError(TextError):
    """A normalizer or decoder makes a text too long."""

    def __init__(self, length: int, most: int = LONGEST) -> None:
        super().__init__(f"the vocabulary makes the text {length:,} characters long; at most {most:,} are allowed")


def check_length(length: int) -> None:
    """Raise GrowthError for a decoded text that would be longer than `LONGEST`."""
    if length > LONGEST:
        raise GrowthError(length)


def check_growth(length: int, normalized: int) -> None:
    """Raise GrowthError for a text of `length` characters that a normalizer makes too long.

    That is longer than `MOST_NORMALIZED` and more than twice as long; corpora are longer, but do not grow so much.

    >>> check_growth(3_000_000, 3_000_000)
    >>> check_growth(1_000_000, 6_000_000)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    webapp.core.text.growth.GrowthError: the vocabulary makes the text 6,000,000 characters long; ...
    """
    if normalized > max(MOST_NORMALIZED, 2 * length):
        raise GrowthError(normalized, MOST_NORMALIZED)
