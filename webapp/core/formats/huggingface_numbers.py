"""Parse JSON numbers with the same rounding as `tokenizers`."""

from __future__ import annotations

_MOST = 2**64 - 1
_FARTHEST = 308
_MOST_DIGITS = 4_300


def read_float(number: str) -> float:
    """Return a number with a fraction or an exponent as `serde_json`, the JSON reader of `tokenizers`, parses it.

    `serde_json` reads the digits as an integer and divides it by a power of ten. This rounds twice and may miss the
    nearest double, which breaks ties between equally likely Unigram segmentations.

    >>> read_float("-3.0125"), read_float("1.5e3"), read_float("-9.8989838560")
    (-3.0125, 1500.0, -9.898983856)
    >>> read_float("-2.0122928619384766") == -2.0122928619384766
    False

    Raises ValueError for a number of more than 4,300 digits, as Python does for an integer.
    """
    if len(number) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(number):,} characters")
    mantissa, _, exponent = number.lower().partition("e")
    whole, _, decimals = mantissa.lstrip("-").partition(".")
    digits = (whole + decimals).lstrip("0")
    # Digits that do not fit in 64 bits are dropped.
    significant = digits if len(digits) < 20 else digits[:20] if int(digits[:20]) <= _MOST else digits[:19]
    power = int(exponent or 0) - len(decimals) + len(digits) - len(significant)
    value = float(int(significant or 0))
    while power < -_FARTHEST and value:
        value /= 1e308
        power += _FARTHEST
    if value and power <= _FARTHEST:
        value = value * float(f"1e{power}") if power >= 0 else value / float(f"1e{-power}")
    elif value:
        value = float("inf")
    return -value if number.startswith("-") else value
