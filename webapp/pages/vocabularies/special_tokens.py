"""Special and other added tokens, with what is peculiar to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.tokenizer import Tokenizer
from webapp.pages.vocabularies.token_table import shown_token


@dataclass(frozen=True)
class SpecialLine:
    """An added token: its id, its text, whether it is special, its flags as the field calls them, and the
    id that its file declares where `tokenizers` gives it another."""

    id: int
    content: str
    kind: str
    flags: Sequence[str]
    declared_id: int | None = None


def special_lines(tokenizer: Tokenizer) -> list[SpecialLine]:
    """The added tokens by id; the unknown token is among them where it has an id of its own."""
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
