"""Encodings to draw, and pictures to inspect."""

import io
from xml.etree import ElementTree

import pytest
from PIL import Image

from webapp.core.encoding import Encoding
from webapp.rendering.pictures.drawing import PictureTexts
from webapp.rendering.pictures.fonts import Fonts, fonts
from webapp.rendering.pictures.svg import NAMESPACE
from webapp.vocabularies import jieba_words, matching, shipped_tokenizer

HOSTILE = '<script>alert(1)</script>&amp;"\'<image href="file:///etc/passwd"/>]]>\x00\x1b\ud800\ufffe\u202e'

WORDS = PictureTexts(
    tokens=lambda count: f"{count} tokens",
    more=lambda count: f"and {count} more",
    missing=lambda scripts: f"no font for {', '.join(scripts)}",
    empty="No text, no tokens.",
    beginning="Only the beginning of the text is shown.",
)


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


def assert_harmless(source: str) -> None:
    """Check that the XML is well-formed and has only allowed elements and attributes."""
    elements = list(ElementTree.fromstring(source).iter())
    assert {element.tag.removeprefix(f"{{{NAMESPACE}}}") for element in elements} <= {
        "svg", "title", "g", "rect", "path", "circle", "text", "tspan",
    }  # fmt: skip
    for element in elements:
        assert not [name for name in element.attrib if "href" in name or name.startswith("on")]
        assert "style" not in element.attrib
        assert "class" not in element.attrib
