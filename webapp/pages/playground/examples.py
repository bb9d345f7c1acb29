"""Example texts. Each shows something: an ambiguity, indentation, characters of several bytes."""

from __future__ import annotations

from dataclasses import dataclass

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString


@dataclass(frozen=True)
class ExampleText:
    """A text and the label of its button."""

    title: LazyString
    text: str


EXAMPLES = (
    ExampleText(
        _l("English"),
        "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in "
        "want of a wife. Unbelievably, tokenization isn't trivial.",
    ),
    ExampleText(
        _l("Chinese"),
        "研究生命科学的人研究生命的起源。\n结婚的和尚未结婚的都来了，南京市长江大桥上下雨天留客天。",
    ),
    ExampleText(
        _l("Code"),
        'def fibonacci(n: int) -> int:\n    """The n-th number."""\n    a, b = 0, 1\n'
        "    for _ in range(n):\n        a, b = b, a + b\n    return a\n",
    ),
    ExampleText(
        _l("Emoji and scripts"),
        "Family 👨‍👩‍👧‍👦, flags 🇨🇳🇩🇪, thumbs 👍🏽 — naïve café, Ωμέγα, Привет, नमस्ते, "
        "مرحبا, こんにちは, 한국어, 𝔘𝔫𝔦𝔠𝔬𝔡𝔢.",
    ),
    ExampleText(
        _l("Whitespace"),
        "one two  three   four\ttab\t\ttabs\n\n  indented line  \n"
        "\u3000全角空格\u3000 \u00a0no-break\nend<|endoftext|>",
    ),
)

# The text of a first visit: English, for letters, subwords and punctuation, and Chinese.
WELCOME = (
    "Tokenizers rarely agree: “unbelievably” may be one piece or five.\n分词器很少意见一致：“研究生命科学”该怎么切？"
)
