"""The result of an expansion, with the outcome for each candidate, and its files in the format of the base."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webapp.core.formats import huggingface, sentencepiece
from webapp.core.formats.reading import FormatError
from webapp.core.formats.sentencepiece import ModelProto
from webapp.core.formats.tiktoken import model_ranks, rank_lines
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import ScoredModel
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import Phrase, VocabularyError


def files_of(expansion: Expansion, base_file: bytes | None = None) -> dict[str, bytes]:
    """Return the files of an expansion by name; the first one can be uploaded.

    `base_file` is the file of the base, which a SentencePiece model needs: pieces are appended to it, and everything
    else in it stays. The last file has, for each new piece in order, the ids of the pieces that the base has for it.

    Raises FormatError if the vocabulary has no such file.
    """
    model = expansion.tokenizer.model
    files: dict[str, bytes] = {}
    if isinstance(model, ScoredModel) and base_file is None:
        raise FormatError("a SentencePiece model is needed as the file of the base")
    if isinstance(model, RankBPE):
        files["tokenizer.json"] = huggingface.write(expansion.tokenizer).encode()
        files["ranks.tiktoken"] = rank_lines(model_ranks(expansion.tokenizer))
    elif base_file is None or not isinstance(model, ScoredModel):
        files["tokenizer.json"] = huggingface.write(expansion.tokenizer).encode()
    elif base_file.lstrip()[:1] == b"{":
        files["tokens_and_scores.json"] = tokens_and_scores(expansion, base_file)
    else:
        files["tokenizer.model"] = sentencepiece_model(expansion, base_file)
    files["old_ids.json"] = json.dumps([piece.old_ids for piece in expansion.added], separators=(",", ":")).encode()
    return files


def sentencepiece_model(expansion: Expansion, base_file: bytes) -> bytes:
    """Return the `.model` of the base with the new pieces appended.

    Every field of the base stays as it is, those that this site does not know included. Only its self-test is left out:
    its samples may be encoded differently now, and SentencePiece refuses to load a model that fails it.
    """
    model = expansion.tokenizer.model
    assert isinstance(model, ScoredModel)
    message = ModelProto()
    message.ParseFromString(base_file)
    message.ClearField("self_test_data")
    for piece in expansion.added:
        message.pieces.add(piece=model.pieces[piece.id].encode(), score=model.scores[piece.id])
    content: bytes = message.SerializeToString()
    sentencepiece.read(content)
    return content


def tokens_and_scores(expansion: Expansion, base_file: bytes) -> bytes:
    """Return the JSON of tokens and scores of the base with the new pieces appended."""
    model = expansion.tokenizer.model
    assert isinstance(model, ScoredModel)
    document = json.loads(base_file)
    document["tokens"] += [model.pieces[piece.id] for piece in expansion.added]
    document["scores"] += [model.scores[piece.id] for piece in expansion.added]
    return json.dumps(document, ensure_ascii=False).encode()


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
