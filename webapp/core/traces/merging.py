"""Trace of byte-pair encoding: for each merge, the symbols, the candidate pairs, the chosen pair and the result.

Covers every BPE model of this site: by rank of merges (Sennrich et al. 2016), by rank of pieces (`tiktoken`), by rank
with all occurrences of a pair at once (subword-nmt), and by score (SentencePiece). The trace is simple rather than
fast; the tests verify that it ends with the model's ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Literal

from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_bpe import MOST_LEVELS, ScoredBPE
from webapp.core.traces.initial_symbols import InitialSymbol, Kind, initial_symbols

MergingModel = BPE | RankBPE | ScoredBPE

How = Literal["beginning", "merge", "whole", "apart", "byte", "unknown"]


@dataclass(frozen=True, slots=True)
class TracedWord:
    """A part of a pre-token that is merged separately; `whole` if it is a piece, so that nothing is merged."""

    text: str
    start: int
    whole: bool = False


@dataclass(frozen=True, slots=True)
class MergeNode:
    """A symbol of a word, and a node of its merge tree.

    `number` counts the nodes of a word in order of creation; `parts` are the numbers of its children. `start` and `end`
    are in characters of the word; part of a character's bytes has the range of the whole character. `id` is None for a
    character without a piece. For the result of a merge, `rank` or `score` is that of the merge.
    """

    number: int
    piece: str | bytes
    id: int | None
    start: int
    end: int
    how: How = "beginning"
    parts: tuple[int, ...] = ()
    rank: int | None = None
    score: float | None = None
    kind: Kind = "piece"


@dataclass(frozen=True, slots=True)
class CandidatePair:
    """The piece that two adjacent symbols would form, with the merge's rank (lowest first) or score (highest first)."""

    id: int
    rank: int | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class BeginStep:
    """The initial symbols of a word; `left_out` holds ranges of characters that the vocabulary cannot represent."""

    symbols: tuple[MergeNode, ...]
    left_out: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class MergeStep:
    """One merge: `pairs[i]` is the result of merging `symbols[i]` and `symbols[i + 1]`, or None.

    `chosen` holds the positions of the merged pair; more than one only if all occurrences merge together. `made` holds
    the resulting nodes.
    """

    symbols: tuple[MergeNode, ...]
    pairs: tuple[CandidatePair | None, ...]
    chosen: tuple[int, ...]
    made: tuple[MergeNode, ...]

    @property
    def after(self) -> tuple[MergeNode, ...]:
        """The symbols after the merge."""
        made = dict(zip(self.chosen, self.made, strict=True))
        return tuple(made.get(at, symbol) for at, symbol in enumerate(self.symbols) if at - 1 not in made or at in made)


@dataclass(frozen=True, slots=True)
class ReplaceStep:
    """A replacement of `symbols[first:last]` after the last merge.

    `why`: an unused piece is split (`"apart"`); symbols without a piece become `"bytes"` or one `"unknown"` token.
    """

    symbols: tuple[MergeNode, ...]
    first: int
    last: int
    why: Literal["apart", "bytes", "unknown"]
    made: tuple[MergeNode, ...]

    @property
    def after(self) -> tuple[MergeNode, ...]:
        """The symbols afterwards."""
        return (*self.symbols[: self.first], *self.made, *self.symbols[self.last :])


@dataclass(frozen=True, slots=True)
class EndStep:
    """The tokens of the word; each has an id."""

    symbols: tuple[MergeNode, ...]

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens."""
        return [node.id for node in self.symbols if node.id is not None]


MergingStep = BeginStep | MergeStep | ReplaceStep | EndStep


def traced_words(model: MergingModel, pretoken: str) -> list[TracedWord]:
    """Return the parts of a pre-token that are merged separately: all of it, or its words if no merge crosses spaces.

    >>> model = RankBPE([bytes([byte]) for byte in range(256)] + [b"low"])
    >>> traced_words(model, "low"), traced_words(model, "lower")
    ([TracedWord(text='low', start=0, whole=True)], [TracedWord(text='lower', start=0, whole=False)])
    """
    if not pretoken:
        return []
    if is_whole(model, pretoken):
        return [TracedWord(pretoken, 0, whole=True)]
    if isinstance(model, ScoredBPE):
        cut = _scored_words(model, pretoken)
    elif isinstance(model, RankBPE | SubwordBPE):
        cut = [pretoken]
    else:
        cut = model.words(pretoken)
    found, start = [], 0
    for text in cut:
        found.append(TracedWord(text, start))
        start += len(text)
    return found


def is_whole(model: MergingModel, pretoken: str) -> bool:
    """Whether a pre-token is one token because it is a piece, without any merge.

    This is the rule of `tiktoken`, and of `ignore_merges` in `tokenizers`.
    """
    if isinstance(model, RankBPE):
        return model.id_of(pretoken.encode()) is not None
    if isinstance(model, ScoredBPE | SubwordBPE) or not model.ignore_merges:
        return False
    return model.id_of(pretoken.encode() if model.byte_level else pretoken) is not None


def merging_steps(model: MergingModel, word: TracedWord) -> Iterator[MergingStep]:
    """Yield the steps of a word, from `BeginStep` through each `MergeStep` to `EndStep`.

    >>> bpe = BPE(["a", "b", "c", "bc", "abc"], [(1, 2), (0, 3)], byte_level=False)
    >>> [one, two] = [step for step in merging_steps(bpe, TracedWord("abc", 0)) if isinstance(step, MergeStep)]
    >>> one.pairs, one.chosen, [node.piece for node in one.after]
    ((None, CandidatePair(id=3, rank=0, score=None)), (1,), ['a', 'bc'])
    >>> two.made[0].parts, two.made[0].id
    ((0, 3), 4)
    """
    return _Tracer(model, word).steps()


def pair_of(model: MergingModel, left: MergeNode, right: MergeNode) -> CandidatePair | None:
    """Return the result of merging two adjacent symbols, None if they do not merge."""
    if isinstance(model, BPE):
        made = None if left.id is None or right.id is None else model.merge_result(left.id, right.id)
        return None if made is None else CandidatePair(made[1], rank=made[0])
    if isinstance(model, RankBPE):
        rank = model.id_of(bytes(left.piece) + bytes(right.piece))  # type: ignore[arg-type]
        return None if rank is None else CandidatePair(rank, rank=rank)
    vocabulary = model.vocabulary
    joined = f"{left.piece}{right.piece}"  # type: ignore[str-bytes-safe]
    if "user-defined" in (left.kind, right.kind) or joined in vocabulary.user_defined:
        return None
    id = vocabulary.unused.get(joined, vocabulary.ids.get(joined))
    return None if id is None else CandidatePair(id, score=vocabulary.scores[id])


def merged(model: MergingModel, number: int, left: MergeNode, right: MergeNode, pair: CandidatePair) -> MergeNode:
    """Return the node that a merge makes."""
    piece = model.pieces[pair.id]
    unused = isinstance(model, ScoredBPE) and model.vocabulary.unused.get(str(piece)) == pair.id
    return MergeNode(
        number,
        piece,
        pair.id,
        min(left.start, right.start),
        max(left.end, right.end),
        how="merge",
        parts=(left.number, right.number),
        rank=pair.rank,
        score=pair.score,
        kind="unused" if unused else "piece",
    )


def order(pair: CandidatePair) -> float:
    """Return the sort key of a pair; the pair with the smallest key is merged first."""
    return -pair.score if pair.score is not None else pair.rank or 0


class _Tracer:
    def __init__(self, model: MergingModel, word: TracedWord) -> None:
        self.model = model
        self.word = word
        self.count = 0
        # For SentencePiece: the two parts that last formed each piece.
        self.seen: dict[int, tuple[MergeNode, MergeNode]] = {}

    def steps(self) -> Iterator[MergingStep]:
        if self.word.whole:
            yield EndStep((self._whole(),))
            return
        symbols, left_out = initial_symbols(self.model, self.word.text)
        row = tuple(self._new(symbol) for symbol in symbols)
        yield BeginStep(row, left_out)
        pairs = [self._pair(left, right) for left, right in pairwise(row)]
        while chosen := self._chosen(pairs):
            step = MergeStep(row, tuple(pairs), chosen, tuple(self._merged(row, pairs, at) for at in chosen))
            yield step
            pairs = self._pairs_after(step)
            row = step.after
        if isinstance(self.model, ScoredBPE):
            for replaced in self._replacements(self.model, row):
                yield replaced
                row = replaced.after
        yield EndStep(row)

    # --- nodes

    def _new(self, symbol: InitialSymbol) -> MergeNode:
        self.count += 1
        return MergeNode(self.count - 1, symbol.piece, symbol.id, symbol.start, symbol.end, kind=symbol.kind)

    def _made(self, how: How, parts: Sequence[MergeNode], node: MergeNode) -> MergeNode:
        self.count += 1
        return replace(node, number=self.count - 1, how=how, parts=tuple(part.number for part in parts))

    def _whole(self) -> MergeNode:
        text = self.word.text
        piece = text if isinstance(self.model, BPE) and not self.model.byte_level else text.encode()
        rank = None
        if isinstance(self.model, RankBPE):
            rank = self.model.id_of(piece)
        return MergeNode(0, piece, self.model.id_of(piece), 0, len(text), how="whole", rank=rank)

    # --- merging

    def _pair(self, left: MergeNode, right: MergeNode) -> CandidatePair | None:
        pair = pair_of(self.model, left, right)
        if pair is not None and pair.score is not None:
            self.seen[pair.id] = left, right
        return pair

    def _chosen(self, pairs: Sequence[CandidatePair | None]) -> tuple[int, ...]:
        best = min((order(pair) for pair in pairs if pair is not None), default=None)
        places = [at for at, pair in enumerate(pairs) if pair is not None and order(pair) == best]
        if not isinstance(self.model, SubwordBPE):
            return tuple(places[:1])
        apart: list[int] = []
        for at in places:
            if not apart or at > apart[-1] + 1:
                apart.append(at)
        return tuple(apart)

    def _merged(self, row: Sequence[MergeNode], pairs: Sequence[CandidatePair | None], at: int) -> MergeNode:
        pair = pairs[at]
        assert pair is not None
        self.count += 1
        return merged(self.model, self.count - 1, row[at], row[at + 1], pair)

    def _pairs_after(self, step: MergeStep) -> list[CandidatePair | None]:
        """Return the pairs of the row after a merge; pairs without a new symbol are reused."""
        row = step.after
        new = {node.number for node in step.made}
        old = {
            (left.number, right.number): pair
            for (left, right), pair in zip(pairwise(step.symbols), step.pairs, strict=True)
        }
        return [
            self._pair(left, right) if left.number in new or right.number in new else old[left.number, right.number]
            for left, right in pairwise(row)
        ]

    # --- SentencePiece's replacements after the last merge

    def _replacements(self, model: ScoredBPE, row: tuple[MergeNode, ...]) -> Iterator[ReplaceStep]:
        depth = {node.number: 0 for node in row}
        at = 0
        while at < len(row):
            node = row[at]
            if node.kind != "unused" or node.id not in self.seen or depth[node.number] > MOST_LEVELS:
                at += 1
                continue
            made = self._parts_of(node)
            depth |= {part.number: depth[node.number] + 1 for part in made}
            taken = ReplaceStep(row, at, at + 1, "apart", made)
            yield taken
            row = taken.after
        yield from self._fallbacks(model, row)

    def _parts_of(self, node: MergeNode) -> tuple[MergeNode, MergeNode]:
        """Return the parts that last formed this node's piece, anywhere, moved to this node's position."""
        assert node.id is not None
        left, right = self.seen[node.id]
        middle = node.start + len(left.piece)
        return (
            self._made("apart", (node,), replace(left, start=node.start, end=middle)),
            self._made("apart", (node,), replace(right, start=middle, end=node.end)),
        )

    def _fallbacks(self, model: ScoredBPE, row: tuple[MergeNode, ...]) -> Iterator[ReplaceStep]:
        vocabulary = model.vocabulary
        at = 0
        for none, run in [(none, list(run)) for none, run in groupby(row, key=_has_no_piece)]:
            if not none:
                at += len(run)
            elif vocabulary.byte_ids is None:
                start, end = run[0].start, run[-1].end
                unknown = MergeNode(0, self.word.text[start:end], vocabulary.unknown_id, start, end, kind="unknown")
                step = ReplaceStep(row, at, at + len(run), "unknown", (self._made("unknown", run, unknown),))
                yield step
                row = step.after
                at += 1
            else:
                for node in run:
                    step = ReplaceStep(row, at, at + 1, "bytes", self._bytes_of(node, vocabulary.byte_ids))
                    yield step
                    row = step.after
                    at += len(step.made)

    def _bytes_of(self, node: MergeNode, byte_ids: Sequence[int]) -> tuple[MergeNode, ...]:
        return tuple(
            self._made(
                "byte",
                (node,),
                MergeNode(0, self.model.pieces[byte_ids[byte]], byte_ids[byte], at, at + 1, kind="byte"),
            )
            for at in range(node.start, node.end)
            for byte in self.word.text[at].encode()
        )


def _has_no_piece(node: MergeNode) -> bool:
    return node.id is None or node.kind == "unused"


def _scored_words(model: ScoredBPE, text: str) -> list[str]:
    if model.vocabulary.unused:
        return [text]  # how an unused piece is split depends on the whole text
    cut = model.vocabulary.words(text)
    apart = sum(len(model.ids(word)) for word in cut)
    return cut if apart == len(model.ids(text)) else [text]  # else an unknown token spans several words
