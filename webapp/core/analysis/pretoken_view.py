"""How a text becomes pre-tokens, stage by stage, and how many tokens each of them becomes.

For a stage with a split pattern, each pre-token has the alternative of the pattern that matched it. A pattern of
one's own can take the place of the pre-tokenizer, to compare where the two split differently.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from webapp.core.added_tokens import AddedToken
from webapp.core.analysis.pattern_alternatives import PatternAlternatives
from webapp.core.analysis.pipeline_summary import step_name
from webapp.core.models import Model
from webapp.core.text import pretokenizers
from webapp.core.text.alignment import AlignedText
from webapp.core.text.character_pretokenizers import ByteLevelCharacters
from webapp.core.text.pattern_matching import TimeBudget
from webapp.core.text.pretokenizers import ByteLevel, PreTokenizer, Split
from webapp.core.text.split_patterns import Behavior
from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class ShownPretoken:
    """A pre-token: its text as the next stage reads it, and its range in the normalized and in the original text.

    `alternative` is the one of the stage's pattern that matched, counted from 0; None for text between matches, and
    for stages without a pattern. `tokens` is how many tokens the model makes of it; None before the last stage.
    """

    text: str
    start: int
    end: int
    original_start: int
    original_end: int
    alternative: int | None = None
    tokens: int | None = None
    added: AddedToken | None = None


@dataclass(frozen=True)
class PretokenStage:
    """A step of the pre-tokenizer and its pre-tokens; `pattern` is None for a step without a split pattern."""

    component: str
    pattern: PatternAlternatives | None
    behavior: Behavior | None
    inverted: bool
    pretokens: Sequence[ShownPretoken]

    def counts(self) -> list[int]:
        """How many pre-tokens each alternative matched."""
        counts = [0] * (len(self.pattern.alternatives) if self.pattern else 0)
        for pretoken in self.pretokens:
            if pretoken.alternative is not None:
                counts[pretoken.alternative] += 1
        return counts


@dataclass(frozen=True)
class PretokenView:
    """A normalized text and the stages of its pre-tokenization; without a pre-tokenizer, one stage of whole spans."""

    text: str
    normalized: str
    stages: Sequence[PretokenStage]

    @property
    def pretokens(self) -> Sequence[ShownPretoken]:
        """The pre-tokens that the model reads, and the added tokens between them."""
        return self.stages[-1].pretokens


@dataclass(frozen=True)
class SplitDifference:
    """A span of the normalized text that two pre-tokenizers split differently, and its parts with each."""

    start: int
    end: int
    first: tuple[str, ...]
    second: tuple[str, ...]


def pretoken_view(tokenizer: Tokenizer, text: str, *, special: bool = False, own: str | None = None) -> PretokenView:
    """Return the pre-tokens of a text; `own` is a split pattern that takes the place of the pre-tokenizer.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import BYTE_BPE, WORDPIECE
    >>> tokenizer = BYTE_BPE.tokenizer(WordPiece(["[UNK]", "low"]))
    >>> [(each.text, each.alternative) for each in pretoken_view(tokenizer, "low 12").pretokens]
    [('low', 7), (' 12', 8)]
    >>> [(each.text, each.alternative) for each in pretoken_view(tokenizer, "low 12", own=r"\\w|\\s").pretokens]
    [('l', 0), ('o', 0), ('w', 0), (' ', 1), ('1', 0), ('2', 0)]

    `own` must be a `checked_pattern`. Raises PatternTimeoutError for a pattern that times out on the text.
    """
    pieces, normalized = _spans(tokenizer, text, special)
    ends = [end for piece, _, end_of in pieces for end in end_of]
    own_budget = TimeBudget(3)  # for the pre-tokens, for the matches and for their alternatives
    steps: list[PreTokenizer] = (
        [Split(own, budget=own_budget)] if own is not None else pretokenizers.steps_of(tokenizer.pretokenizer)
    )
    cut: list[tuple[AlignedText, AddedToken | None, int | None]] = [(piece, token, None) for piece, token, _ in pieces]
    stages = []
    for step in steps:
        pattern = _pattern(step)
        alternatives = None
        if pattern is not None:
            alternatives = PatternAlternatives(pattern) if own is None else PatternAlternatives(pattern, own_budget)
        following: list[tuple[AlignedText, AddedToken | None, int | None]] = []
        for piece, token, _ in cut:
            if token is not None:
                following.append((piece, token, None))
            else:
                following += [(pretoken, None, number) for pretoken, number in _cut(step, alternatives, piece)]
        cut = following
        behavior, inverted = (step.behavior, step.invert) if isinstance(step, Split) else (None, False)
        stages.append(PretokenStage(step_name(step), alternatives, behavior, inverted, _shown(cut, ends)))
    if not stages:
        stages.append(PretokenStage("", None, None, False, _shown(cut, ends)))
    stages[-1] = replace(stages[-1], pretokens=_shown(cut, ends, tokenizer.model))
    return PretokenView(text, normalized, stages)


def last_pattern(tokenizer: Tokenizer) -> str | None:
    """The split pattern of the last step of the pre-tokenizer that has one; None if none has.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import UNIGRAM, WORDPIECE
    >>> model = WordPiece(["[UNK]"])
    >>> last_pattern(UNIGRAM.tokenizer(model))[:10], last_pattern(WORDPIECE.tokenizer(model))
    ('▁?\\\\p{N}+|▁', None)
    """
    patterns = [_pattern(step) for step in pretokenizers.steps_of(tokenizer.pretokenizer)]
    return next((pattern for pattern in reversed(patterns) if pattern is not None), None)


def differences(first: PretokenView, second: PretokenView) -> list[SplitDifference]:
    """The spans of one normalized text that two views split differently, as short as possible.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import BYTE_BPE
    >>> tokenizer = BYTE_BPE.tokenizer(WordPiece(["[UNK]"]))
    >>> usual, own = pretoken_view(tokenizer, "a 1234"), pretoken_view(tokenizer, "a 1234", own=r"\\d{1,3}| ?\\w+?")
    >>> [(each.start, each.first, each.second) for each in differences(usual, own)]
    [(1, (' 1234',), (' 1', '234'))]
    """
    text = first.normalized
    (one, kept), (other, also_kept) = _boundaries(first), _boundaries(second)
    found = []
    at = also_at = 0
    for start, end in pairwise(sorted(set(one).intersection(other))):
        until, also_until = one.index(end, at), other.index(end, also_at)
        mine = _parts(text, one[at : until + 1], kept)
        others = _parts(text, other[also_at : also_until + 1], also_kept)
        if mine != others:
            found.append(SplitDifference(start, end, mine, others))
        at, also_at = until, also_until
    return found


def _parts(text: str, places: Sequence[int], kept: set[int]) -> tuple[str, ...]:
    """The parts of a text between places that a pre-token begins."""
    return tuple(text[start:end] for start, end in pairwise(places) if start in kept)


def _spans(
    tokenizer: Tokenizer, text: str, special: bool
) -> tuple[list[tuple[AlignedText, AddedToken | None, Sequence[int]]], str]:
    """The normalized spans and the added tokens of a text, and the normalized text.

    `starts` of a span are places in the text, which pre-tokenizers read; `ends` are places in the normalized text. The
    third item has where each character ends in the text.
    """
    spans = []
    place = 0
    parts = []
    for part, token in tokenizer.parts(text, special=special):
        places = range(place, place + len(part.text))
        spans.append((AlignedText(part.text, part.starts, places, part.origin), token, part.ends))
        parts.append(part.text)
        place += len(part.text)
    return spans, "".join(parts)


def _pattern(step: PreTokenizer) -> str | None:
    """The split pattern of a step."""
    if isinstance(step, ByteLevelCharacters):
        step = step.byte_level
    if isinstance(step, ByteLevel):
        return step.pattern.source if step.use_regex else None
    return step.pattern if isinstance(step, Split) else None


def _cut(
    step: PreTokenizer, pattern: PatternAlternatives | None, piece: AlignedText
) -> list[tuple[AlignedText, int | None]]:
    """The pre-tokens that a step makes of a span, each with the alternative that matched its first match."""
    if isinstance(step, Split) and pattern is not None:
        ranges = [(start, end) for _, start, end in step.spans(piece.text) if start < end]
        pretokens = [piece.part(start, end) for start, end in ranges]
        text = piece.text
    else:
        pretokens = [pretoken for pretoken in pretokenizers.cut(step, piece) if pretoken.text]
        if pattern is None:
            return [(pretoken, None) for pretoken in pretokens]
        words = (step.byte_level if isinstance(step, ByteLevelCharacters) else step).split(piece.text)
        ranges = list(pairwise(accumulate(map(len, words), initial=0)))
        text = "".join(words)
    matches = [match for match in pattern.matches(text) if match[0] < match[1]]
    numbers: list[int | None] = []
    at = 0
    for start, end in ranges:
        while at < len(matches) and matches[at][1] <= start:
            at += 1
        numbers.append(matches[at][2] if at < len(matches) and matches[at][0] < end else None)
    return list(zip(pretokens, numbers, strict=True))


def _shown(
    cut: Sequence[tuple[AlignedText, AddedToken | None, int | None]], ends: Sequence[int], model: Model | None = None
) -> list[ShownPretoken]:
    found = []
    for piece, token, alternative in cut:
        start, end = piece.ends[0], piece.ends[-1] + 1
        tokens = None if model is None else 1 if token else len(model.ids(piece.text))
        found.append(
            ShownPretoken(piece.text, start, end, min(piece.starts), max(ends[start:end]), alternative, tokens, token)
        )
    return found


def _boundaries(view: PretokenView) -> tuple[list[int], set[int]]:
    """Where the pre-tokens of a view start and end in the normalized text, in order, and where they start."""
    starts = {pretoken.start for pretoken in view.pretokens}
    ends = {pretoken.end for pretoken in view.pretokens}
    return sorted({0, len(view.normalized), *starts, *ends}), starts
