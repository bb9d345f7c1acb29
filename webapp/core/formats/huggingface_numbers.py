"""Numbers as `tokenizers` reads them from its files."""

from __future__ import annotations

_MOST = 2**64 - 1
_FARTHEST = 308


def read_float(number: str) -> float:
    """A number with a fraction or an exponent, as the JSON reader of `tokenizers` (`serde_json`) has it.

    It takes the digits for a whole number and divides it by a power of ten. That is rounded twice and may miss the
    nearest double by a little, which decides between paths of Unigram that are equally likely.

    >>> read_float("-3.0125"), read_float("1.5e3"), read_float("-9.8989838560")
    (-3.0125, 1500.0, -9.898983856)
    >>> read_float("-2.0122928619384766") == -2.0122928619384766
    False
    """
    mantissa, _, exponent = number.lower().partition("e")
    whole, _, decimals = mantissa.lstrip("-").partition(".")
    digits = (whole + decimals).lstrip("0")
    # What 64 bits cannot hold is left out.
    kept = digits if len(digits) < 20 else digits[:20] if int(digits[:20]) <= _MOST else digits[:19]
    power = int(exponent or 0) - len(decimals) + len(digits) - len(kept)
    value = float(int(kept or 0))
    while power < -_FARTHEST and value:
        value /= 1e308
        power += _FARTHEST
    if value and power <= _FARTHEST:
        value = value * float(f"1e{power}") if power >= 0 else value / float(f"1e{-power}")
    elif value:
        value = float("inf")
    return -value if number.startswith("-") else value
