"""Special and other added tokens with their flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.tokenizer import Tokenizer
from webapp.pages.vocabularies.token_table import shown_token


@dataclass(frozen=True)
class SpecialLine:
    """An added token: its id, its text, its kind, its flags, and the id that its file declares if `tokenizers` gives it
    another."""

    id: int
    content: str
    kind: str
    flags: Sequence[str]
    declared_id: int | None = None


def special_lines(tokenizer: Tokenizer) -> list[SpecialLine]:
    """The added tokens by id, and the unknown token if it has an id."""
    lines = [
        SpecialLine(
            token.id,
            shown_token(token.content),
            _("special token") if token.special else _("added token"),
            [flag for flag in ("normalized", "single_word", "lstrip", "rstrip") if getattr(token, flag)],
            token.declared_id,
        )
        for token in tokenizer.added_tokens
    ]
    unknown, pieces = tokenizer.model.unknown_id, tokenizer.model.pieces
    if unknown is not None and unknown < len(pieces) and all(line.id != unknown for line in lines):
        piece = pieces[unknown]
        lines.append(SpecialLine(unknown, shown_token(piece), _("unknown token"), ()))
    return sorted(lines, key=lambda line: line.id)
