"""The pre-tokens of a text as the page shows them."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from webapp.core.analysis.pretoken_view import PretokenStage, PretokenView, ShownPretoken, SplitDifference
from webapp.rendering.markup import visible

CELLS_SHOWN = 1_500
EARLIER_CELLS_SHOWN = 300  # of stages before the last one
DIFFERENCES_SHOWN = 60
EXAMPLES_SHOWN = 4
LONGEST_SHOWN = 5  # pre-tokens with the most tokens
PARTS_SHOWN = 12  # of a span that is split differently
CONTEXT = 12  # characters before and after such a span
PIECE_SHOWN = 60  # characters
NORMALIZED_SHOWN = 2_000  # characters
COLOURS = 6


@dataclass(frozen=True)
class Alternative:
    """An alternative of a pattern: its number from 1, its source, and what it matched."""

    number: int
    source: str
    count: int
    examples: Sequence[str]


@dataclass(frozen=True)
class Figures:
    """Counts of a pre-tokenization; `whole` is the number of pre-tokens that are one token."""

    pretokens: int
    tokens: int
    whole: int
    longest: Sequence[tuple[str, int]]  # pre-tokens with the most tokens


@dataclass(frozen=True)
class PretokenSection:
    """A step of the pre-tokenizer; the pattern of `numbering`, itself or an earlier step, numbers its pre-tokens."""

    view: PretokenView
    stage: PretokenStage
    numbering: PretokenStage
    under: str  # what is under each pre-token: "alternative" or "tokens"
    most: int  # pre-tokens to show

    @property
    def title(self) -> str:
        """The name of the step; empty for a vocabulary without a pre-tokenizer."""
        return self.stage.component

    @property
    def more(self) -> int:
        """How many pre-tokens are not shown."""
        return max(0, len(self.stage.pretokens) - self.most)

    @property
    def cells(self) -> Iterator[tuple[str, str | None, str, bool]]:
        """Pre-tokens, added tokens and dropped text: CSS classes, what is under it, text, whether a line ends in it.

        Nothing is under dropped text, which is in no pre-token.
        """
        place, text = 0, self.view.normalized
        for pretoken, number in zip(self.stage.pretokens[: self.most], self._numbers, strict=False):
            if place < pretoken.start:
                yield _cell("dropped", None, text[place : pretoken.start])
            yield _cell(self._kind(pretoken, number), self._under(pretoken, number), pretoken.text)
            place = max(place, pretoken.end)
        if not self.more and place < len(text):
            yield _cell("dropped", None, text[place:])

    @property
    def alternatives(self) -> list[Alternative]:
        """The alternatives of the pattern; none for a step without one."""
        sources = self.numbering.pattern.alternatives if self.numbering.pattern else ()
        counts = [0] * len(sources)
        examples: list[dict[str, None]] = [{} for _ in sources]
        for pretoken, number in zip(self.stage.pretokens, self._numbers, strict=True):
            if number is not None:
                counts[number] += 1
                if len(examples[number]) < EXAMPLES_SHOWN:
                    examples[number][short(pretoken.text)] = None
        return [Alternative(at + 1, source, counts[at], list(examples[at])) for at, source in enumerate(sources)]

    @property
    def between(self) -> int:
        """How many pre-tokens no alternative matched."""
        pairs = zip(self.stage.pretokens, self._numbers, strict=True)
        return sum(number is None and not pretoken.added for pretoken, number in pairs)

    @cached_property
    def _numbers(self) -> list[int | None]:
        """The alternative that matched each pre-token, or the pre-token of an earlier stage that it is a part of."""
        if self.numbering is self.stage:
            return [pretoken.alternative for pretoken in self.stage.pretokens]
        starts = [pretoken.start for pretoken in self.numbering.pretokens]
        found = []
        for pretoken in self.stage.pretokens:
            at = bisect_right(starts, pretoken.start) - 1
            found.append(None if pretoken.added or at < 0 else self.numbering.pretokens[at].alternative)
        return found

    def _kind(self, pretoken: ShownPretoken, number: int | None) -> str:
        if pretoken.added:
            return "added"
        if self.numbering.pattern is None:
            return "plain"
        return "gap" if number is None else f"match k{1 + number % COLOURS}"

    def _under(self, pretoken: ShownPretoken, number: int | None) -> str:
        """Its alternative, or the number of its tokens, also where there is no pattern."""
        if self.under == "alternative" and self.numbering.pattern is not None:
            return "" if number is None else str(number + 1)
        return "" if pretoken.tokens is None else str(pretoken.tokens)


@dataclass(frozen=True)
class Pretokens:
    """The pre-tokens of a text with a vocabulary, and with an own pattern: where the two split differently."""

    text: str
    usual: PretokenView
    own: PretokenView | None
    differences: Sequence[SplitDifference]
    under: str
    is_whole: bool  # whether `text` is all of the given text

    @property
    def normalized(self) -> str:
        """The normalized text; empty if the normalizer changes nothing."""
        normalized = self.usual.normalized
        return "" if normalized == self.text else visible(normalized[:NORMALIZED_SHOWN], show=True)

    @property
    def earlier(self) -> list[PretokenSection]:
        """The steps before the last one."""
        return [
            PretokenSection(self.usual, stage, stage, self.under, EARLIER_CELLS_SHOWN)
            for stage in self.usual.stages[:-1]
        ]

    @cached_property
    def last(self) -> PretokenSection:
        """The last step, numbered by the last pattern."""
        stages = self.usual.stages
        with_pattern = next((stage for stage in reversed(stages) if stage.pattern), stages[-1])
        return PretokenSection(self.usual, stages[-1], with_pattern, self.under, CELLS_SHOWN)

    @property
    def own_section(self) -> PretokenSection | None:
        """The pre-tokens of the own pattern; None without one."""
        if self.own is None:
            return None
        return PretokenSection(self.own, self.own.stages[-1], self.own.stages[-1], self.under, CELLS_SHOWN)

    @cached_property
    def figures(self) -> Figures:
        """The counts with the vocabulary's pattern."""
        return _figures(self.usual)

    @property
    def own_figures(self) -> Figures | None:
        """The counts with the own pattern; None without one."""
        return None if self.own is None else _figures(self.own)

    @property
    def rows(self) -> Iterator[tuple[int, str, list[str], list[str], str]]:
        """The first differences: offset, the text before, both splits, and the text after."""
        text = self.usual.normalized
        for each in self.differences[:DIFFERENCES_SHOWN]:
            before, after = text[max(0, each.start - CONTEXT) : each.start], text[each.end : each.end + CONTEXT]
            yield each.start, short(before), _parts(each.first), _parts(each.second), short(after)


def short(text: str) -> str:
    """The beginning of a pre-token, with symbols for spaces."""
    shown = visible(text[:PIECE_SHOWN], show=True).replace("\n", "").replace("\t", "")
    return f"{shown}…" if len(text) > PIECE_SHOWN else shown


def _cell(kind: str, under: str | None, text: str) -> tuple[str, str | None, str, bool]:
    return kind, under, short(text), "\n" in text


def _figures(view: PretokenView) -> Figures:
    counts = {pretoken.text: pretoken.tokens or 0 for pretoken in view.pretokens if not pretoken.added}
    most = sorted((text for text, count in counts.items() if count > 1), key=lambda text: -counts[text])
    return Figures(
        len(view.pretokens),
        sum(pretoken.tokens or 0 for pretoken in view.pretokens),
        sum(pretoken.tokens == 1 for pretoken in view.pretokens),
        [(short(text), counts[text]) for text in most[:LONGEST_SHOWN]],
    )


def _parts(parts: Sequence[str]) -> list[str]:
    return [*map(short, parts[:PARTS_SHOWN]), *(["…"] if len(parts) > PARTS_SHOWN else [])]
