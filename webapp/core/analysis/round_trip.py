"""What encoding and decoding change in a text, and which stage of the pipeline changes it.

Each token covers a span of the text and adds a part to the decoded text; where the two differ, there is a change. Its
cause follows from running the stages one by one: normalizer and pre-tokenizer say for each of their characters where it
comes from, and a decoder is run up to each of its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal
from unicodedata import normalize

from webapp.core.analysis.decoding import part_places
from webapp.core.analysis.pipeline_summary import step_name
from webapp.core.encoding import Encoding
from webapp.core.text import pretokenizers
from webapp.core.text.alignment import AlignedText
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.decoders import Decoder, DecoderSequence, Join, WordPieceDecoder
from webapp.core.text.normalizers import BertNormalizer, Normalizer, NormalizerSequence
from webapp.core.text.sentencepiece_normalizer import SentencePieceNormalizer
from webapp.core.tokenizer import Tokenizer, as_well_formed

StageName = Literal["input", "added tokens", "normalizer", "pre-tokenizer", "model", "post-processor", "decoder"]

PLACES = 5  # of equal changes that a group lists
LONGEST_COMPARED = 100  # characters of a token that are compared one by one


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of the pipeline: its kind, the usual name of the component, and which of its rules, if it has several."""

    stage: StageName
    component: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between a text and the decoded text: the span in each, what was there, and what is there now.

    `steps` are the stages that changed it, each with the result. `at` is the index of the one that is named as the
    cause: the first after which the original characters do not come back.
    """

    start: int
    end: int
    decoded_start: int
    decoded_end: int
    before: str
    after: str
    steps: tuple[tuple[Stage, str], ...] = ()
    at: int = 0

    @property
    def stage(self) -> Stage:
        """The stage that is named as the cause."""
        return self.steps[self.at][0]


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Equal changes: how many there are, the first one, and where the first of them start in the text."""

    count: int
    first: Change
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RoundTripReport:
    """A text, what decoding gives, and every change in order: making them in the text gives the decoded text."""

    text: str
    decoded: str
    changes: tuple[Change, ...]

    @property
    def equal(self) -> bool:
        """Whether decoding gives the text."""
        return self.text == self.decoded

    def groups(self) -> list[ChangeGroup]:
        """The changes with equal ones together, the most frequent first."""
        found: dict[tuple[object, ...], list[Change]] = {}
        for change in self.changes:
            found.setdefault((change.before, change.steps), []).append(change)
        groups = [
            ChangeGroup(len(each), each[0], tuple(change.start for change in each[:PLACES])) for each in found.values()
        ]
        return sorted(groups, key=lambda group: -group.count)


def round_trip(tokenizer: Tokenizer, text: str, *, special: bool = False, template: bool = False) -> RoundTripReport:
    """Encode and decode a text, and explain every difference.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import wordpiece
    >>> pieces = ["[UNK]", "cafe", "!", "##s"]
    >>> for change in round_trip(wordpiece(lowercase=True).tokenizer(WordPiece(pieces)), "Cafés 茶  !").changes:
    ...     print(repr(change.before), "→", repr(change.after), change.stage.component, change.stage.rule)
    'C' → 'c' BertNormalizer lowercase
    'é' → 'e' BertNormalizer strip_accents
    '茶' → '[UNK]' WordPiece unknown
    '  ' → '' BertPreTokenizer

    `special` and `template` are those of `Tokenizer.encode`. Takes time in proportion to the length of the text and the
    number of steps. Raises TextError for a text that the pipeline cannot process.
    """
    encoding = tokenizer.encode(text, special=special, template=template)
    decoded = tokenizer.decode(encoding.ids)
    if decoded == text:
        return RoundTripReport(text, decoded, ())
    pieces = [tokenizer.decoded_piece(id) for id in encoding.ids]
    changes = _changes(encoding, tokenizer.decoder or Join(), pieces)
    *earlier, (_whole, last) = _decoder_steps(tokenizer.decoder)
    decoders = [(stage, _Changed(_changes(encoding, decoder, pieces))) for decoder, stage in earlier]
    decoders.append((last, _Changed(changes)))
    stages = [(stage, _values(parts, len(text))) for stage, parts in _stages(tokenizer, text, special)]
    model = _model_stages(tokenizer, encoding, special)
    explained = (_explained(text, change, stages, model(change), decoders) for change in changes)
    return RoundTripReport(text, decoded, tuple(explained))


def _explained(
    text: str,
    change: Change,
    stages: Sequence[tuple[Stage, Sequence[str]]],
    model: Stage | None,
    decoders: Sequence[tuple[Stage, _Changed]],
) -> Change:
    """The change with the stages that the characters pass through, and the cause among them."""
    steps: list[tuple[Stage, str]] = []
    value = change.before
    for stage, values in () if model is not None and model.stage == "post-processor" else stages:
        made = "".join(values[change.start : change.end])
        if change.start == change.end:  # what a stage inserts comes from the character after it
            there = values[change.start]
            made = there[:-1] if there.endswith(text[change.start : change.start + 1] or "\0") else value
        if made != value:
            steps.append((stage, made))
            value = made
    if model is not None:
        steps.append((model, value := "" if model.rule == "dropped" else change.after))
    restored = next((at for at in range(len(decoders) - 1, -1, -1) if change not in decoders[at][1]), -1)
    cause = decoders[min(restored + 1, len(decoders) - 1)][0]
    if restored >= 0 and steps:
        steps.append((decoders[restored][0], change.before))
        value = change.before
    if value != change.after or not steps:
        steps.append((cause, change.after))
    return replace(change, steps=tuple(steps), at=_cause_at(change.before, steps))


# --- where text and decoded text differ


def _changes(encoding: Encoding, decoder: Decoder, pieces: Sequence[str | bytes]) -> list[Change]:
    """The differences of a text and the text that a decoder makes of its pieces."""
    text, decoded = encoding.text, decoder.decode(pieces)
    places = part_places(decoder, pieces, decoded)
    spaced = isinstance(decoder, WordPieceDecoder | Join)  # tokens begin with a space that is no part of a piece
    if places is None:
        return list(_differences(text, decoded, 0, 0))
    found: list[Change] = []
    end = decoded_end = 0  # of the tokens so far
    for start, until, decoded_start, decoded_until in _groups(encoding, places):
        now = decoded[decoded_end:decoded_until]
        own = text[start:until]
        # What the decoder puts before a token takes the place of the text that no token covers.
        before = 0
        if own and now.endswith(own):
            before = len(now) - len(own)
        elif end < start or start == until or spaced:
            before = len(now) - len(now.lstrip())
        if decoded_start > decoded_end:
            before = max(before, decoded_start - decoded_end)
        found += _differences(text[end:start], now[:before], end, decoded_end)
        found += _differences(own, now[before:], start, decoded_end + before)
        end, decoded_end = until, decoded_until
    found += _differences(text[end:], decoded[decoded_end:], end, decoded_end)
    return found


def _groups(encoding: Encoding, places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the spans of tokens in the text and in the decoded text; tokens that share a character are one."""
    group: tuple[int, int, int, int] | None = None
    for start, end, (decoded_start, decoded_end) in zip(encoding.starts, encoding.ends, places, strict=True):
        if group is not None and start == end:  # a special token around the text has no place in it
            start = end = max(start, group[1])
        if group is not None and (start < group[1] or decoded_start < group[3]):
            group = min(group[0], start), max(group[1], end), group[2], max(group[3], decoded_end)
            continue
        if group is not None:
            yield group
        group = start, end, decoded_start, decoded_end
    if group is not None:
        yield group


def _differences(before: str, after: str, start: int, decoded_start: int) -> Iterator[Change]:
    """The changes from one text to another: of each character if they are as long, else of what differs."""
    if before == after:
        return
    if set(before).isdisjoint(after) or (before.isspace() and after.isspace()):
        spans = [(0, len(before), 0, len(after))]
    elif len(before) + len(after) <= LONGEST_COMPARED:
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        spans = [span for tag, *span in matcher.get_opcodes() if tag != "equal"]  # type: ignore[misc]
    else:
        most = min(len(before), len(after))
        left = next((at for at in range(most) if before[at] != after[at]), most)
        right = next((at for at in range(most - left) if before[-1 - at] != after[-1 - at]), most - left)
        spans = [(left, len(before) - right, left, len(after) - right)]
    for first, last, new_first, new_last in spans:
        pairs = list(zip(before[first:last], after[new_first:new_last], strict=False))
        alike = len(pairs) == last - first == new_last - new_first and all(a.isspace() == b.isspace() for a, b in pairs)
        count = len(pairs) if alike else 1  # each character by itself
        for at in range(count):
            end, new_end = (first + at + 1, new_first + at + 1) if count > 1 else (last, new_last)
            yield Change(
                start + first + at,
                start + end,
                decoded_start + new_first + at,
                decoded_start + new_end,
                before[first + at : end],
                after[new_first + at : new_end],
            )


class _Changed:
    """Where changes are, to find those that another list of changes has as well."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._characters = {at for change in changes for at in range(change.start, change.end)}
        self._inserted = {change.start for change in changes if change.after}

    def __contains__(self, change: Change) -> bool:
        if change.start == change.end:
            return change.start in self._inserted
        return not self._characters.isdisjoint(range(change.start, change.end))


# --- the stages, one by one


def _stages(tokenizer: Tokenizer, text: str, special: bool) -> Iterator[tuple[Stage, list[AlignedText]]]:
    """Yield each stage up to the pre-tokenizer with what it makes of the text between added tokens."""
    read = as_well_formed(text)
    if read != text:
        places = _places(text)
        yield Stage("input", rule="surrogates"), [AlignedText(read, places, places)]
        return
    parts = tokenizer.parts_in_text(read, special=special)
    whole = AlignedText.of(read)
    tokens = [whole.part(start, end) for start, end, token in parts if token is not None]
    spans = [whole.part(start, end) for start, end, token in parts if token is None]
    for step, stage in _normalizer_steps(tokenizer.normalizer, [span.text for span in spans]):
        spans = [step.align(span) for span in spans]
        yield stage, [*tokens, *spans]
    for pretokenizer in pretokenizers.steps_of(tokenizer.pretokenizer):
        spans = [pretoken for span in spans for pretoken in pretokenizers.cut(pretokenizer, span)]
        yield Stage("pre-tokenizer", step_name(pretokenizer)), [*tokens, *spans]


def _places(text: str) -> list[int]:
    """Where each character of the well-formed text begins: surrogate pairs are one character."""
    places = range(len(text))
    return [at for at in places if not (at and "\udc00" <= text[at] < "\ue000" and "\ud800" <= text[at - 1] < "\udc00")]


def _values(parts: Sequence[AlignedText], length: int) -> list[str]:
    """What a stage makes of each character of the text."""
    made = [""] * (length + 1)
    for part in parts:
        for character, start in zip(part.text, part.starts, strict=True):
            made[start] += character
    return made


def _normalizer_steps(normalizer: Normalizer | None, spans: Sequence[str]) -> Iterator[tuple[Normalizer, Stage]]:
    """The steps of a normalizer in order, those of BERT and SentencePiece by rule."""
    if normalizer is None:
        return
    stage = Stage("normalizer", step_name(normalizer))
    if isinstance(normalizer, NormalizerSequence):
        for inner in normalizer.normalizers:
            yield from _normalizer_steps(inner, spans)
    elif isinstance(normalizer, BertNormalizer):
        accents = normalizer.lowercase if normalizer.strip_accents is None else normalizer.strip_accents
        none = BertNormalizer(False, False, False, False)
        for rule, applies in (
            ("clean_text", normalizer.clean_text),
            ("handle_chinese_chars", normalizer.handle_chinese_chars),
            ("strip_accents", accents),
            ("lowercase", normalizer.lowercase),
        ):
            if applies:
                yield replace(none, **{rule: True}), replace(stage, rule=rule)
    elif isinstance(normalizer, SentencePieceNormalizer):
        characters = replace(
            normalizer, add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False
        )
        spaces = replace(normalizer, character_map=CharacterMap.of({}))
        if any(spaces.normalize(characters.normalize(span)) != normalizer.normalize(span) for span in spans):
            yield normalizer, stage
        else:
            yield characters, replace(stage, rule="character_map")
            yield spaces, replace(stage, rule="white_space")
    else:
        yield normalizer, stage


def _model_stages(tokenizer: Tokenizer, encoding: Encoding, special: bool) -> Callable[[Change], Stage | None]:
    """Return a function for the stage between pre-tokenizer and decoder that makes a change, if there is one."""
    model = step_name(tokenizer.model)
    added = {token.id: token for token in tokenizer.added_tokens}
    stage_at: dict[int, Stage] = {}
    inserted: dict[str, Stage] = {}
    covered = bytearray(len(encoding.text) + 1)
    for id, start, end in zip(encoding.ids, encoding.starts, encoding.ends, strict=True):
        covered[start:end] = b"\x01" * (end - start)
        if start == end:
            inserted[str(tokenizer.decoded_piece(id))] = Stage("post-processor", rule="template")
        elif id == tokenizer.model.unknown_id:
            stage_at.update(dict.fromkeys(range(start, end), Stage("model", model, "unknown")))
        elif id in added:
            stage_at.update(dict.fromkeys(range(start, end), Stage("added tokens", added[id].content)))
    dropped = Stage("model", model, "dropped")
    drops = tokenizer.model.unknown_id is None

    def stage_of(change: Change) -> Stage | None:
        if change.start == change.end:
            return inserted.get(change.after)
        if not covered[change.start] and drops and not change.after and not change.before.isspace():
            return dropped
        return stage_at.get(change.start)

    return stage_of


def _decoder_steps(decoder: Decoder | None) -> Iterator[tuple[Decoder, Stage]]:
    """Yield a decoder up to each of its steps, the last one included, each with its last step as a stage."""
    decoder = decoder or Join()
    if isinstance(decoder, DecoderSequence):
        for count, step in enumerate(decoder.steps, 1):
            yield DecoderSequence(decoder.steps[:count]), Stage("decoder", step_name(step))
        return
    stage = Stage("decoder", step_name(decoder))
    if isinstance(decoder, WordPieceDecoder) and decoder.cleanup:
        yield replace(decoder, cleanup=False), stage
        stage = replace(stage, rule="cleanup")
    yield decoder, stage


def _cause_at(original: str, steps: Sequence[tuple[Stage, str]]) -> int:
    """The index of the first stage after which the characters of the original are not all there any more.

    Another normalization form and `▁` for a space count as the same characters, unless that is all that changed.
    """
    plain = _plain(original)
    if not plain or _plain(steps[-1][1]) == plain:
        return 0
    there = [at for at, (_, value) in enumerate(steps[:-1]) if _has_all(_plain(value), plain)]
    return there[-1] + 1 if there else 0


def _plain(text: str) -> str:
    return normalize("NFC", text).replace("▁", " ")


def _has_all(text: str, characters: str) -> bool:
    """Whether a text has these characters in their order, perhaps with others between them."""
    rest = iter(text)
    return all(character in rest for character in characters)
