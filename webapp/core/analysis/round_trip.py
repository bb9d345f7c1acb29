"""What encoding and decoding change in a text, and which stage of the pipeline changes it.

A text passes through the normalizer, the pre-tokenizer and the model; the ids pass through the post-processor and the
decoder. Each stage is run alone, and its edits are composed with those before (`stage_edits`), so that every difference
between the text and the decoded text is explained: applying the changes to the text gives the decoded text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from webapp.core.added_tokens import Part
from webapp.core.analysis.decoder_edits import decoder_steps, spelled
from webapp.core.analysis.pipeline_summary import step_name
from webapp.core.analysis.stage_edits import Change, ChangeTracker, Stage, StageEdit, aligned_edits, difference
from webapp.core.text import pretokenizers
from webapp.core.text.alignment import AlignedText
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.normalizers import BertNormalizer, Normalizer, NormalizerSequence
from webapp.core.text.pretokenizers import PreTokenizer, PreTokenizerSequence
from webapp.core.text.sentencepiece_normalizer import SentencePieceNormalizer
from webapp.core.tokenizer import Tokenizer, as_well_formed

# A span of text, and whether it is an added token.
Span = tuple[str, bool]

PLACES = 5  # of equal changes that a group lists


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Equal changes: how many there are, the first one, and where the first of them start in the text."""

    count: int
    first: Change
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RoundTripReport:
    """A text, what decoding gives, and every change in order.

    `traced` is false if a stage did not behave when run alone as in the tokenizer; then one change of the stage
    `decoder` covers what is left.
    """

    text: str
    decoded: str
    changes: tuple[Change, ...]
    traced: bool = True

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
    ids = tokenizer.ids(text, special=special, template=template)
    decoded = tokenizer.decode(ids)
    if decoded == text:
        return RoundTripReport(text, decoded, ())
    tracker = ChangeTracker(text)
    for edits in _stages(tokenizer, text, ids, special, template):
        tracker.apply(edits)
    traced = tracker.text == decoded
    if not traced:
        tracker.apply(difference(tracker.text, decoded, Stage("decoder", step_name(tokenizer.decoder))))
    return RoundTripReport(text, decoded, tuple(tracker.changes()), traced)


def _stages(
    tokenizer: Tokenizer, text: str, ids: Sequence[int], special: bool, template: bool
) -> Iterator[list[StageEdit]]:
    read = as_well_formed(text)
    yield _reading(text, read)
    parts = tokenizer.parts_in_text(read, special=special)
    yield _overlaps(read, parts)
    spans = [(read[start:end], token is not None) for start, end, token in parts]
    for whole_step, name in normalizer_steps(tokenizer.normalizer):
        for step, stage in _by_rule(whole_step, name, spans):
            edits, spans = _normalized(spans, step, stage)
            yield edits
    pieces: list[AlignedText | int] = []  # spans for the pre-tokenizer, and the ids of added tokens
    overlapping: list[StageEdit] = []
    replaced: list[StageEdit] = []
    place = now = 0
    for (start, end, token), (span, _) in zip(parts, spans, strict=True):
        inner = [(0, len(span), token)] if token else tokenizer.parts_in_normalized(span, special=special)
        overlapping += _overlaps(span, inner, place)
        whole = AlignedText.of(read).part(start, end)
        if token is None and tokenizer.normalizer is not None:
            whole = tokenizer.normalizer.align(whole)
        for left, right, found in inner:
            if found is None:
                pieces.append(whole.part(left, right))
            else:
                pieces.append(found.id)
                stage = Stage("added tokens", found.content)
                replaced += difference(span[left:right], spelled(tokenizer.piece_to_decode(found.id)), stage, now)
            now += right - left
        place += len(span)
    yield overlapping
    yield replaced
    for pretokenizer in _pretokenizer_steps(tokenizer.pretokenizer):
        edits, pieces = _pretokenized(tokenizer, pieces, pretokenizer)
        yield edits
    edits, found_ids = _modelled(tokenizer, pieces)
    yield edits
    if template and tokenizer.postprocessor.template is not None:
        yield _templated(tokenizer, found_ids)
        found_ids = tokenizer.postprocessor.template.ids(found_ids)
    if found_ids != list(ids):
        return
    yield from decoder_steps(tokenizer.decoder, list(map(tokenizer.piece_to_decode, ids)))


def _reading(text: str, read: str) -> list[StageEdit]:
    """The edits of reading surrogates: pairs become characters, and others U+FFFD."""
    stage = Stage("input", rule="surrogates")
    edits = []
    at = 0
    for character in read if text != read else "":
        size = 2 if character > "\uffff" and "\ud800" <= text[at] < "\udc00" else 1
        if text[at : at + size] != character:
            edits.append(StageEdit(at, at + size, character, stage))
        at += size
    return edits


def _overlaps(text: str, parts: Sequence[Part], shift: int = 0) -> list[StageEdit]:
    """The edits for parts that overlap: white space that two tokens include is in both."""
    edits = []
    before = 0
    for start, end, _ in parts:
        if start < before:
            again = text[start : min(before, end)]
            edits.append(StageEdit(shift + before, shift + before, again, Stage("added tokens", rule="overlap")))
        before = max(before, end)
    return edits


def normalizer_steps(normalizer: Normalizer | None) -> Iterator[tuple[Normalizer, Stage]]:
    """The steps of a normalizer in order, those of BERT and SentencePiece by rule.

    >>> [stage.rule for _, stage in normalizer_steps(BertNormalizer(clean_text=False))]
    ['handle_chinese_chars', 'strip_accents', 'lowercase']
    """
    if normalizer is None:
        return
    name = step_name(normalizer)
    if isinstance(normalizer, NormalizerSequence):
        for inner in normalizer.normalizers:
            yield from normalizer_steps(inner)
    elif isinstance(normalizer, BertNormalizer):
        accents = normalizer.lowercase if normalizer.strip_accents is None else normalizer.strip_accents
        none = BertNormalizer(False, False, False, False)
        rules = {
            "clean_text": normalizer.clean_text,
            "handle_chinese_chars": normalizer.handle_chinese_chars,
            "strip_accents": accents,
            "lowercase": normalizer.lowercase,
        }
        for rule, applies in rules.items():
            if applies:
                yield replace(none, **{rule: True}), Stage("normalizer", name, rule)
    else:
        yield normalizer, Stage("normalizer", name)


def _by_rule(normalizer: Normalizer, stage: Stage, spans: Sequence[Span]) -> list[tuple[Normalizer, Stage]]:
    """The rules of SentencePiece's normalizer as steps, if these give the same text; any other normalizer as it is."""
    if not isinstance(normalizer, SentencePieceNormalizer):
        return [(normalizer, stage)]
    characters = replace(normalizer, add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False)
    spaces = replace(normalizer, character_map=CharacterMap.of({}))
    plain = [span for span, is_token in spans if not is_token]
    if any(spaces.normalize(characters.normalize(span)) != normalizer.normalize(span) for span in plain):
        return [(normalizer, stage)]
    return [(characters, replace(stage, rule="character_map")), (spaces, replace(stage, rule="white_space"))]


def _normalized(spans: Sequence[Span], step: Normalizer, stage: Stage) -> tuple[list[StageEdit], list[Span]]:
    """The edits of one step of the normalizer, and the spans after it; those that are added tokens stay."""
    edits: list[StageEdit] = []
    changed: list[Span] = []
    place = 0
    for span, is_token in spans:
        new = span if is_token else step.normalize(span)
        if new != span:
            edits += _shifted(aligned_edits(span, step.align(AlignedText.of(span)), stage), place)
        changed.append((new, is_token))
        place += len(span)
    return edits, changed


def _pretokenizer_steps(pretokenizer: PreTokenizer | None) -> Iterator[PreTokenizer]:
    if isinstance(pretokenizer, PreTokenizerSequence):
        for inner in pretokenizer.pretokenizers:
            yield from _pretokenizer_steps(inner)
    elif pretokenizer is not None:
        yield pretokenizer


def _pretokenized(
    tokenizer: Tokenizer, pieces: Sequence[AlignedText | int], step: PreTokenizer
) -> tuple[list[StageEdit], list[AlignedText | int]]:
    """The edits of one step of the pre-tokenizer, and the pre-tokens after it."""
    stage = Stage("pre-tokenizer", step_name(step))
    edits: list[StageEdit] = []
    changed: list[AlignedText | int] = []
    place = 0
    for piece in pieces:
        if isinstance(piece, int):
            changed.append(piece)
            place += len(tokenizer.piece_to_decode(piece))
            continue
        # Pre-tokenizers read only where characters start in the text, so `ends` can hold places in the piece.
        size = len(piece.text)
        cut = pretokenizers.cut(step, AlignedText(piece.text, piece.starts, range(size), piece.origin))
        places = [at for pretoken in cut for at in pretoken.ends]
        joined = AlignedText("".join(pretoken.text for pretoken in cut), places, places)
        edits += _shifted(aligned_edits(piece.text, joined, stage), place)
        changed += [pretoken for pretoken in cut if pretoken.text]
        place += size
    return edits, changed


def _modelled(tokenizer: Tokenizer, pieces: Sequence[AlignedText | int]) -> tuple[list[StageEdit], list[int]]:
    """The edits from pre-tokens to the pieces of the model, and the ids."""
    edits: list[StageEdit] = []
    ids: list[int] = []
    known: dict[str, tuple[list[StageEdit], list[int]]] = {}
    place = 0
    for piece in pieces:
        if isinstance(piece, int):
            ids.append(piece)
            place += len(tokenizer.piece_to_decode(piece))
            continue
        if piece.text not in known:
            known[piece.text] = _segmented(tokenizer, piece.text)
        local, found = known[piece.text]
        edits += _shifted(local, place)
        ids += found
        place += len(piece.text)
    return edits, ids


def _segmented(tokenizer: Tokenizer, pretoken: str) -> tuple[list[StageEdit], list[int]]:
    """The edits from one pre-token to its pieces, and their ids."""
    name = step_name(tokenizer.model)
    dropped, unknown, marks = (Stage("model", name, rule) for rule in ("dropped", "unknown", "marks"))
    unknown_id = tokenizer.model.unknown_id
    segments = tokenizer.model.segment(pretoken)
    edits: list[StageEdit] = []
    at = position = 0
    while at < len(segments):
        # Segments that share a character, such as its bytes, are one.
        first = at
        _, start, end = segments[at]
        at += 1
        while at < len(segments) and segments[at][1] < end:
            end = max(end, segments[at][2])
            at += 1
        if position < start:
            edits.append(StageEdit(position, start, "", dropped))
        ids = [id for id, _, _ in segments[first:at]]
        pieces = [tokenizer.piece_to_decode(id) for id in ids]
        edits += _piece_edits(pretoken[start:end], pieces, start, unknown if unknown_id in ids else marks)
        position = end
    if position < len(pretoken):
        edits.append(StageEdit(position, len(pretoken), "", dropped))
    return edits, [id for id, _, _ in segments]


def _piece_edits(covered: str, pieces: Sequence[str | bytes], start: int, stage: Stage) -> list[StageEdit]:
    """The edits from a span to the pieces that cover it."""
    piece = "".join(map(spelled, pieces))
    if piece == covered:
        return []
    if stage.rule == "unknown":
        return [StageEdit(start, start + len(covered), piece, stage)]
    if covered and covered in piece:
        before, _, after = piece.partition(covered)
        end = start + len(covered)
        around = [StageEdit(start, start, before, stage), StageEdit(end, end, after, stage)]
        return [edit for edit in around if edit.text]
    characters = [spelled(character.encode()) for character in covered]
    if "".join(characters) == piece:
        pairs = enumerate(zip(covered, characters, strict=True), start)
        return [StageEdit(place, place + 1, new, stage) for place, (old, new) in pairs if old != new]
    return difference(covered, piece, stage, start)


def _templated(tokenizer: Tokenizer, ids: Sequence[int]) -> list[StageEdit]:
    """The edits of the post-processor's template."""
    template = tokenizer.postprocessor.template
    assert template is not None
    stage = Stage("post-processor", rule="template")
    text = "".join(spelled(tokenizer.piece_to_decode(id)) for id in ids)
    if None not in template.parts:
        return difference(text, "".join(spelled(tokenizer.piece_to_decode(id)) for id in template.ids(ids)), stage)
    edits = []
    place = 0
    for id in template.parts:
        if id is None and not place:
            place = len(text)
        else:
            inserted = text if id is None else spelled(tokenizer.piece_to_decode(id))
            edits.append(StageEdit(place, place, inserted, stage))
    return edits


def _shifted(edits: Sequence[StageEdit], shift: int) -> list[StageEdit]:
    return (
        [StageEdit(start + shift, end + shift, text, stage) for start, end, text, stage in edits]
        if shift
        else list(edits)
    )
