"""Trace of byte-pair encoding: for each merge, the symbols, the candidate pairs, the chosen pair and the result.

Covers every BPE model of this site: by rank of merges (Sennrich et al. 2016), by rank of pieces (`tiktoken`), by rank
with all occurrences of a pair at once (subword-nmt), and by score (SentencePiece). The trace is simple rather than
fast; the tests verify that it ends with the model's ids.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count, groupby, pairwise
from typing import Literal

from webapp.core.models.bpe import BPE, SubwordBPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import symbols_of
from webapp.core.models.sentencepiece_models import MOST_LEVELS, ScoredBPE

MergingModel = BPE | RankBPE | ScoredBPE

Kind = Literal["piece", "byte", "unknown", "suffix", "uncovered", "unused", "user-defined"]
"""The kind of a symbol.

`byte`: a byte of a character without a piece. `suffix`: the end-of-word mark as a symbol of its own. `uncovered`: a
character without a piece, which merges into longer pieces or falls back at the end. `unused`, `user-defined`:
SentencePiece's piece types.
"""

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

    @property
    def order(self) -> float:
        """The sort key: the pair with the smallest is merged first."""
        return -self.score if self.score is not None else self.rank or 0


Row = tuple[MergeNode, ...]


@dataclass(frozen=True, slots=True)
class BeginStep:
    """The initial symbols of a word; `left_out` holds ranges of characters that the vocabulary cannot represent."""

    symbols: Row
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
    whole = isinstance(model, RankBPE) or (isinstance(model, BPE) and model.ignore_merges)
    piece = pretoken if isinstance(model, BPE) and not model.byte_level else pretoken.encode()
    if whole and not isinstance(model, SubwordBPE) and model.id_of(piece) is not None:
        return [TracedWord(pretoken, 0, whole=True)]  # the rule of `tiktoken`, and of `ignore_merges` in `tokenizers`
    if isinstance(model, ScoredBPE):
        cut = _scored_words(model, pretoken)
    elif isinstance(model, RankBPE | SubwordBPE):
        cut = [pretoken]
    else:
        cut = model.words(pretoken)
    starts = accumulate(map(len, cut), initial=0)
    return [TracedWord(text, start) for text, start in zip(cut, starts, strict=False)]


def merging_steps(model: MergingModel, word: TracedWord) -> Iterator[MergingStep]:
    """Yield the steps of a word, from `BeginStep` through each `MergeStep` to `EndStep`.

    >>> bpe = BPE(["a", "b", "c", "bc", "abc"], [(1, 2), (0, 3)], byte_level=False)
    >>> [one, two] = [step for step in merging_steps(bpe, TracedWord("abc", 0)) if isinstance(step, MergeStep)]
    >>> one.pairs, one.chosen, [node.piece for node in one.after]
    ((None, CandidatePair(id=3, rank=0, score=None)), (1,), ['a', 'bc'])
    >>> two.made[0].parts, two.made[0].id
    ((0, 3), 4)
    """
    text = word.text
    if word.whole:
        piece = text if isinstance(model, BPE) and not model.byte_level else text.encode()
        id = model.id_of(piece)
        yield EndStep(
            (MergeNode(0, piece, id, 0, len(text), "whole", rank=id if isinstance(model, RankBPE) else None),)
        )
        return
    row, left_out = initial_symbols(model, text)
    yield BeginStep(row, left_out)
    nodes = len(row)
    seen: dict[int, tuple[MergeNode, MergeNode]] = {}
    for merge in merge_steps(model, row, seen):
        yield merge
        row = merge.after
        nodes += len(merge.made)
    if isinstance(model, ScoredBPE):
        for step in _Replacements(model, text, seen, nodes).steps(row):
            yield step
            row = step.after
    yield EndStep(row)


def initial_symbols(model: MergingModel, word: str, *, ends: bool = True) -> tuple[Row, tuple[tuple[int, int], ...]]:
    """Return the symbols that merging begins with, and the ranges of characters that are dropped for lack of one.

    They equal those of `webapp.core.models.merge_loop` and of the models, with the range of characters of each symbol.
    The last byte has the suffix of a byte-level model if the word `ends` there.

    >>> bpe = BPE(["<unk>", "l", "o", "</w>"], [], byte_level=False, unknown="<unk>", end_of_word_suffix="</w>")
    >>> [(symbol.piece, symbol.id, symbol.kind) for symbol in initial_symbols(bpe, "lö")[0]]
    [('l', 1, 'piece'), ('ö', 0, 'unknown'), ('</w>', 3, 'suffix')]
    """
    symbols: list[MergeNode] = []
    left_out: list[tuple[int, int]] = []

    def add(piece: str | bytes, id: int | None, start: int, end: int, kind: Kind = "piece") -> None:
        symbols.append(MergeNode(len(symbols), piece, id, start, end, kind=kind))

    if isinstance(model, ScoredBPE):
        vocabulary, end = model.vocabulary, 0
        for text in symbols_of(vocabulary)(word):
            start, end = end, end + len(text)
            known = vocabulary.ids.get(text)
            if text in vocabulary.user_defined:
                add(text, known, start, end, "user-defined")
            elif text in vocabulary.unused:
                add(text, vocabulary.unused[text], start, end, "unused")
            else:
                add(text, known, start, end, "uncovered" if known is None else "piece")
        return tuple(symbols), ()
    if isinstance(model, RankBPE) or model.byte_level:
        for at, character in enumerate(word):
            for byte in character.encode():
                if (id := model.id_of(bytes([byte]))) is not None:
                    add(bytes([byte]), id, at, at + 1)
                elif (at, at + 1) not in left_out[-1:]:
                    left_out.append((at, at + 1))
        if symbols and ends and model.byte_suffix:
            last = symbols.pop()
            piece = bytes(last.piece) + model.byte_suffix  # type: ignore[arg-type]
            add(piece, model.id_of(piece), last.start, last.end)
        return tuple(symbols), tuple(left_out)
    waiting: list[int] = []  # positions of unknown characters that have no symbol yet

    def add_unknown() -> None:
        if waiting:
            add("".join(word[at] for at in waiting), model.unknown_id, waiting[0], waiting[-1] + 1, "unknown")
            waiting.clear()

    for at, symbol in enumerate(model.affixed.spelled(word)):
        id = model.id_of(symbol)
        if id is None and model.byte_fallback and (fallback := model.affixed.bytes_of(symbol)):
            for byte in fallback:
                add(model.pieces[byte], byte, at, at + 1, "byte")
            continue
        if id is not None or not model.fuse_unknown:
            add_unknown()
        if id is not None:
            add(symbol, id, at, at + 1)
        elif model.unknown_id is not None:
            waiting.append(at)
        else:
            left_out.append((at, at + 1))
    add_unknown()
    if model.suffix_id is not None and model.end_of_word_suffix and word:
        add(model.end_of_word_suffix, model.suffix_id, len(word), len(word), "suffix")
    return tuple(symbols), tuple(left_out)


def merge_steps(
    model: MergingModel, row: Row, seen: dict[int, tuple[MergeNode, MergeNode]] | None = None
) -> Iterator[MergeStep]:
    """Yield the merges of a row of symbols, which are numbered from 0; `seen` keeps the last pair for each piece."""
    known: dict[tuple[int, int], CandidatePair | None] = {}
    numbers = count(len(row))
    while True:
        pairs: list[CandidatePair | None] = []
        for left, right in pairwise(row):
            key = left.number, right.number
            if key not in known:
                known[key] = pair = _pair_of(model, left, right)
                if pair is not None and seen is not None:
                    seen[pair.id] = left, right
            pairs.append(known[key])
        best = min((pair.order for pair in pairs if pair is not None), default=None)
        if best is None:
            return
        chosen: list[int] = []
        for at, pair in enumerate(pairs):
            if pair is not None and pair.order == best and (not chosen or at > chosen[-1] + 1):
                chosen.append(at)
        if not isinstance(model, SubwordBPE):
            del chosen[1:]
        made = tuple(_merged(model, next(numbers), row[at], row[at + 1], pair) for at in chosen if (pair := pairs[at]))
        step = MergeStep(row, tuple(pairs), tuple(chosen), made)
        yield step
        row = step.after


def _pair_of(model: MergingModel, left: MergeNode, right: MergeNode) -> CandidatePair | None:
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


def _merged(model: MergingModel, number: int, left: MergeNode, right: MergeNode, pair: CandidatePair) -> MergeNode:
    """Return the node that a merge makes."""
    piece = model.pieces[pair.id]
    unused = isinstance(model, ScoredBPE) and model.vocabulary.unused.get(str(piece)) == pair.id
    start, end = min(left.start, right.start), max(left.end, right.end)
    parts = left.number, right.number
    kind: Kind = "unused" if unused else "piece"
    return MergeNode(number, piece, pair.id, start, end, "merge", parts, pair.rank, pair.score, kind)


class _Replacements:
    """SentencePiece's replacements after the last merge; nodes are numbered from `number`."""

    def __init__(self, model: ScoredBPE, word: str, seen: dict[int, tuple[MergeNode, MergeNode]], number: int) -> None:
        self.model = model
        self.word = word
        self.seen = seen
        self.numbers = count(number)

    def steps(self, row: Row) -> Iterator[ReplaceStep]:
        depth = {node.number: 0 for node in row}
        at = 0
        while at < len(row):
            node = row[at]
            if node.kind != "unused" or node.id not in self.seen or depth[node.number] > MOST_LEVELS:
                at += 1
                continue
            # The parts that last formed this piece, anywhere, moved to its position.
            left, right = self.seen[node.id]
            middle = node.start + len(left.piece)
            made = (
                self._made("apart", (node,), replace(left, start=node.start, end=middle)),
                self._made("apart", (node,), replace(right, start=middle, end=node.end)),
            )
            depth |= {part.number: depth[node.number] + 1 for part in made}
            step = ReplaceStep(row, at, at + 1, "apart", made)
            yield step
            row = step.after
        yield from self._fallbacks(row)

    def _made(self, how: How, parts: Sequence[MergeNode], node: MergeNode) -> MergeNode:
        return replace(node, number=next(self.numbers), how=how, parts=tuple(part.number for part in parts))

    def _fallbacks(self, row: Row) -> Iterator[ReplaceStep]:
        vocabulary = self.model.vocabulary
        at = 0
        for none, group in groupby(row, key=lambda node: node.id is None or node.kind == "unused"):
            run = list(group)
            if not none:
                at += len(run)
            elif vocabulary.byte_ids is None:
                start, end = run[0].start, run[-1].end
                unknown = MergeNode(0, self.word[start:end], vocabulary.unknown_id, start, end, kind="unknown")
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

    def _bytes_of(self, node: MergeNode, byte_ids: Sequence[int]) -> Row:
        pieces = self.model.pieces
        return tuple(
            self._made("byte", (node,), MergeNode(0, pieces[byte_ids[byte]], byte_ids[byte], at, at + 1, kind="byte"))
            for at in range(node.start, node.end)
            for byte in self.word[at].encode()
        )


def _scored_words(model: ScoredBPE, text: str) -> list[str]:
    if model.vocabulary.unused:
        return [text]  # how an unused piece is split depends on the whole text
    cut = model.vocabulary.words(text)
    apart = sum(len(model.ids(word)) for word in cut)
    return cut if apart == len(model.ids(text)) else [text]  # else an unknown token spans several words
