"""A result's text word by word, each with the steps that merge it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from webapp.core.traces.merging import (
    Begin,
    End,
    Merge,
    MergingModel,
    Node,
    Replace,
    Step,
    Word,
    steps,
    words,
)
from webapp.core.traces.pretokens import AddedFound, Pretoken
from webapp.pages.walkthrough.preparation import pretokens
from webapp.tokenization.result import Result


@dataclass(frozen=True)
class Followed:
    """A word and its steps; an added token has neither."""

    model: MergingModel
    word: Word | None = None
    added: AddedFound | None = None

    @property
    def text(self) -> str:
        """What it is of the text."""
        if self.added is not None:
            return self.added.token.content
        return self.word.text if self.word else ""

    @cached_property
    def steps(self) -> list[Step]:
        """From `Begin` to `End`; of a whole piece `End` alone."""
        return list(steps(self.model, self.word)) if self.word else []

    @cached_property
    def merged(self) -> list[Step]:
        """The steps of merging, whether the word is a whole piece or not."""
        if self.word is None or not self.word.whole:
            return self.steps
        return list(steps(self.model, Word(self.word.text, self.word.start)))

    @property
    def tokens(self) -> tuple[Node, ...]:
        """What it ends in."""
        return _end(self.steps)

    @property
    def merged_tokens(self) -> tuple[Node, ...]:
        """What merging ends in."""
        return _end(self.merged)

    @cached_property
    def nodes(self) -> list[Node]:
        """The nodes of its merge tree, in the order in which they are made."""
        return [node for step in self.merged for node in made_by(step)]

    @property
    def ids(self) -> list[int]:
        """The ids that it has in the result."""
        if self.added is not None:
            return [self.added.token.id]
        return [token.id for token in self.tokens if token.id is not None]

    def frames(self, first: bool) -> list[int]:
        """The steps worth a look: not how a word begins, unless it is the `first` or has something to tell there; not
        its end, where the step before made the last token."""
        if self.word is None:
            return [0]
        wanted = [at for at, step in enumerate(self.steps) if isinstance(step, Merge | Replace)]
        if isinstance(self.steps[0], Begin) and (first or _tells(self.steps[0])):
            wanted = [0, *wanted]
        replaced = any(isinstance(step, Replace) for step in self.steps)
        merged = any(isinstance(step, Merge) for step in self.steps)
        if not replaced and (len(self.tokens) > 1 or not merged):
            wanted.append(len(self.steps) - 1)
        return wanted


def followed(result: Result, model: MergingModel) -> list[Followed]:
    """The words of a result's text, and the added tokens between them."""
    found: list[Followed] = []
    for one in pretokens(result):
        if isinstance(one, Pretoken):
            found += [Followed(model, word) for word in words(model, one.text)]
        else:
            found.append(Followed(model, added=one))
    return found


def made_by(step: Step) -> tuple[Node, ...]:
    """The nodes that come to be with a step."""
    if isinstance(step, Begin):
        return step.symbols
    return step.made if isinstance(step, Merge | Replace) else ()


def _end(found: list[Step]) -> tuple[Node, ...]:
    return found[-1].symbols if found and isinstance(found[-1], End) else ()


def _tells(begin: Begin) -> bool:
    """Whether a word begins with more than its characters."""
    plain = all(symbol.kind in ("piece", "suffix") for symbol in begin.symbols)
    bytes_ = any(isinstance(symbol.piece, bytes) and not symbol.piece.isascii() for symbol in begin.symbols)
    return not plain or bool(begin.left_out) or bytes_
