"""Read and write the normalizers and pre-tokenizers of a `tokenizer.json`, by their `type`.

To add a type, add an entry to the table for reading and a case to the function for writing.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import get_args

from webapp.core.formats.checked_patterns import common_budget
from webapp.core.formats.fields import FormatError, field
from webapp.core.formats.huggingface_fields import (
    NORMALIZER,
    PRETOKENIZER,
    Json,
    as_object,
    one_character,
    pattern,
    read_part,
    replacement,
    scheme,
    whole_number,
)
from webapp.core.formats.huggingface_fields import (
    scheme_name as _scheme,
)
from webapp.core.text import normalizers, pretokenizers
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.character_normalizers import ByteCharacters, Nmt, Precompiled, Strip, StripAccents
from webapp.core.text.character_pretokenizers import CharacterDelimiter, Digits, FixedLength, UnicodeScripts
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.pretokenizers import PreTokenizer
from webapp.core.text.split_behaviors import Behavior
from webapp.core.vocabulary_error import shown

# --- normalizers ------------------------------------------------------------------------------------------------------


def read_normalizer(part: Json | None) -> Normalizer | None:
    """Return the normalizer that a part describes; raises FormatError for an unsupported type."""
    return None if part is None else read_part(part, _NORMALIZERS, NORMALIZER)


def write_normalizer(normalizer: Normalizer | None) -> Json | None:
    """Return the part that describes a normalizer; raises FormatError for one without a counterpart."""
    match normalizer:
        case None:
            return None
        case normalizers.NFC() | normalizers.NFD() | normalizers.NFKC() | normalizers.NFKD():
            return {"type": normalizer.form}
        case normalizers.Lowercase():
            return {"type": "Lowercase"}
        case normalizers.BertNormalizer():
            return {
                "type": "BertNormalizer",
                "clean_text": normalizer.clean_text,
                "handle_chinese_chars": normalizer.handle_chinese_chars,
                "strip_accents": normalizer.strip_accents,
                "lowercase": normalizer.lowercase,
            }
        case normalizers.Replace():
            return {
                "type": "Replace",
                "pattern": {"Regex": normalizer.pattern},
                "content": normalizer.content,
            }
        case Strip():
            return {"type": "Strip", "strip_left": normalizer.left, "strip_right": normalizer.right}
        case StripAccents() | Nmt():
            return {"type": type(normalizer).__name__}
        case normalizers.Prepend():
            return {"type": "Prepend", "prepend": normalizer.prepend}
        case normalizers.NormalizerSequence():
            return {
                "type": "Sequence",
                "normalizers": [write_normalizer(inner) for inner in normalizer.normalizers],
            }
    raise FormatError("%(part)s cannot be written to a tokenizer.json", part=type(normalizer).__name__)


_NORMALIZERS: dict[str, Callable[[Json], Normalizer]] = {
    "NFC": lambda part: normalizers.NFC(),
    "NFD": lambda part: normalizers.NFD(),
    "NFKC": lambda part: normalizers.NFKC(),
    "NFKD": lambda part: normalizers.NFKD(),
    "Lowercase": lambda part: normalizers.Lowercase(),
    "Strip": lambda part: Strip(field(part, "strip_left", bool), field(part, "strip_right", bool)),
    "StripAccents": lambda part: StripAccents(),
    "Nmt": lambda part: Nmt(),
    "ByteLevel": lambda part: ByteCharacters(),
    "Precompiled": lambda part: _precompiled(part),
    "BertNormalizer": lambda part: normalizers.BertNormalizer(
        clean_text=field(part, "clean_text", bool, True),
        handle_chinese_chars=field(part, "handle_chinese_chars", bool, True),
        strip_accents=field(part, "strip_accents", bool, None),
        lowercase=field(part, "lowercase", bool, True),
    ),
    "Replace": lambda part: normalizers.Replace(
        source := pattern(part), field(part, "content", str), common_budget(source)
    ),
    "Prepend": lambda part: normalizers.Prepend(field(part, "prepend", str)),
    "Sequence": lambda part: normalizers.NormalizerSequence(
        tuple(read_part(inner, _NORMALIZERS, NORMALIZER) for inner in field(part, "normalizers", list))
    ),
}


def _precompiled(part: Json) -> Normalizer:
    encoded = field(part, "precompiled_charsmap", str)
    try:
        return Precompiled(CharacterMap.read(base64.b64decode(encoded, validate=True)))
    except ValueError as error:  # from base64, or a CharacterMapError
        raise FormatError("the precompiled character map is broken: %(error)s", error=FormatError.of(error)) from None


# --- pre-tokenizers ---------------------------------------------------------------------------------------------------

_BYTES_ONLY: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def _byte_level(pretokenizer: pretokenizers.ByteLevel) -> Json:
    return {**_BYTES_ONLY, "add_prefix_space": pretokenizer.add_prefix_space, "use_regex": pretokenizer.use_regex}


def read_pretokenizer(part: Json | None) -> list[PreTokenizer]:
    """Return the pre-tokenizers that a part describes, in order; raises FormatError for an unsupported type."""
    if part is None:
        return []
    if part.get("type") == "Sequence":
        inner = field(part, "pretokenizers", list)
        return [found for each in inner for found in read_pretokenizer(as_object(each, PRETOKENIZER))]
    return [read_part(part, _PRETOKENIZERS, PRETOKENIZER)]


def write_pretokenizer(pretokenizer: PreTokenizer | None, *, byte_level: bool) -> Json | None:
    """Return the part that describes a pre-tokenizer, for a model over bytes or over characters.

    Raises FormatError for a pre-tokenizer without a counterpart.
    """
    if not byte_level:
        return None if pretokenizer is None else _write_pretokenizer(pretokenizer)
    match pretokenizer:
        case None:
            return _BYTES_ONLY
        case pretokenizers.ByteLevel():
            return _byte_level(pretokenizer)
        case pretokenizers.PreTokenizerSequence() if isinstance(
            pretokenizer.pretokenizers[-1], pretokenizers.ByteLevel
        ):
            return _write_pretokenizer(pretokenizer)
        case pretokenizers.PreTokenizerSequence():
            parts = [*map(_write_pretokenizer, pretokenizer.pretokenizers), _BYTES_ONLY]
            return {"type": "Sequence", "pretokenizers": parts}
    return {"type": "Sequence", "pretokenizers": [_write_pretokenizer(pretokenizer), _BYTES_ONLY]}


def _write_pretokenizer(pretokenizer: PreTokenizer) -> Json:
    match pretokenizer:
        case pretokenizers.ByteLevel():
            return _byte_level(pretokenizer)
        case pretokenizers.Whitespace() | pretokenizers.WhitespaceSplit() | pretokenizers.BertPreTokenizer():
            return {"type": type(pretokenizer).__name__}
        case Digits():
            return {"type": "Digits", "individual_digits": pretokenizer.individual}
        case UnicodeScripts():
            return {"type": "UnicodeScripts"}
        case CharacterDelimiter():
            return {"type": "CharDelimiterSplit", "delimiter": pretokenizer.delimiter}
        case FixedLength():
            return {"type": "FixedLength", "length": pretokenizer.length}
        case pretokenizers.Punctuation():
            return {"type": "Punctuation", "behavior": _BEHAVIORS[pretokenizer.behavior]}
        case pretokenizers.Split():
            return {
                "type": "Split",
                "pattern": {"Regex": pretokenizer.pattern},
                "behavior": _BEHAVIORS[pretokenizer.behavior],
                "invert": pretokenizer.invert,
            }
        case pretokenizers.Metaspace():
            return {
                "type": "Metaspace",
                "replacement": pretokenizer.replacement,
                "prepend_scheme": _scheme(pretokenizer.prepend, pretokenizer.only_first),
                "split": pretokenizer.splits,
            }
        case pretokenizers.PreTokenizerSequence():
            return {
                "type": "Sequence",
                "pretokenizers": [_write_pretokenizer(inner) for inner in pretokenizer.pretokenizers],
            }
    raise FormatError("%(part)s cannot be written to a tokenizer.json", part=type(pretokenizer).__name__)


_BEHAVIORS: dict[str, str] = {
    "isolated": "Isolated",
    "removed": "Removed",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}


def _behavior(part: Json) -> Behavior:
    wanted = field(part, "behavior", str, "Isolated")
    for behavior in get_args(Behavior):
        if _BEHAVIORS[behavior] == wanted:
            return behavior  # type: ignore[no-any-return]
    raise FormatError('"behavior": %(wanted)s is not supported', wanted=shown(wanted))


_PRETOKENIZERS: dict[str, Callable[[Json], PreTokenizer]] = {
    "ByteLevel": lambda part: pretokenizers.ByteLevel(
        add_prefix_space=field(part, "add_prefix_space", bool), use_regex=field(part, "use_regex", bool, True)
    ),
    "Whitespace": lambda part: pretokenizers.Whitespace(),
    "WhitespaceSplit": lambda part: pretokenizers.WhitespaceSplit(),
    "BertPreTokenizer": lambda part: pretokenizers.BertPreTokenizer(),
    "Punctuation": lambda part: pretokenizers.Punctuation(_behavior(part)),
    "Split": lambda part: pretokenizers.Split(
        source := pattern(part), _behavior(part), field(part, "invert", bool, False), common_budget(source)
    ),
    "Metaspace": lambda part: _metaspace(part),
    "Digits": lambda part: Digits(field(part, "individual_digits", bool)),
    "UnicodeScripts": lambda part: UnicodeScripts(),
    "CharDelimiterSplit": lambda part: CharacterDelimiter(one_character(part, "delimiter")),
    "FixedLength": lambda part: FixedLength(whole_number(part, "length", 5, least=1)),
}


def _metaspace(part: Json) -> PreTokenizer:
    prepend, only_first = scheme(part)
    return pretokenizers.Metaspace(replacement(part), prepend, only_first, field(part, "split", bool, True))
