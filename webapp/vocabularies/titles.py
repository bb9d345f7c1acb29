"""The names of the vocabularies, in the reader's language."""

from __future__ import annotations

from flask_babel import gettext as _


def titles() -> dict[str, str]:
    """The name of each vocabulary in the picker."""
    return {
        "jieba": _("jieba's dictionary"),
        "own-dictionary": _("My own dictionary"),
        "bpe-bytes": _("Bytes, like GPT"),
        "bpe-characters": _("Characters with </w>"),
        "learned-characters": _("Learned here, characters"),
        "learned-bytes": _("Learned here, bytes"),
        "wordpiece": _("WordPiece, like BERT"),
        "learned-wordpiece": _("Learned here"),
        "unigram": _("Unigram, like T5"),
        "learned-unigram": _("Learned here"),
    }
