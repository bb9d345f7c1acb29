"""Read and write the decoders of a `tokenizer.json`, by their `type`."""

from __future__ import annotations

from collections.abc import Callable

from webapp.core.formats.checked_patterns import common_budget
from webapp.core.formats.fields import FormatError, field
from webapp.core.formats.huggingface_fields import (
    DECODER,
    Json,
    one_character,
    pattern,
    read_part,
    replacement,
    scheme,
    whole_number,
)
from webapp.core.text import decoders
from webapp.core.text.decoders import Decoder, DecoderStep


def read_decoder(part: Json | None) -> Decoder:
    """Return the decoder that a part describes; without a part, pieces are joined with spaces, as in `tokenizers`."""
    if part is None:
        return decoders.DecoderSequence((decoders.Join(" "),))
    step = read_part(part, _DECODERS, DECODER)
    if isinstance(step, decoders.Fuse):
        return decoders.DecoderSequence((step,))
    return step if hasattr(step, "decode") else decoders.DecoderSequence((step,))


def write_decoder(decoder: Decoder | None) -> Json | None:
    """Return the part that describes a decoder; raises FormatError for one without a counterpart."""
    match decoder:
        case None | decoders.Join(separator=""):
            return {"type": "Fuse"}
        case decoders.Join(separator=" ") | decoders.DecoderSequence(steps=(decoders.Join(separator=" "),)):
            return None
        case decoders.DecoderSequence(steps=(decoders.Fuse(),)):
            return {"type": "Fuse"}
    return _write_step(decoder)  # type: ignore[arg-type]


def _write_step(step: DecoderStep) -> Json:
    match step:
        case decoders.ByteLevelDecoder():
            return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
        case decoders.BPEDecoder():
            return {"type": "BPEDecoder", "suffix": step.suffix}
        case decoders.WordPieceDecoder():
            return {"type": "WordPiece", "prefix": step.prefix, "cleanup": step.cleanup}
        case decoders.MetaspaceDecoder():
            return {
                "type": "Metaspace",
                "replacement": step.replacement,
                "prepend_scheme": "always" if step.prepend else "never",
                "split": True,
            }
        case decoders.DecoderSequence():
            return {"type": "Sequence", "decoders": [_write_step(inner) for inner in step.steps]}
        case decoders.ReplaceDecoder():
            kind = "Regex" if step.regular else "String"
            return {"type": "Replace", "pattern": {kind: step.pattern}, "content": step.content}
        case decoders.Fuse() | decoders.ByteFallback():
            return {"type": type(step).__name__}
        case decoders.StripDecoder():
            return {"type": "Strip", "content": step.content, "start": step.start, "stop": step.stop}
        case decoders.CTC():
            return {
                "type": "CTC",
                "pad_token": step.pad,
                "word_delimiter_token": step.word_delimiter,
                "cleanup": step.cleanup,
            }
    raise FormatError("%(part)s cannot be written to a tokenizer.json", part=type(step).__name__)


_DECODERS: dict[str, Callable[[Json], DecoderStep]] = {
    "ByteLevel": lambda part: decoders.ByteLevelDecoder(byte_characters=True),
    "BPEDecoder": lambda part: decoders.BPEDecoder(field(part, "suffix", str, "</w>")),
    "WordPiece": lambda part: decoders.WordPieceDecoder(
        field(part, "prefix", str, "##"), field(part, "cleanup", bool, True)
    ),
    "Metaspace": lambda part: decoders.MetaspaceDecoder(replacement(part), scheme(part)[0]),
    "ByteFallback": lambda part: decoders.ByteFallback(),
    "Fuse": lambda part: decoders.Fuse(),
    "Strip": lambda part: decoders.StripDecoder(
        one_character(part, "content"), whole_number(part, "start", 0), whole_number(part, "stop", 0)
    ),
    "Replace": lambda part: _replace(part),
    "CTC": lambda part: decoders.CTC(
        field(part, "pad_token", str, "<pad>"),
        field(part, "word_delimiter_token", str, "|"),
        field(part, "cleanup", bool, True),
    ),
    "Sequence": lambda part: decoders.DecoderSequence(
        tuple(read_part(step, _DECODERS, DECODER) for step in field(part, "decoders", list))
    ),
}


def _replace(part: Json) -> DecoderStep:
    found = field(part, "pattern", dict)
    content = field(part, "content", str)
    if "String" in found:
        plain = field(found, "String", str)
        return decoders.ReplaceDecoder(plain, content)
    source = pattern(part)
    return decoders.ReplaceDecoder(source, content, regular=True, budget=common_budget(source))
