"""Number formats of walkthroughs."""

from __future__ import annotations

from math import floor

from webapp.web.localization import number


def format_log_probability(value: float, digits: int = 2) -> str:
    """A log-probability or a sum of them, with a true minus sign (U+2212)."""
    written = f"{value:.4g}" if abs(value) >= 1e7 else number(value, digits)
    return written.replace("-", "−") if written.strip("-0.,") else written.replace("-", "")


def power(logarithm: float) -> str:
    """A number in scientific notation, from its decimal logarithm.

    >>> power(-4.5), power(61)
    ('3.2 × 10⁻⁵', '1.0 × 10⁶¹')
    """
    exponent = floor(logarithm)
    raised = str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{10 ** (logarithm - exponent):.1f} × 10{raised}"
