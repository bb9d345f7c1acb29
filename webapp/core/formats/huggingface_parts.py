"""The parts of a `tokenizer.json` around the model, each by its `type`.

A new kind of part is a line in a table for reading and one in the function for writing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import regex

from webapp.core import decoders, normalizers, pretokenizers
from webapp.core.decoders import Decoder, Step
from webapp.core.formats.fields import FormatError, field, unsupported
from webapp.core.normalizers import Normalizer
from webapp.core.pretokenizers import PreTokenizer

Json = dict[str, Any]


# --- normalizers ------------------------------------------------------------------------------------------------------


def read_normalizer(part: Json | None) -> Normalizer | None:
    """The normalizer that a part describes; raises FormatError for one that is not known."""
    return None if part is None else _read(part, _NORMALIZERS, "normalizer")


def write_normalizer(normalizer: Normalizer | None) -> Json | None:
    """The part that describes a normalizer; raises FormatError for one without counterpart."""
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
        case normalizers.Prepend():
            return {"type": "Prepend", "prepend": normalizer.prepend}
        case normalizers.Sequence():
            return {
                "type": "Sequence",
                "normalizers": [write_normalizer(inner) for inner in normalizer.normalizers],
            }
    raise FormatError(f"{type(normalizer).__name__} cannot be written to a tokenizer.json")


_NORMALIZERS: dict[str, Callable[[Json], Normalizer]] = {
    "NFC": lambda part: normalizers.NFC(),
    "NFD": lambda part: normalizers.NFD(),
    "NFKC": lambda part: normalizers.NFKC(),
    "NFKD": lambda part: normalizers.NFKD(),
    "Lowercase": lambda part: normalizers.Lowercase(),
    "BertNormalizer": lambda part: normalizers.BertNormalizer(
        clean_text=field(part, "clean_text", bool, True),
        handle_chinese_chars=field(part, "handle_chinese_chars", bool, True),
        strip_accents=field(part, "strip_accents", bool, None),
        lowercase=field(part, "lowercase", bool, True),
    ),
    "Replace": lambda part: normalizers.Replace(_pattern(part), field(part, "content", str)),
    "Prepend": lambda part: normalizers.Prepend(field(part, "prepend", str)),
    "Sequence": lambda part: normalizers.Sequence(
        tuple(_read(inner, _NORMALIZERS, "normalizer") for inner in field(part, "normalizers", list))
    ),
}


# --- pre-tokenizers ---------------------------------------------------------------------------------------------------

_BYTES_ONLY: Json = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def read_pretokenizer(part: Json | None) -> tuple[PreTokenizer | None, bool]:
    """The pre-tokenizer that a part describes, and whether it hands the model bytes.

    Raises FormatError for one that is not known. In a file `ByteLevel` does two things, cutting and turning text into
    bytes; here the second is the model's.
    """
    if part is None:
        return None, False
    parts = field(part, "pretokenizers", list) if part.get("type") == "Sequence" else [part]
    byte_level = False
    found: list[PreTokenizer] = []
    for at, inner in enumerate(parts):
        if isinstance(inner, dict) and inner.get("type") == "ByteLevel":
            if at != len(parts) - 1:
                raise FormatError("a ByteLevel pre-tokenizer is only supported as the last one")
            unsupported(inner, "add_prefix_space", False)
            byte_level = True
            if field(inner, "use_regex", bool, True):
                found.append(pretokenizers.ByteLevel())
        else:
            found.append(_read(inner, _PRETOKENIZERS, "pre-tokenizer"))
    if not found:
        return None, byte_level
    return found[0] if len(found) == 1 else pretokenizers.Sequence(tuple(found)), byte_level


def write_pretokenizer(pretokenizer: PreTokenizer | None, *, byte_level: bool) -> Json | None:
    """The part that describes a pre-tokenizer, for a model over bytes or over characters."""
    if not byte_level:
        return None if pretokenizer is None else _write_pretokenizer(pretokenizer)
    match pretokenizer:
        case None:
            return _BYTES_ONLY
        case pretokenizers.ByteLevel():
            return {**_BYTES_ONLY, "use_regex": True}
        case pretokenizers.Sequence() if isinstance(pretokenizer.pretokenizers[-1], pretokenizers.ByteLevel):
            *before, _ = map(_write_pretokenizer, pretokenizer.pretokenizers)
            return {"type": "Sequence", "pretokenizers": [*before, {**_BYTES_ONLY, "use_regex": True}]}
        case pretokenizers.Sequence():
            parts = [*map(_write_pretokenizer, pretokenizer.pretokenizers), _BYTES_ONLY]
            return {"type": "Sequence", "pretokenizers": parts}
    return {"type": "Sequence", "pretokenizers": [_write_pretokenizer(pretokenizer), _BYTES_ONLY]}


def _write_pretokenizer(pretokenizer: PreTokenizer) -> Json:
    match pretokenizer:
        case pretokenizers.ByteLevel():
            return {**_BYTES_ONLY, "use_regex": True}
        case pretokenizers.Whitespace() | pretokenizers.WhitespaceSplit() | pretokenizers.BertPreTokenizer():
            return {"type": type(pretokenizer).__name__}
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
                "prepend_scheme": "always" if pretokenizer.prepend else "never",
                "split": True,
            }
        case pretokenizers.Sequence():
            return {
                "type": "Sequence",
                "pretokenizers": [_write_pretokenizer(inner) for inner in pretokenizer.pretokenizers],
            }
    raise FormatError(f"{type(pretokenizer).__name__} cannot be written to a tokenizer.json")


_BEHAVIORS: dict[str, str] = {
    "isolated": "Isolated",
    "removed": "Removed",
    "merged_with_previous": "MergedWithPrevious",
    "merged_with_next": "MergedWithNext",
    "contiguous": "Contiguous",
}


def _behavior(part: Json) -> pretokenizers.Behavior:
    wanted = field(part, "behavior", str, "Isolated")
    for behavior in get_args(pretokenizers.Behavior):
        if _BEHAVIORS[behavior] == wanted:
            return behavior  # type: ignore[no-any-return]
    raise FormatError(f'"behavior": {wanted!r} is not known')


_PRETOKENIZERS: dict[str, Callable[[Json], PreTokenizer]] = {
    "Whitespace": lambda part: pretokenizers.Whitespace(),
    "WhitespaceSplit": lambda part: pretokenizers.WhitespaceSplit(),
    "BertPreTokenizer": lambda part: pretokenizers.BertPreTokenizer(),
    "Punctuation": lambda part: pretokenizers.Punctuation(_behavior(part)),
    "Split": lambda part: pretokenizers.Split(_pattern(part), _behavior(part), field(part, "invert", bool, False)),
    "Metaspace": lambda part: _metaspace(part),
    "Sequence": lambda part: pretokenizers.Sequence(
        tuple(_read(inner, _PRETOKENIZERS, "pre-tokenizer") for inner in field(part, "pretokenizers", list))
    ),
}


def _metaspace(part: Json) -> PreTokenizer:
    unsupported(part, "split", True)
    unsupported(part, "prepend_scheme", "always", "never")
    return pretokenizers.Metaspace(_replacement(part), _prepends(part))


# --- decoders ---------------------------------------------------------------------------------------------------------


def read_decoder(part: Json | None) -> Decoder:
    """The decoder that a part describes; without one, `tokenizers` puts a space between the pieces."""
    return decoders.Join(" ") if part is None else _read(part, _DECODERS, "decoder")


def write_decoder(decoder: Decoder | None) -> Json | None:
    """The part that describes a decoder; raises FormatError for one without counterpart."""
    match decoder:
        case None | decoders.Join(separator=""):
            return {"type": "Fuse"}
        case decoders.Join(separator=" "):
            return None
        case decoders.ByteLevel():
            return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
        case decoders.BPEDecoder():
            return {"type": "BPEDecoder", "suffix": decoder.suffix}
        case decoders.WordPiece():
            return {"type": "WordPiece", "prefix": decoder.prefix, "cleanup": decoder.cleanup}
        case decoders.Metaspace():
            return {
                "type": "Metaspace",
                "replacement": decoder.replacement,
                "prepend_scheme": "always" if decoder.prepend else "never",
                "split": True,
            }
        case decoders.Sequence():
            return {"type": "Sequence", "decoders": [_write_step(step) for step in decoder.steps]}
    raise FormatError(f"{type(decoder).__name__} cannot be written to a tokenizer.json")


def _write_step(step: Step) -> Json:
    match step:
        case decoders.Replace():
            return {"type": "Replace", "pattern": {"String": step.pattern}, "content": step.content}
        case decoders.Fuse():
            return {"type": "Fuse"}
        case decoders.Strip():
            return {"type": "Strip", "content": step.content, "start": step.start, "stop": step.stop}
    raise FormatError(f"{type(step).__name__} cannot be written to a tokenizer.json")


def _plain_text(part: Json) -> str:
    return field(field(part, "pattern", dict), "String", str)


_STEPS: dict[str, Callable[[Json], Step]] = {
    "Replace": lambda part: decoders.Replace(_plain_text(part), field(part, "content", str)),
    "Fuse": lambda part: decoders.Fuse(),
    "Strip": lambda part: decoders.Strip(
        field(part, "content", str), field(part, "start", int, 0), field(part, "stop", int, 0)
    ),
}

_DECODERS: dict[str, Callable[[Json], Decoder]] = {
    "Fuse": lambda part: decoders.Join(),
    "Sequence": lambda part: decoders.Sequence(
        tuple(_read(step, _STEPS, "decoder") for step in field(part, "decoders", list))
    ),
    "ByteLevel": lambda part: decoders.ByteLevel(),
    "BPEDecoder": lambda part: decoders.BPEDecoder(field(part, "suffix", str, "</w>")),
    "WordPiece": lambda part: decoders.WordPiece(field(part, "prefix", str, "##"), field(part, "cleanup", bool, True)),
    "Metaspace": lambda part: decoders.Metaspace(_replacement(part), _prepends(part)),
}


# --- what they share --------------------------------------------------------------------------------------------------


def _read(part: object, table: dict[str, Callable[[Json], Any]], what: str) -> Any:
    if not isinstance(part, dict):
        raise FormatError(f"a {what} should be an object")
    kind = field(part, "type", str)
    if kind not in table:
        raise FormatError(f"the {what} {kind!r} is not supported")
    return table[kind](part)


def _pattern(part: Json) -> str:
    pattern = field(part, "pattern", dict)
    if "String" in pattern:
        return regex.escape(field(pattern, "String", str), special_only=True)
    source = field(pattern, "Regex", str)
    try:
        regex.compile(source)
    except regex.error as error:
        raise FormatError(f"the pattern {source!r} cannot be compiled: {error}") from None
    return source


def _replacement(part: Json) -> str:
    replacement = field(part, "replacement", str, "▁")
    if len(replacement) != 1:
        raise FormatError(f'"replacement" should be one character, not {replacement!r}')
    return replacement


def _prepends(part: Json) -> bool:
    return field(part, "prepend_scheme", str, "always") != "never"
