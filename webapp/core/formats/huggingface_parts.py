"""Read and write the normalizers, pre-tokenizers and decoders of a `tokenizer.json`, by their `type`.

Three tables say for each `type` which class it is and how each field of the file becomes an argument of the class and
back; to add a type, add an entry.
"""

import base64
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, get_args

import regex

from webapp.core.formats.patterns import (
    as_oniguruma,
    check_length,
    check_source,
    checked_pattern,
    common_budget,
    translated,
)
from webapp.core.formats.reading import FormatError, field
from webapp.core.formats.written_parts import compiled_map
from webapp.core.text import decoders, normalizers, pretokenizers
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.character_normalizers import ByteCharacters, Nmt, Precompiled, Strip, StripAccents
from webapp.core.text.character_pretokenizers import (
    ByteLevelCharacters,
    CharacterDelimiter,
    Digits,
    FixedLength,
    UnicodeScripts,
)
from webapp.core.text.decoders import Decoder
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.pretokenizers import PreTokenizer
from webapp.core.text.split_patterns import Behavior
from webapp.core.vocabulary_error import Phrase, shown

Json = dict[str, Any]

NORMALIZER, PRETOKENIZER, DECODER = Phrase("normalizer"), Phrase("pre-tokenizer"), Phrase("decoder")
POSTPROCESSOR = Phrase("post-processor")


def read_normalizer(part: Json | None) -> Normalizer | None:
    """Return the normalizer that a part describes; raises FormatError for an unsupported type."""
    return None if part is None else _read(part, _NORMALIZERS, NORMALIZER)


def write_normalizer(normalizer: Normalizer | None) -> Json | None:
    """Return the part that describes a normalizer; raises FormatError for one without a counterpart."""
    return None if normalizer is None else _written(normalizer, _NORMALIZERS)


def read_pretokenizer(part: Json | None) -> list[PreTokenizer]:
    """Return the pre-tokenizers that a part describes, in order; raises FormatError for an unsupported type."""
    if part is None:
        return []
    if part.get("type") == "Sequence":
        inner = field(part, "pretokenizers", list)
        return [found for each in inner for found in read_pretokenizer(as_object(each, PRETOKENIZER))]
    return [_read(part, _PRETOKENIZERS, PRETOKENIZER)]


def write_pretokenizer(pretokenizer: PreTokenizer | None, *, byte_level: bool) -> Json | None:
    """Return the part that describes a pre-tokenizer, for a model over bytes or over characters.

    Raises FormatError for a pre-tokenizer without a counterpart.
    """
    if pretokenizer is None and not byte_level:
        return None
    steps = [pretokenizer] if pretokenizer is not None else []
    if isinstance(pretokenizer, pretokenizers.PreTokenizerSequence):
        steps = [*pretokenizer.pretokenizers]
    if byte_level and not (steps and isinstance(steps[-1], pretokenizers.ByteLevel)):
        steps.append(pretokenizers.ByteLevel(use_regex=False))
    parts = [_written(step, _PRETOKENIZERS) for step in steps]
    if len(parts) == 1 and not isinstance(pretokenizer, pretokenizers.PreTokenizerSequence):
        return parts[0]
    return {"type": "Sequence", "pretokenizers": parts}


def read_decoder(part: Json | None) -> Decoder:
    """Return the decoder that a part describes; without a part, pieces are joined with spaces, as in `tokenizers`."""
    step = decoders.Join(" ") if part is None else _read(part, _DECODERS, DECODER)
    alone = hasattr(step, "decode") and part is not None
    return step if alone else decoders.DecoderSequence((step,))


def write_decoder(decoder: Decoder | None) -> Json | None:
    """Return the part that describes a decoder; raises FormatError for one without a counterpart."""
    match decoder:
        case None | decoders.Join(separator=""):
            return {"type": "Fuse"}
        case decoders.Join(separator=" ") | decoders.DecoderSequence(steps=(decoders.Join(separator=" "),)):
            return None
        case decoders.DecoderSequence(steps=(decoders.Fuse(),)):
            return {"type": "Fuse"}
    return _written(decoder, _DECODERS)


# --- fields -----------------------------------------------------------------------------------------------------------


def as_object(part: object, what: Phrase) -> Json:
    """Return the part; raises FormatError if it is not an object."""
    if not isinstance(part, dict):
        raise FormatError("each %(what)s should be an object", what=what)
    return part


def whole_number(part: Json, name: str, default: int, *, least: int = 0) -> int:
    """Return an integer field, which must be at least `least` and below 2³²."""
    number = field(part, name, int, default)
    if not least <= number < 1 << 32:
        raise FormatError(
            '"%(name)s" should be an integer of at least %(least)s, not %(number)s',
            name=name,
            least=least,
            number=shown(number),
        )
    return number


class PartField(NamedTuple):
    """How keys of a file become arguments of a class, and how an instance of the class becomes the keys."""

    read: Callable[[Json], Json]
    write: Callable[[Any], Json]


class PartType(NamedTuple):
    """The class of a `type`, and its fields in the order of the file."""

    cls: Callable[..., Any]
    fields: tuple[PartField, ...] = ()


def _field(
    name: str,
    *arguments: Any,
    read: Callable[..., Any] = field,
    write: Callable[[Any], Any] = lambda value: value,
    attribute: str = "",
) -> PartField:
    """One key for one argument: `read(part, name, *arguments)` gives its value, `write` what the file says."""
    attribute = attribute or name
    return PartField(
        lambda part: {attribute: read(part, name, *arguments)}, lambda step: {name: write(getattr(step, attribute))}
    )


def _constant(**keys: Any) -> PartField:
    """Keys that are written with the same values always, and not read."""
    return PartField(lambda part: {}, lambda step: keys)


def _several(name: str, table: Callable[[], dict[str, PartType]], what: Phrase, attribute: str = "") -> PartField:
    """A list of parts; `table` returns their table, which contains this field."""
    return _field(
        name,
        read=lambda part, name: tuple(_read(each, table(), what) for each in field(part, name, list)),
        write=lambda steps: [_written(each, table()) for each in steps],
        attribute=attribute,
    )


def _plain(*classes: type[Any]) -> dict[str, PartType]:
    """Types without fields, each of which has the name of its class."""
    return {cls.__name__: PartType(cls) for cls in classes}


def _read(part: object, table: dict[str, PartType], what: Phrase) -> Any:
    """Read a part by its `type`; raises FormatError for an unsupported type."""
    part = as_object(part, what)
    kind = field(part, "type", str)
    if kind not in table:
        raise FormatError("the %(what)s %(kind)s is not supported", what=what, kind=shown(kind))
    return table[kind].cls(**{name: value for each in table[kind].fields for name, value in each.read(part).items()})


def _written(step: object, table: dict[str, PartType]) -> Json:
    """The part for a step; raises FormatError for a class that no type has."""
    if isinstance(step, ByteLevelCharacters):
        step = step.byte_level
    for kind, part in table.items():
        if part.cls is type(step):
            return {"type": kind, **{name: value for each in part.fields for name, value in each.write(step).items()}}
    raise FormatError("%(part)s cannot be written to a tokenizer.json", part=type(step).__name__)


def _pattern(part: Json, name: str = "pattern") -> str:
    """Return a part's pattern for `regex`; raises FormatError for one that cannot be compiled or may take too long."""
    source = field(part, name, dict)
    if "String" in source:
        plain = field(source, "String", str)
        check_length(plain)
        return regex.escape(plain, special_only=True)
    regular = field(source, "Regex", str)
    check_source(regular)
    return checked_pattern(translated(regular))


def _read_limited(part: Json) -> Json:
    source = _pattern(part)
    return {"pattern": source, "budget": common_budget(source)}


def _read_pattern_or_text(part: Json) -> Json:
    """The pattern of a decoder, which replaces plain text without `regex`."""
    found = field(part, "pattern", dict)
    if "String" in found:
        return {"pattern": field(found, "String", str)}
    return {**_read_limited(part), "regular": True}


def _one_character(part: Json, name: str, *default: str) -> str:
    value = field(part, name, str, *default)
    if len(value) != 1:
        raise FormatError('"%(name)s" should be one character, not %(found)s', name=name, found=shown(value))
    return value


def _read_scheme(part: Json) -> Json:
    """Whether a space is prepended to the text, and whether to its first segment only.

    Files from before 2024 have `add_prefix_space` instead of a scheme.
    """
    default = "always" if field(part, "add_prefix_space", bool, True) else "never"
    name = field(part, "prepend_scheme", str, default)
    if name not in ("always", "first", "never"):
        raise FormatError('"prepend_scheme": %(name)s is not supported', name=shown(name))
    return {"prepend": name != "never", "only_first": name == "first"}


def _write_scheme(step: Any) -> Json:
    only_first = getattr(step, "only_first", False)
    return {"prepend_scheme": ("first" if only_first else "always") if step.prepend else "never"}


def _read_behavior(part: Json, name: str) -> Behavior:
    wanted = field(part, name, str, "Isolated")
    for behavior, written in _BEHAVIORS.items():
        if written == wanted:
            return behavior
    raise FormatError('"behavior": %(wanted)s is not supported', wanted=shown(wanted))


def _read_character_map(part: Json, name: str) -> CharacterMap:
    try:
        return CharacterMap.read(base64.b64decode(field(part, name, str), validate=True))
    except FormatError:
        raise
    except ValueError as error:  # from base64, or a CharacterMapError
        raise FormatError("the precompiled character map is broken: %(error)s", error=FormatError.of(error)) from None


# --- types ------------------------------------------------------------------------------------------------------------

_BEHAVIORS: dict[Behavior, str] = {each: each.title().replace("_", "") for each in get_args(Behavior)}
_BEHAVIOR = _field("behavior", read=_read_behavior, write=_BEHAVIORS.__getitem__)
_LIMITED = PartField(_read_limited, lambda step: {"pattern": {"Regex": as_oniguruma(step.pattern)}})
_PATTERN_OR_TEXT = PartField(
    _read_pattern_or_text,
    lambda step: {"pattern": {"Regex": as_oniguruma(step.pattern)} if step.regular else {"String": step.pattern}},
)
_CONTENT = _field("content", str)
_REPLACEMENT = _field("replacement", "▁", read=_one_character)
_SCHEME = PartField(_read_scheme, _write_scheme)
_USE_REGEX = _field("use_regex", bool, True)

_NORMALIZERS: dict[str, PartType] = {
    **_plain(normalizers.NFC, normalizers.NFD, normalizers.NFKC, normalizers.NFKD),
    **_plain(normalizers.Lowercase, StripAccents, Nmt),
    "Strip": PartType(
        Strip, (_field("strip_left", bool, attribute="left"), _field("strip_right", bool, attribute="right"))
    ),
    "ByteLevel": PartType(ByteCharacters),
    "Precompiled": PartType(
        Precompiled,
        (
            _field(
                "precompiled_charsmap",
                read=_read_character_map,
                write=lambda rules: base64.b64encode(compiled_map(rules)).decode(),
                attribute="character_map",
            ),
        ),
    ),
    "BertNormalizer": PartType(
        normalizers.BertNormalizer,
        (
            _field("clean_text", bool, True),
            _field("handle_chinese_chars", bool, True),
            _field("strip_accents", bool, None),
            _field("lowercase", bool, True),
        ),
    ),
    "Replace": PartType(normalizers.Replace, (_LIMITED, _CONTENT)),
    "Prepend": PartType(normalizers.Prepend, (_field("prepend", str),)),
    "Sequence": PartType(normalizers.NormalizerSequence, (_several("normalizers", lambda: _NORMALIZERS, NORMALIZER),)),
}

_PRETOKENIZERS: dict[str, PartType] = {
    "ByteLevel": PartType(
        pretokenizers.ByteLevel, (_field("add_prefix_space", bool), _constant(trim_offsets=True), _USE_REGEX)
    ),
    **_plain(pretokenizers.Whitespace, pretokenizers.WhitespaceSplit, pretokenizers.BertPreTokenizer, UnicodeScripts),
    "Punctuation": PartType(pretokenizers.Punctuation, (_BEHAVIOR,)),
    "Split": PartType(pretokenizers.Split, (_LIMITED, _BEHAVIOR, _field("invert", bool, False))),
    "Metaspace": PartType(
        pretokenizers.Metaspace, (_REPLACEMENT, _SCHEME, _field("split", bool, True, attribute="splits"))
    ),
    "Digits": PartType(Digits, (_field("individual_digits", bool, attribute="individual"),)),
    "CharDelimiterSplit": PartType(CharacterDelimiter, (_field("delimiter", read=_one_character),)),
    "FixedLength": PartType(FixedLength, (_field("length", 5, read=partial(whole_number, least=1)),)),
    # Only to write one inside another; `read_pretokenizer` joins them.
    "Sequence": PartType(
        pretokenizers.PreTokenizerSequence, (_several("pretokenizers", lambda: _PRETOKENIZERS, PRETOKENIZER),)
    ),
}

_DECODERS: dict[str, PartType] = {
    "ByteLevel": PartType(
        decoders.ByteLevelDecoder,
        (
            PartField(
                lambda part: {"byte_characters": True},
                lambda step: {"add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            ),
        ),
    ),
    "BPEDecoder": PartType(decoders.BPEDecoder, (_field("suffix", str, "</w>"),)),
    "WordPiece": PartType(decoders.WordPieceDecoder, (_field("prefix", str, "##"), _field("cleanup", bool, True))),
    "Metaspace": PartType(
        decoders.MetaspaceDecoder,
        (
            _REPLACEMENT,
            PartField(lambda part: {"prepend": _read_scheme(part)["prepend"]}, _write_scheme),
            _constant(split=True),
        ),
    ),
    **_plain(decoders.ByteFallback, decoders.Fuse),
    "Strip": PartType(
        decoders.StripDecoder,
        (
            _field("content", read=_one_character),
            _field("start", 0, read=whole_number),
            _field("stop", 0, read=whole_number),
        ),
    ),
    "Replace": PartType(decoders.ReplaceDecoder, (_PATTERN_OR_TEXT, _CONTENT)),
    "CTC": PartType(
        decoders.CTC,
        (
            _field("pad_token", str, "<pad>", attribute="pad"),
            _field("word_delimiter_token", str, "|", attribute="word_delimiter"),
            _field("cleanup", bool, True),
        ),
    ),
    "Sequence": PartType(
        decoders.DecoderSequence, (_several("decoders", lambda: _DECODERS, DECODER, attribute="steps"),)
    ),
}
