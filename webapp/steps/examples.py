"""Texts to begin with: short, and with something to see for the algorithm that is followed."""

from __future__ import annotations

CHINESE = "研究生命科学的人结婚的和尚未结婚的"
ENGLISH = "Unbelievably, tokenization isn't trivial."


def example_for(algorithm: str) -> str:
    """The text that the steps of an algorithm begin with."""
    return CHINESE if algorithm in ("fmm", "bmm") else ENGLISH
