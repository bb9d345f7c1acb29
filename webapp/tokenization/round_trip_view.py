"""What decoding changes in a text, for the page of a result: each change with its characters, its stage and why."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from flask_babel import gettext as _

from webapp.core.analysis.round_trip import ChangeGroup, RoundTripReport, round_trip
from webapp.core.analysis.stage_edits import Stage, StageName
from webapp.core.text.split_patterns import TextError
from webapp.rendering.markup import visible
from webapp.tokenization.encoding import ids_of
from webapp.tokenization.result import Result
from webapp.web.localization import number

EXPLAINED = 10_000  # characters of a text whose changes are traced: 0.1 s of English, 0.6 s of Chinese with BERT
GROUPS_SHOWN = 100
CHARACTERS_SHOWN = 6  # of one change, with their names


@dataclass(frozen=True)
class NamedCharacter:
    """A character's code point and Unicode name, and how many times it follows itself."""

    code: str
    name: str
    times: int


@dataclass(frozen=True)
class ShownText:
    """A short text with the names of its first characters; `more` is how many follow."""

    text: str
    characters: Sequence[NamedCharacter]
    more: int


@dataclass(frozen=True)
class ShownStep:
    """A stage that changed the characters: its kind, the component's name and rule, why, and the result."""

    stage: str
    component: str
    rule: str
    why: str
    after: str


@dataclass(frozen=True)
class ShownChanges:
    """Equal changes: the characters, what became of them, the stage that is the cause, and where they are."""

    before: ShownText
    after: ShownText
    cause: ShownStep
    steps: Sequence[ShownStep]  # all stages that changed them, if there are several
    count: int
    places: str  # the first offsets


@dataclass(frozen=True)
class RoundTripView:
    """The changes of a text; `explained` is how many characters were traced, None for the whole text."""

    groups: Sequence[ShownChanges]
    changes: int
    kinds: int
    explained: int | None


def round_trip_view(result: Result) -> RoundTripView | None:
    """The changes of a result; None if decoding gives the text, or today's tokenizer gives other ids than it has."""
    if result.comparison.equal:
        return None
    state, text = result.state, result.encoding.text
    special, template = state.special, state.puts_around
    start = _beginning(text)
    try:
        if result.decoded is not None:  # shared: its tokens may be those of an older vocabulary
            ids = ids_of(result.encoder, text, special=special, template=template)
            if ids != list(result.encoding.ids):
                return None
        report = round_trip(result.encoder, start, special=special, template=template)
    except (TextError, LookupError):
        return None
    whole = len(start) == len(text)
    if whole and report.decoded != result.comparison.decoded:
        return None
    return _view(report, None if whole else len(start))


def _view(report: RoundTripReport, explained: int | None) -> RoundTripView:
    groups = report.groups()
    return RoundTripView(
        [_shown_group(group) for group in groups[:GROUPS_SHOWN]], len(report.changes), len(groups), explained
    )


def _beginning(text: str) -> str:
    """The text, or its beginning up to a line end or a space."""
    if len(text) <= EXPLAINED:
        return text
    cut = max(text.rfind("\n", EXPLAINED // 2, EXPLAINED), text.rfind(" ", EXPLAINED // 2, EXPLAINED))
    return text[: cut if cut > 0 else EXPLAINED]


def _shown_group(group: ChangeGroup) -> ShownChanges:
    change = group.first
    before = change.before
    steps = []
    for stage, after in change.steps:
        steps.append(
            ShownStep(stage_title(stage.stage), stage.component, stage.rule, why(stage, before, after), _short(after))
        )
        before = after
    places = [number(place) for place in group.places]
    return ShownChanges(
        _shown_text(change.before),
        _shown_text(change.after),
        steps[change.at],
        steps if len(steps) > 1 else (),
        group.count,
        " · ".join(places) + (" …" if group.count > len(places) else ""),
    )


def _shown_text(text: str) -> ShownText:
    """The text with the names of its characters; those of a word or a token of ASCII speak for themselves."""
    if len(text) > 1 and text.isascii() and text.isprintable() and not text.isspace():
        return ShownText(_short(text), (), 0)
    named: list[NamedCharacter] = []
    count = 0
    for character, run in groupby(text):
        if len(named) == CHARACTERS_SHOWN:
            break
        times = len(list(run))
        count += times
        named.append(NamedCharacter(f"U+{ord(character):04X}", unicodedata.name(character, ""), times))
    return ShownText(_short(text), named, len(text) - count)


def _short(text: str) -> str:
    shown = visible(text[:40], show=True).replace("\n", "").replace("\t", "")
    return f"{shown}…" if len(text) > 40 else shown


def stage_title(stage: StageName) -> str:
    """The name of a stage of the pipeline."""
    return {
        "input": _("Input"),
        "added tokens": _("Added tokens"),
        "normalizer": _("Normalizer"),
        "pre-tokenizer": _("Pre-tokenizer"),
        "model": _("Model"),
        "post-processor": _("Post-processor"),
        "decoder": _("Decoder"),
    }[stage]


def why(stage: Stage, before: str, after: str) -> str:
    """What a stage does to characters, as a clause."""
    match stage.stage:
        case "input":
            return _("a surrogate alone is no character")
        case "added tokens":
            return _("the token includes the white space beside it")
        case "pre-tokenizer":
            return _pretokenizer(before, after)
        case "model":
            return _model(stage.rule)
        case "post-processor":
            return _("a special token that the vocabulary adds to a text")
        case "normalizer":
            return _normalizer(stage.rule or stage.component)
        case _:
            return _decoder(stage.rule or stage.component, after)


def _pretokenizer(before: str, after: str) -> str:
    if not after:
        return _("dropped: no pre-token contains it")
    if len(after) > len(before):
        return _("put before the text")
    return _("written with another character")


def _model(rule: str) -> str:
    if rule == "unknown":
        return _("not in the vocabulary: the unknown token takes its place")
    if rule == "dropped":
        return _("not in the vocabulary, which has no unknown token: dropped")
    return _("written with the marks of the vocabulary")


def _normalizer(rule: str) -> str:
    return {
        "NFC": _("characters and marks are composed"),
        "NFD": _("characters are decomposed into letters and marks"),
        "NFKC": _("compatibility characters are replaced, then composed"),
        "NFKD": _("compatibility characters are replaced and decomposed"),
        "Lowercase": _("converted to lower case"),
        "lowercase": _("converted to lower case"),
        "strip_accents": _("accents are removed"),
        "StripAccents": _("accents are removed"),
        "clean_text": _("control characters are removed, white space becomes spaces"),
        "Nmt": _("control characters are removed, white space becomes spaces"),
        "handle_chinese_chars": _("spaces are put around Chinese characters"),
        "Strip": _("white space at the ends is removed"),
        "Prepend": _("put before the text"),
        "character_map": _("replaced by the vocabulary’s character map"),
        "Precompiled": _("replaced by the vocabulary’s character map"),
        "white_space": _("white space is reduced to single spaces"),
    }.get(rule, _("replaced by a rule of the vocabulary"))


def _decoder(rule: str, after: str) -> str:
    if rule == "cleanup":
        return _("clean-up of English punctuation: spaces before it are removed, contractions joined")
    if "\ufffd" in after:
        return _("bytes that are not valid UTF-8")
    if rule == "SentencePiece" and not after:
        return _("the first space and control tokens are left out")
    return {
        "WordPiece": _("a space is put between words"),
        "BPE": _("a space is put after each word"),
        "SentencePiece": _("the mark of a space becomes a space"),
        "Metaspace": _("the mark of a space becomes a space"),
        "Join": _("the pieces are joined"),
    }.get(rule, _("replaced by a rule of the vocabulary"))
