"""Hugging Face's `tokenizer.json`: read and write a whole pipeline.

The package `tokenizers` loads what `write` gives and encodes to the same ids and offsets. Both directions go part by
part: `huggingface_parts` knows normalizers, pre-tokenizers and decoders, `huggingface_models` the models. What a file
asks for and this site does not have is a `FormatError`, so that no text is ever cut otherwise than the file says.
"""

from __future__ import annotations

import json
from typing import Any

from webapp.core.formats import end_of_word, huggingface_models, huggingface_parts
from webapp.core.formats.fields import FormatError, field, unsupported
from webapp.core.models.bpe import BPE
from webapp.core.tokenizer import Tokenizer

__all__ = ["FormatError", "read", "write"]

VERSION = "1.0"


def read(text: str) -> Tokenizer:
    """The tokenizer that a `tokenizer.json` describes.

    Its post-processor, truncation and padding are passed over: encoding here adds no special tokens and cuts nothing
    off. Its added tokens become special tokens.

    Raises FormatError, a ValueError, when the text is no JSON, a part is missing or malformed, or is of a kind that is
    not supported.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not a JSON file: {error}") from None
    if not isinstance(document, dict):
        raise FormatError("a tokenizer.json is a JSON object")
    if "model" not in document:
        raise FormatError('not a tokenizer.json: "model" is missing')
    try:
        return _read_document(document)
    except FormatError:
        raise
    except RecursionError:
        raise FormatError("the parts are nested too deeply") from None
    except ValueError as error:  # the parts' own objections, such as a merge without its piece
        raise FormatError(str(error)) from error


def write(tokenizer: Tokenizer) -> str:
    """The `tokenizer.json` of a tokenizer.

    Raises FormatError when a part has no counterpart there (maximum matching has none).
    """
    document: dict[str, Any] = {
        "version": VERSION,
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": id,
                "content": content,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for content, id in sorted(tokenizer.special_tokens.items(), key=lambda item: item[1])
        ],
    }
    byte_level = isinstance(tokenizer.model, BPE) and tokenizer.model.byte_level
    document["normalizer"] = huggingface_parts.write_normalizer(tokenizer.normalizer)
    document["pre_tokenizer"] = huggingface_parts.write_pretokenizer(tokenizer.pretokenizer, byte_level=byte_level)
    document["post_processor"] = None
    document["decoder"] = huggingface_parts.write_decoder(tokenizer.decoder)
    special_by_id = {id: content for content, id in tokenizer.special_tokens.items()}
    document["model"] = huggingface_models.write_model(tokenizer.model, special_by_id)
    if isinstance(tokenizer.model, BPE) and tokenizer.model.suffix_id is not None:
        document = end_of_word.marked(document, tokenizer.model.end_of_word_suffix)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _read_document(document: dict[str, Any]) -> Tokenizer:
    document = end_of_word.unmarked(document)
    special_tokens = _added_tokens(document)
    pretokenizer, byte_level = huggingface_parts.read_pretokenizer(field(document, "pre_tokenizer", dict, None))
    model = huggingface_models.read_model(field(document, "model", dict), special_tokens, byte_level=byte_level)
    return Tokenizer(
        model,
        normalizer=huggingface_parts.read_normalizer(field(document, "normalizer", dict, None)),
        pretokenizer=pretokenizer,
        decoder=huggingface_parts.read_decoder(field(document, "decoder", dict, None)),
        special_tokens=special_tokens,
    )


def _added_tokens(document: dict[str, Any]) -> dict[str, int]:
    tokens = {}
    for token in field(document, "added_tokens", list, []):
        if not isinstance(token, dict):
            raise FormatError('"added_tokens" should be a list of objects')
        for flag in ("single_word", "lstrip", "rstrip"):
            unsupported(token, flag, False)
        tokens[field(token, "content", str)] = field(token, "id", int)
    return tokens
