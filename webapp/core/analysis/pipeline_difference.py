"""Where the pipelines of two tokenizers differ: stage by stage, and on which texts that changes ids.

Two files of one model often hold the same pieces and still give different ids: one puts a space before the text, its
merges have another order, a token is special in one of them. The stages are compared as they are written, and for each
text the stages that change its ids are found by putting the second tokenizer's stages into the first, one after the
other. A stage whose change a later one undoes (`▁` written by the normalizer or by the pre-tokenizer) is no cause.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, zip_longest
from typing import Any, Literal, get_args

from webapp.core.added_tokens import AddedToken
from webapp.core.analysis.pipeline_summary import PipelineStep, flattened, pipeline_summary
from webapp.core.analysis.vocabulary_difference import telling
from webapp.core.formats import huggingface_parts, huggingface_processors
from webapp.core.formats.reading import FormatError
from webapp.core.formats.written_parts import split_pattern_of
from webapp.core.models import Model
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.sentencepiece_models import ScoredBPE
from webapp.core.models.word_models import WordModel
from webapp.core.text.decoders import Join
from webapp.core.tokenizer import Tokenizer

Stage = Literal["normalizer", "pretokenizer", "model", "added_tokens", "postprocessor", "decoder"]
STAGES: tuple[Stage, ...] = get_args(Stage)
"""The stages in the order in which they are compared."""

TEXTS: Mapping[str, Sequence[str]] = {
    "spaces": (" low", "low ", "low  lower   lowest", "low    ", " ", "low\u00a0low\u3000low"),
    "lines": ("low\tlow\t\tlow", "low\nlow", "low\r\n\r\nlow\n", "\n\n  low"),
    "digits": ("1234567890", "3.14 + 1,000 = 2026", "１２３ ²³ ٣ Ⅳ"),
    "words": ("it's we'LL don’t I'm", "lowLOW Low İSTANBUL straße", "low", "low,low.low"),
    "symbols": ("a.b,c;d (e) [f] {g} — “h” … ¿i?", "a_b-c/d\\e@f#g", "if x != 0:\n    x **= 2\n"),
    "chinese": ("研究生命起源。", "low研究low", "東京タワーへ行く。", "한국어 텍스트"),
    "scripts": ("ภาษาไทย", "مرحبا بالعالم", "नमस्ते दुनिया", "Привет, Ёлка"),
    "forms": ("caf\u00e9", "cafe\u0301", "ﬁ ½ \u212b ㎏", "e\u0301\u0323", "\u1112\u1161\u11ab"),
    "emoji": ("👩\u200d👩\u200d👧\u200d👦 👍🏽 🇩🇪 ❤\ufe0f",),
    "marks": ("▁low Ġlow ##low low</w> <0x41>", "<unk> <s> [UNK] <|endoftext|>"),
    "runs": ("a" * 100, " " * 100 + "low", "=" * 80, "low" + "\n" * 20, "ha" * 60),
    "control": ("a\u200bb\u00adc\ufeffd", "a\0b\ac\x1b[0m\x7f", "\x80\x9f\ufffd\uffff\U0010ffff"),
}
"""Texts that separate pipelines, by what they test."""
OWN, ADDED, PIECES = "own", "added", "pieces"
"""Further kinds of texts: the visitor's, those with added tokens, and those of pieces that differ."""

MOST_DECODED = 5_000  # pieces that differ
MOST_TRIED = 200  # of their texts
MOST_OF_PIECES = 3  # of them are shown
MOST_ADDED = 8  # added tokens that have a text


@dataclass(frozen=True)
class StageDifference:
    """One stage of both pipelines, as `pipeline_summary` names it.

    `written` are its parts of a `tokenizer.json`, as JSON; None where that cannot express it.
    """

    stage: Stage
    same: bool
    steps: tuple[Sequence[PipelineStep], Sequence[PipelineStep]]
    written: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True)
class MergeDifference:
    """How two lists of merges differ. `pairs` says whether items are merges; if not, pieces in the order of merging.

    `ranks` counts those with another item, `first` is the lowest of them and `items` what both have there, None after
    the end of a list. `only` counts the items that one list has.
    """

    pairs: bool
    ranks: int
    first: int
    items: tuple[Any, Any]
    only: tuple[int, int]


@dataclass(frozen=True)
class TokenDifference:
    """An added token with different flags or ids, or that only one tokenizer has."""

    content: str
    tokens: tuple[AddedToken | None, AddedToken | None]

    @property
    def fields(self) -> Sequence[str]:
        """The names of the fields that differ; none if only one tokenizer has the token."""
        first, second = self.tokens
        if first is None or second is None:
            return ()
        return [name for name in ("id", *FLAGS) if getattr(first, name) != getattr(second, name)]


FLAGS = ("special", "normalized", "lstrip", "rstrip", "single_word")


@dataclass(frozen=True)
class TextDifference:
    """The ids of a text in both tokenizers, and the stages that change them; none for the same ids."""

    kind: str
    text: str
    ids: tuple[Sequence[int], Sequence[int]]
    stages: Sequence[Stage]

    @cached_property
    def window(self) -> tuple[int, int, int]:
        """Where the ids begin to differ, and where equal ones begin again: in the first list, and in the second."""
        first, second = self.ids
        pairs = enumerate(zip(first, second, strict=False))
        start = next((at for at, (a, b) in pairs if a != b), min(map(len, self.ids)))
        most = min(map(len, self.ids)) - start
        after = next((at for at in range(most) if first[-1 - at] != second[-1 - at]), most)
        return start, len(first) - after, len(second) - after


@dataclass(frozen=True)
class PipelineDifference:
    """The stages of two tokenizers, details of those that differ, and texts: those with different ids first.

    `scores` are the pieces that both have with different scores, and these, the largest difference first.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import WORDPIECE, wordpiece
    >>> model = WordPiece(["[UNK]", "low", "Low"])
    >>> found = pipeline_difference(WORDPIECE.tokenizer(model), wordpiece(True).tokenizer(model))
    >>> [each.stage for each in found.stages if not each.same]
    ['normalizer']
    >>> next((each.text, each.ids, each.stages) for each in found.texts if "Low" in each.text)
    ('lowLOW Low İSTANBUL straße', ([0, 2, 0, 0], [0, 1, 0, 0]), ['normalizer'])
    """

    stages: Sequence[StageDifference]
    merges: MergeDifference | None
    scores: Sequence[tuple[str, float, float]]
    tokens: Sequence[TokenDifference]
    texts: Sequence[TextDifference]

    @property
    def different(self) -> Sequence[TextDifference]:
        """The texts with different ids."""
        return [each for each in self.texts if each.stages]

    def changed_by(self, stage: Stage) -> int:
        """The number of texts whose ids a stage changes."""
        return sum(stage in each.stages for each in self.texts)


def pipeline_difference(first: Tokenizer, second: Tokenizer) -> PipelineDifference:
    """Compare two tokenizers by their stages and on `TEXTS`.

    Added tokens and pieces that differ have further texts. Raises PatternTimeoutError and GrowthError for a pipeline
    of an uploaded file that takes too long on a text, or makes it too long.
    """
    merges, scores = _merges(first, second), _scores(first.model, second.model)
    tokens = _tokens(first, second)
    stages = [_stage(each, first, second, merges, scores, tokens) for each in STAGES]
    compare = text_comparison(first, second, stages)
    given = ((kind, text) for kind, texts in TEXTS.items() for text in texts)
    texts = [compare(kind, text) for kind, text in chain(given, _token_texts(first, second, tokens))]
    same_model = next(each.same for each in stages if each.stage == "model")
    texts += () if same_model else _piece_texts(first, second, [each[0] for each in scores], compare)
    texts.sort(key=_order)
    return PipelineDifference(stages, merges, scores[:MOST_TRIED], tokens, texts)


def _order(each: TextDifference) -> tuple[Any, ...]:
    """Texts that differ first, by the earliest stage and the fewest; control characters last."""
    earliest = STAGES.index(each.stages[0]) if each.stages else len(STAGES)
    return not each.stages, each.kind == "control", earliest, len(each.stages)


def text_comparison(
    first: Tokenizer, second: Tokenizer, stages: Sequence[StageDifference]
) -> Callable[[str, str], TextDifference]:
    """Return a function that compares texts, with their special tokens and those of the template.

    It encodes with the first tokenizer, with the second's stages put into it one after the other, and thus at last
    with the second.
    """
    between, names = [first], []
    for each in stages:
        if each.stage != "decoder" and getattr(first, each.stage) is not getattr(second, each.stage):
            between.append(between[-1].changed(**{each.stage: getattr(second, each.stage)}))
            names.append(each.stage)

    def compare(kind: str, text: str) -> TextDifference:
        ids = [each.ids(text, special=True, template=True) for each in between]
        causes: list[Stage] = []
        at = 0
        while (at := max(later for later in range(at, len(ids)) if ids[later] == ids[at])) < len(names):
            causes.append(names[at])
            at += 1
        if not causes:
            for stage, skip in (("decoder", False), ("added_tokens", True)):
                if not causes and len({each.decode(ids[0], skip_special=skip) for each in (first, second)}) > 1:
                    causes.append(stage)  # type: ignore[arg-type]
        return TextDifference(kind, text, (ids[0], second.ids(text, special=True, template=True)), causes)

    return compare


def _stage(
    stage: Stage,
    first: Tokenizer,
    second: Tokenizer,
    merges: MergeDifference | None,
    scores: Sequence[object],
    tokens: Sequence[object],
) -> StageDifference:
    both = first, second
    a, b = (pipeline_summary(each) for each in both)
    match stage:
        case "model":
            models = first.model, second.model
            same = a.model == b.model and models[0].pieces == models[1].pieces and _rest(models[0]) == _rest(models[1])
            return StageDifference(stage, same and merges is None and not scores, ((a.model,), (b.model,)))
        case "added_tokens":
            return StageDifference(stage, not tokens, ((), ()))
        case "postprocessor":
            same = a.template == b.template and first.postprocessor == second.postprocessor
            steps = [tuple(PipelineStep(name or "") for name in each.template) for each in (a, b)]
            return StageDifference(stage, same, (steps[0], steps[1]), _written(stage, both))
    parts = [getattr(each, stage) or (Join() if stage == "decoder" else None) for each in both]
    same = [*map(_comparable, flattened(parts[0]))] == [*map(_comparable, flattened(parts[1]))]
    if stage == "pretokenizer" and not same:
        same = _one_pattern(first) == _one_pattern(second) != ""
    return StageDifference(stage, same, (getattr(a, stage), getattr(b, stage)), _written(stage, both))


def _rest(model: Any) -> object:
    """What decides the ids besides settings, pieces, scores and the order of merges."""
    names = ("unknown_id", "pairs", "reserved", "counts", "direction", "keep_runs")
    kinds = getattr(getattr(model, "vocabulary", None), "kinds", None)
    return kinds, [getattr(model, name, None) for name in names]


def _comparable(step: Any) -> object:
    """A step without the setting that says how this code holds the pieces."""
    return replace(step, byte_characters=False) if hasattr(step, "byte_characters") else step


def _one_pattern(tokenizer: Tokenizer) -> str | None:
    """The pattern of a pre-tokenizer that consists of one, however it is written; "" for another one."""
    try:
        return split_pattern_of(tokenizer)
    except FormatError:
        return ""


def _written(stage: Stage, both: Sequence[Tokenizer]) -> tuple[str | None, str | None]:
    def written(each: Tokenizer) -> str | None:
        part = getattr(each, stage)
        try:
            match stage:
                case "normalizer":
                    found = huggingface_parts.write_normalizer(part)
                case "pretokenizer":
                    byte_level = bool(getattr(each.model, "byte_level", False))
                    found = huggingface_parts.write_pretokenizer(part, byte_level=byte_level)
                case "decoder":
                    found = huggingface_parts.write_decoder(part)
                case _:
                    names = {id: content for content, id in each.special_tokens.items()}
                    found = huggingface_processors.write_postprocessor(part, names)
        except FormatError:
            return None
        return json.dumps(found, ensure_ascii=False)

    return written(both[0]), written(both[1])


def _merges(first: Tokenizer, second: Tokenizer) -> MergeDifference | None:
    """The difference of the merges, or of the order in which pieces are merged; None for the same, or without any."""
    models = first.model, second.model
    pairs = isinstance(models[0], BPE) and isinstance(models[1], BPE)
    if pairs and models[0].pieces == models[1].pieces and models[0].pairs == models[1].pairs:  # type: ignore[attr-defined]
        return None
    a, b = (list(_merged(each, pairs=pairs)) for each in models)
    in_a, in_b = set(a), set(b)
    if in_a.isdisjoint(in_b) and (not pairs or (a and b)):  # other models, or bytes beside text
        return None
    if not pairs:  # pieces that no merge makes have no place in the other list
        a, b = [each for each in a if each in in_b], [each for each in b if each in in_a]
    ranks = [rank for rank, (one, other) in enumerate(zip_longest(a, b)) if one != other]
    if not ranks:
        return None
    at = ranks[0]
    items = a[at] if at < len(a) else None, b[at] if at < len(b) else None
    return MergeDifference(pairs, len(ranks), at, items, (len(in_a - in_b), len(in_b - in_a)))


def _merged(model: Model, *, pairs: bool) -> Iterator[Any]:
    """The merges of a model as pairs of pieces, or the pieces that it merges, in order."""
    pieces = tuple(model.pieces)
    if isinstance(model, BPE):
        found = ((pieces[left], pieces[right]) for left, right in model.merges)
        yield from found if pairs else dict.fromkeys(left + right for left, right in found)  # type: ignore[operator]
    elif isinstance(model, RankBPE):
        yield from (piece for id, piece in enumerate(pieces) if len(piece) > 1 and id not in model.reserved)
    elif isinstance(model, ScoredBPE):
        scores = model.scores
        yield from (pieces[id] for id in sorted(range(len(pieces)), key=lambda id: -scores[id]) if len(pieces[id]) > 1)


def _scores(first: Model, second: Model) -> list[tuple[str, float, float]]:
    """The pieces that both have with different scores; files of one model differ by rounding to 32 bits."""
    # Only the order of a BPE's scores matters, and frequencies are no log probabilities.
    if {ScoredBPE} & {type(first), type(second)} or isinstance(first, WordModel) != isinstance(second, WordModel):
        return []
    a, b = _score_of(first), _score_of(second)
    found = [(piece, one, b[piece]) for piece, one in a.items() if piece in b and one != b[piece]]
    found = [each for each in found if abs(each[1] - each[2]) > 1e-6 * max(1.0, abs(each[1]))]
    return sorted(found, key=lambda each: -abs(each[1] - each[2]))


def _score_of(model: Any) -> Mapping[str, float]:
    scores = model.dictionary.frequencies if isinstance(model, WordModel) else getattr(model, "scores", None)
    return {} if scores is None else dict(zip(model.pieces, scores, strict=True))


def _tokens(first: Tokenizer, second: Tokenizer) -> list[TokenDifference]:
    """The added tokens that differ: by their flags first, then by their ids, then those of one tokenizer."""
    a, b = (
        {token.content: replace(token, declared_id=None) for token in each.added_tokens} for each in (first, second)
    )
    found = [TokenDifference(each, (a.get(each), b.get(each))) for each in {**a, **b} if a.get(each) != b.get(each)]
    return sorted(found, key=lambda each: (not each.fields, list(each.fields) == ["id"]))


def _token_texts(first: Tokenizer, second: Tokenizer, tokens: Sequence[TokenDifference]) -> Iterator[tuple[str, str]]:
    """Texts with added tokens, those that differ first: inside words, beside spaces, in other case."""
    others = frozenset(second.added_tokens)
    common = (token.content for token in first.added_tokens if token in others)
    for content in islice(chain((each.content for each in tokens), common), MOST_ADDED):
        if len(content) <= 100:
            yield ADDED, f"low{content}low {content}  low {content.swapcase()}"


def _piece_texts(
    first: Tokenizer, second: Tokenizer, scored: Sequence[str], compare: Callable[[str, str], TextDifference]
) -> list[TextDifference]:
    """The texts of pieces that differ by their merge, score or id, words and the longest first, if their ids differ."""
    models = first.model, second.model
    ids = [id for piece in scored[:MOST_TRIED] if (id := first.model.id_of(piece)) is not None]
    texts: set[str] = set()
    nearest: set[str] = set()
    if isinstance(models[0], BPE) and isinstance(models[1], BPE):
        sides = (pair for pair in zip_longest(models[0].pairs, models[1].pairs) if pair[0] != pair[1])
        for at, pair in enumerate(islice(sides, MOST_DECODED)):
            both = zip((first, second), pair, strict=True)
            merged = {each.decode([one >> 32, one & 0xFFFFFFFF]) for each, one in both if one is not None}
            (nearest if at < MOST_OF_PIECES else texts).update(merged)  # one merge that moved moves all after it
    if not scored:
        places = (id for id, (a, b) in enumerate(zip(*(each.pieces for each in models), strict=False)) if a and a != b)
        ids += islice(places, MOST_DECODED)
    texts |= {first.decode([id]) for id in ids}
    tried = [*sorted(nearest), *sorted(texts, key=lambda text: (telling(text), text))[:MOST_TRIED]]
    found = (compare(PIECES, text) for text in dict.fromkeys(tried) if len(text) <= 100)
    return list(islice((each for each in found if each.stages), MOST_OF_PIECES))
