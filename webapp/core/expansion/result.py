"""The result of an expansion: the new tokenizer, and what became of each candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase, VocabularyError

Reason = Literal["split", "normalized", "unreachable", "part", "space", "invalid", "long", "limit"]
"""Why a candidate was refused.

`split`: the pre-tokenizer always cuts it. `normalized`: the normalizer changes it. `unreachable`: merges leave it in
several parts, and pieces in between were not wanted or are impossible. `part`: it is part of a character, and the base
has whole characters. `space`: the base has no piece for white space. `invalid`: no valid text. `long`: too many
characters. `limit`: the expansion already has as many pieces as allowed.
"""


class ExpansionError(VocabularyError):
    """A base that cannot be expanded, or an expansion that takes too long. `field` is `base` or `addition`."""

    def __init__(self, field: str, message: Phrase) -> None:
        """Create an error with a message, as in `VocabularyError`."""
        super().__init__(message.sentence, **message.values)
        self.field = field


@dataclass(frozen=True, slots=True)
class Added:
    """A new piece: its id, its text, and the ids of the pieces that the base has for it.

    `between` marks a piece that the addition does not have: it was added because a merge needs it.
    """

    id: int
    text: str
    old_ids: tuple[int, ...]
    between: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """A candidate that was refused, as the addition spells it; `detail` is what the base makes of it instead."""

    name: str
    reason: Reason
    detail: str = ""


@dataclass(frozen=True)
class Expansion:
    """A base with pieces added.

    `present` are the candidates that the base already has, as the addition spells them. `filled` are ids that the base
    left free between its pieces and its special tokens; they have placeholders that no text is encoded to.
    """

    base: Tokenizer
    tokenizer: Tokenizer
    added: Sequence[Added]
    present: Sequence[str]
    refused: Sequence[Refusal]
    filled: Sequence[int] = ()

    @property
    def first_id(self) -> int:
        """The id of the first new piece: the number of rows that a model of the base has at least."""
        return len(self.tokenizer.model.pieces) - len(self.added)

    @property
    def between(self) -> int:
        """How many of the new pieces stand between the base's pieces and those of the addition."""
        return sum(piece.between for piece in self.added)
