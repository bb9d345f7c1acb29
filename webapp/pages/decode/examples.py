"""Examples: characters whose bytes several tokens share, special tokens, and pieces that are no text by themselves."""

from __future__ import annotations

from dataclasses import dataclass

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.pages.decode.forms import DecodeRequest
from webapp.vocabularies import shipped_tokenizer


@dataclass(frozen=True)
class DecodeExample:
    """A text whose ids are an example, without the last `cut` of them."""

    title: LazyString
    vocabulary: str
    text: str
    cut: int = 0

    def request(self) -> DecodeRequest:
        """The request for the ids of the text."""
        ids = shipped_tokenizer(self.vocabulary).ids(self.text, special=True)
        return DecodeRequest(" ".join(map(str, ids[: len(ids) - self.cut])), self.vocabulary)


EXAMPLES = (
    DecodeExample(_l("� in a stream"), "bpe-bytes", "Sure 👍🏽 — 饕餮 means a glutton 🐉"),
    DecodeExample(_l("Cut off inside a character"), "bpe-bytes", "The dragon 🐉", cut=1),
    DecodeExample(_l("Special tokens"), "wordpiece", "[CLS] unaffable [SEP] it isn't [MASK] [SEP]"),
    DecodeExample(_l("Spaces that get lost"), "unigram", "Unbelievably, tokenization isn't trivial."),
)
