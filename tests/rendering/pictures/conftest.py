"""Encodings to draw, and pictures to look into."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image

from webapp.core.encoding import Encoding
from webapp.rendering.pictures.fonts import Fonts, fonts
from webapp.vocabularies import jieba_words, matching, shipped_tokenizer

Encode = Callable[..., Encoding]


def encode(text: str, vocabulary: str = "bpe-bytes") -> Encoding:
    """`text` with a vocabulary that ships; `jieba` is cut from the left."""
    if vocabulary == "jieba":
        return matching(jieba_words(), "forward", True).encode(text)
    return shipped_tokenizer(vocabulary).encode(text)


def pixels(content: bytes) -> Image.Image:
    """A PNG, decoded."""
    image = Image.open(io.BytesIO(content))
    assert image.format == "PNG"
    return image.convert("RGB")


@pytest.fixture(scope="session")
def machine() -> Fonts:
    """The fonts of this machine; without any, nothing can be drawn."""
    found = fonts()
    if not found.faces:
        pytest.skip("no fonts on this machine")
    return found
