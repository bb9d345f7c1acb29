"""The preview of an expansion: what is added, what it saves, and its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from webapp.core.expansion import Added, BaseKind, Expansion, Reason, Refusal, base_kind, expand
from webapp.core.expansion.files import files_of
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.text.split_patterns import TextError
from webapp.core.tokenizer import Tokenizer
from webapp.pages.expansion.forms import ExpansionRequest
from webapp.pages.expansion.passages import passages
from webapp.tokenization.encoding import ids_of
from webapp.vocabularies import library, tokenizer_of

SECONDS = 12.0  # to compare and add pieces; writing the files takes as long again at worst
MOST_ADDED = 100_000
SAMPLES = 60
REFUSED_SAMPLES = 12


@dataclass(frozen=True)
class RefusedGroup:
    """Candidates that were refused for the same reason: how many, and the first of them."""

    reason: Reason
    count: int
    samples: Sequence[Refusal]


@dataclass(frozen=True)
class Measured:
    """Tokens per character of a text with the base and with the expansion; None if the text cannot be encoded.

    `unknown_before` and `unknown_after` are the shares of unknown tokens, from 0 to 1.
    """

    key: str
    characters: int
    before: float | None
    after: float | None
    unknown_before: float = 0
    unknown_after: float = 0

    @property
    def saved(self) -> float | None:
        """The share of tokens that the expansion saves."""
        return 1 - self.after / self.before if self.before and self.after is not None else None


@dataclass(frozen=True)
class ExpansionPreview:
    """An expansion and its figures."""

    expansion: Expansion
    kind: BaseKind
    refused: Sequence[RefusedGroup]
    measured: Sequence[Measured]
    file_names: Sequence[str]

    @property
    def samples(self) -> list[Added]:
        """New pieces, evenly spread over all of them; pieces in between only if there are no others."""
        pieces = [piece for piece in self.expansion.added if not piece.between] or list(self.expansion.added)
        step = max(1, len(pieces) // SAMPLES)
        return pieces[::step][:SAMPLES]

    @property
    def present_samples(self) -> list[str]:
        """Candidates that the base already has."""
        step = max(1, len(self.expansion.present) // REFUSED_SAMPLES)
        return list(self.expansion.present[::step][:REFUSED_SAMPLES])


def expansion_of(asked: ExpansionRequest) -> Expansion:
    """The expansion that a request asks for.

    Raises ExpansionError, and the exceptions of `tokenizer_of`.
    """
    base = tokenizer_of(asked.base)
    addition = tokenizer_of(asked.addition) if asked.source == "vocabulary" else asked.tokens.split("\n")
    return expand(base, addition, bridge=asked.bridge, most=MOST_ADDED, seconds=SECONDS)


def preview_of(asked: ExpansionRequest) -> ExpansionPreview:
    """The preview of a request; raises the exceptions of `expansion_of`."""
    expansion = expansion_of(asked)
    kind = base_kind(expansion.base)
    assert kind is not None
    by_reason = sorted(expansion.refused, key=lambda refusal: refusal.reason)
    groups = [(reason, list(members)) for reason, members in groupby(by_reason, key=lambda refusal: refusal.reason)]
    texts = [("own", asked.text)] if asked.text else []
    texts += [(passage.key, passage.text) for passage in passages()]
    return ExpansionPreview(
        expansion,
        kind,
        sorted(
            (RefusedGroup(reason, len(members), members[:REFUSED_SAMPLES]) for reason, members in groups),
            key=lambda group: -group.count,
        ),
        [_measured(key, text, expansion) for key, text in texts],
        file_names(expansion.tokenizer, asked.base),
    )


def file_names(tokenizer: Tokenizer, base: str) -> list[str]:
    """The names of the files that `contents_of` returns, without writing them."""
    format = library().file(base).format
    if format == "sentencepiece":
        first = ["tokenizer.model"]
    elif format == "scores":
        first = ["tokens_and_scores.json"]
    else:
        first = ["tokenizer.json", *(["ranks.tiktoken"] if isinstance(tokenizer.model, RankBPE) else [])]
    return [*first, "old_ids.json"]


def contents_of(asked: ExpansionRequest) -> dict[str, bytes]:
    """The files of an expansion by name; raises the exceptions of `expansion_of`, and FormatError."""
    return files_of(expansion_of(asked), library().file(asked.base).content)


def _measured(key: str, text: str, expansion: Expansion) -> Measured:
    before = _tokens(expansion.base, text)
    after = _tokens(expansion.tokenizer, text)
    return Measured(
        key,
        len(text),
        before[0] / len(text) if before else None,
        after[0] / len(text) if after else None,
        before[1] / before[0] if before and before[0] else 0,
        after[1] / after[0] if after and after[0] else 0,
    )


def _tokens(tokenizer: Tokenizer, text: str) -> tuple[int, int] | None:
    """The number of tokens of a text, and how many of them are unknown; None if it cannot be encoded."""
    try:
        ids = ids_of(tokenizer, text)
    except TextError:
        return None
    unknown = tokenizer.model.unknown_id
    return len(ids), 0 if unknown is None else ids.count(unknown)
