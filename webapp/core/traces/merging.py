"""Trace of byte-pair encoding: for each merge, the symbols, the candidate pairs, the chosen pair and the result.

Covers every BPE model of this site: by rank of merges (Sennrich et al. 2016), by rank of pieces (`tiktoken`), by rank
with all occurrences of a pair at once (subword-nmt), and by score (SentencePiece). The trace is simple rather than
fast; the tests verify that it ends with the model's ids.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, count, groupby, pairwise

from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import symbols_of
from webapp.core.models.sentencepiece_models import MOST_LEVELS, ScoredBPE
from webapp.core.traces.merge_records import (
    BeginStep,
    CandidatePair,
    EndStep,
    How,
    Kind,
    LeftOut,
    MergeNode,
    MergeStep,
    MergingStep,
    ReplaceStep,
    Row,
    Seen,
    TracedWord,
)

MergingModel = BPE | RankBPE | ScoredBPE


def traced_words(model: MergingModel, pretoken: str) -> list[TracedWord]:
    """Return the parts of a pre-token that are merged separately: all of it, or its words if no merge crosses spaces.

    >>> model = RankBPE([bytes([byte]) for byte in range(256)] + [b"low"])
    >>> traced_words(model, "low"), traced_words(model, "lower")
    ([TracedWord(text='low', start=0, whole=True)], [TracedWord(text='lower', start=0, whole=False)])
    """
    if not pretoken:
        return []
    if model.whole_id(pretoken) is not None:
        return [TracedWord(pretoken, 0, whole=True)]
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
    if word.whole and (id := model.whole_id(text)) is not None:
        piece = model.pieces[id]
        yield EndStep(
            (MergeNode(0, piece, id, 0, len(text), "whole", rank=id if model.merge_rule == "rank" else None),)
        )
        return
    row, left_out = initial_symbols(model, text)
    yield BeginStep(row, left_out)
    nodes = len(row)
    seen: Seen = {}
    for merge in merge_steps(model, row, seen):
        yield merge
        row = merge.after
        nodes += len(merge.made)
    for step in _rules_of(model).replacements(text, row, seen, nodes):
        yield step
        row = step.after
    yield EndStep(row)


def initial_symbols(model: MergingModel, word: str, *, ends: bool = True) -> tuple[Row, LeftOut]:
    """Return the symbols that merging begins with, and the ranges of characters that are dropped for lack of one.

    They equal those of `webapp.core.models.merge_loop` and of the models, with the range of characters of each symbol.
    The last byte has the suffix of a byte-level model if the word `ends` there.

    >>> bpe = BPE(["<unk>", "l", "o", "</w>"], [], byte_level=False, unknown="<unk>", end_of_word_suffix="</w>")
    >>> [(symbol.piece, symbol.id, symbol.kind) for symbol in initial_symbols(bpe, "lö")[0]]
    [('l', 1, 'piece'), ('ö', 0, 'unknown'), ('</w>', 3, 'suffix')]
    """
    row, left_out = _rules_of(model).beginning(word)
    if row and ends and isinstance(model, BPE) and model.byte_suffix:
        piece = bytes(row[-1].piece) + model.byte_suffix  # type: ignore[arg-type]
        row = (*row[:-1], replace(row[-1], piece=piece, id=model.id_of(piece)))
    return row, left_out


def merge_steps(model: MergingModel, row: Row, seen: Seen | None = None) -> Iterator[MergeStep]:
    """Yield the merges of a row of symbols, which are numbered from 0; `seen` keeps the last pair for each piece."""
    rules = _rules_of(model)
    known: dict[tuple[int, int], CandidatePair | None] = {}
    numbers = count(len(row))
    while True:
        pairs: list[CandidatePair | None] = []
        for left, right in pairwise(row):
            key = left.number, right.number
            if key not in known:
                known[key] = pair = rules.pair(left, right)
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
        if model.merge_rule != "together":
            del chosen[1:]
        made = tuple(
            MergeNode(
                next(numbers),
                model.pieces[pair.id],
                pair.id,
                min(row[at].start, row[at + 1].start),
                max(row[at].end, row[at + 1].end),
                "merge",
                (row[at].number, row[at + 1].number),
                pair.rank,
                pair.score,
                rules.kind(pair.id),
            )
            for at in chosen
            if (pair := pairs[at])
        )
        step = MergeStep(row, tuple(pairs), tuple(chosen), made)
        yield step
        row = step.after


class _Ranked:
    """BPE by rank, of merges or of pieces."""

    def __init__(self, model: BPE | RankBPE) -> None:
        self.model = model

    def beginning(self, word: str) -> tuple[Row, LeftOut]:
        """The bytes of a word."""
        symbols: list[MergeNode] = []
        left_out: list[tuple[int, int]] = []
        for at, character in enumerate(word):
            for byte in character.encode():
                if (id := self.model.id_of(bytes([byte]))) is not None:
                    symbols.append(MergeNode(len(symbols), bytes([byte]), id, at, at + 1))
                elif (at, at + 1) not in left_out[-1:]:
                    left_out.append((at, at + 1))
        return tuple(symbols), tuple(left_out)

    def pair(self, left: MergeNode, right: MergeNode) -> CandidatePair | None:
        """What two adjacent symbols merge to; None if they do not merge."""
        made = None if left.id is None or right.id is None else self.model.merge_result(left.id, right.id)
        return None if made is None else CandidatePair(made[1], rank=made[0])

    def kind(self, id: int) -> Kind:
        """The kind of a symbol that a merge makes."""
        return "piece"

    def replacements(self, word: str, row: Row, seen: Seen, number: int) -> Iterator[ReplaceStep]:
        """What happens after the last merge; nodes are numbered from `number`."""
        return iter(())


class _RankedCharacters(_Ranked):
    """BPE by rank over characters."""

    model: BPE

    def beginning(self, word: str) -> tuple[Row, LeftOut]:
        """The characters of a word, with prefix and suffix; for one without a piece its bytes, or an unknown symbol."""
        model = self.model
        symbols: list[MergeNode] = []
        left_out: list[tuple[int, int]] = []

        def add(piece: str | bytes, id: int | None, start: int, end: int, kind: Kind = "piece") -> None:
            symbols.append(MergeNode(len(symbols), piece, id, start, end, kind=kind))

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


class _Scored:
    """SentencePiece's BPE, by score."""

    def __init__(self, model: ScoredBPE) -> None:
        self.model = model

    def beginning(self, word: str) -> tuple[Row, LeftOut]:
        """The characters and the user-defined pieces of a word."""
        vocabulary = self.model.vocabulary
        symbols: list[MergeNode] = []
        end = 0
        for at, text in enumerate(symbols_of(vocabulary)(word)):
            start, end = end, end + len(text)
            id = vocabulary.unused.get(text, vocabulary.ids.get(text))
            kind: Kind = "uncovered" if id is None else self.kind(id)
            if text in vocabulary.user_defined:
                id, kind = vocabulary.ids.get(text), "user-defined"
            symbols.append(MergeNode(at, text, id, start, end, kind=kind))
        return tuple(symbols), ()

    def pair(self, left: MergeNode, right: MergeNode) -> CandidatePair | None:
        """What two adjacent symbols merge to; None if they do not merge."""
        vocabulary = self.model.vocabulary
        joined = f"{left.piece}{right.piece}"  # type: ignore[str-bytes-safe]
        if "user-defined" in (left.kind, right.kind) or joined in vocabulary.user_defined:
            return None
        id = vocabulary.unused.get(joined, vocabulary.ids.get(joined))
        return None if id is None else CandidatePair(id, score=vocabulary.scores[id])

    def kind(self, id: int) -> Kind:
        """The kind of a symbol that a merge makes."""
        return "unused" if self.model.vocabulary.unused.get(str(self.model.pieces[id])) == id else "piece"

    def replacements(self, word: str, row: Row, seen: Seen, number: int) -> Iterator[ReplaceStep]:
        """Unused pieces apart, and symbols without a piece as bytes or unknown; nodes are numbered from `number`."""
        return _Replacements(self.model, word, seen, number).steps(row)


def _rules_of(model: MergingModel) -> _Ranked | _Scored:
    if isinstance(model, ScoredBPE):
        return _Scored(model)
    return _RankedCharacters(model) if isinstance(model, BPE) and not model.byte_level else _Ranked(model)


class _Replacements:
    """SentencePiece's replacements after the last merge; nodes are numbered from `number`."""

    def __init__(self, model: ScoredBPE, word: str, seen: Seen, number: int) -> None:
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
