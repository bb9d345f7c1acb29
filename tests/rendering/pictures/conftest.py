"""Encodings to draw, and pictures to inspect."""

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
    """Encode `text` with a shipped vocabulary; `jieba` matches forward."""
    if vocabulary == "jieba":
        return matching(jieba_words(), "forward", True).encode(text)
    return shipped_tokenizer(vocabulary).encode(text)


def pixels(content: bytes) -> Image.Image:
    """Decode a PNG."""
    image = Image.open(io.BytesIO(content))
    assert image.format == "PNG"
    return image.convert("RGB")


@pytest.fixture(scope="session")
def machine() -> Fonts:
    """Return the fonts of this machine; skip if there are none."""
    found = fonts()
    if not found.faces:
        pytest.skip("no fonts on this machine")
    return found
