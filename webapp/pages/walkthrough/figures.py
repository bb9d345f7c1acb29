"""Number formats of walkthroughs."""

from __future__ import annotations

from webapp.web.localization import number


def format_log_probability(value: float, digits: int = 2) -> str:
    """A log-probability or a sum of them, with a true minus sign (U+2212)."""
    written = f"{value:.4g}" if abs(value) >= 1e7 else number(value, digits)
    return written.replace("-", "−") if written.strip("-0.,") else written.replace("-", "")
