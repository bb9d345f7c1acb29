"""Decoders limit the length of the text they build."""

from __future__ import annotations

import pytest

from webapp.core.text.decoders import DecoderStep, ReplaceDecoder
from webapp.core.text.growth import LONGEST, GrowthError


@pytest.mark.parametrize(
    "step",
    [ReplaceDecoder("a", "b" * 1000), ReplaceDecoder("a|b", "c" * 1000, regular=True), ReplaceDecoder("", "b" * 1000)],
)
def test_a_text_that_would_grow_too_long_is_refused(step: DecoderStep) -> None:
    assert len(step.change(["a"])[0]) in (1000, 2001)
    with pytest.raises(GrowthError, match=f"{LONGEST:,}"):
        step.change(["a" * (LONGEST // 2000), "a" * (LONGEST // 1500)])


def test_a_text_that_shrinks_may_be_long() -> None:
    assert ReplaceDecoder("aa", "a").change(["a" * LONGEST, "aa"]) == ["a" * (LONGEST // 2), "a"]
