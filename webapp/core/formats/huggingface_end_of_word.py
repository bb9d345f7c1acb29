"""Express `</w>` as a symbol of its own in a `tokenizer.json`.

Sennrich et al. make the end of a word a symbol of the alphabet; Hugging Face's BPE can only attach it to the word's
last character (`end_of_word_suffix`). Its symbols are single characters, so the written file uses a marker instead: a
private-use character that no piece contains. The normalizer inserts the marker after every word, the pre-tokenizer
splits after the markers, and the pieces contain the marker in place of `</w>`. Ids and offsets then agree. A marker
that occurs in the text itself must not count as an end of word, so the normalizer first replaces it with a second
private-use character, which no piece contains either.
"""

from __future__ import annotations

from typing import Any

from webapp.core.formats.fields import FormatError
from webapp.core.text.word_characters import WORD

SUFFIX = "</w>"

Json = dict[str, Any]

# The ends of the runs that the Whitespace pre-tokenizer finds.
_CLASS = WORD.replace(r"\u200c\u200d", "\u200c\u200d")
_END_OF_WORD = rf"(?<=[{_CLASS}])(?![{_CLASS}])|(?<=[^{_CLASS}\s])(?![^{_CLASS}\s])"


def suffix_to_marker(document: Json, suffix: str) -> Json:
    """Return the document with the marker in place of `suffix`.

    Raises FormatError if the pipeline around the model is not that of Sennrich's BPE.
    """
    plain = (None, {"type": "Whitespace"}, {"type": "BPEDecoder", "suffix": suffix})
    if (document["normalizer"], document["pre_tokenizer"], document["decoder"]) != plain:
        raise FormatError("an end-of-word symbol can only be written with the Whitespace pre-tokenizer")
    model = document["model"]
    used = set("".join(model["vocab"]))
    marker, substitute = (character for character in map(chr, _first_free(used)))
    return {
        **document,
        **_pipeline(marker, substitute),
        "model": {**_replace_suffix(model, suffix, marker), "end_of_word_suffix": None},
    }


def marker_to_suffix(document: Json) -> Json:
    """Return the document with `</w>` in place of its end-of-word marker; without a marker, the document unchanged."""
    decoder, normalizer, model = (document.get(name) for name in ("decoder", "normalizer", "model"))
    try:
        marker = decoder["suffix"]  # type: ignore[index]
        substitute = normalizer["normalizers"][0]["content"]  # type: ignore[index]
        vocabulary, merges = model["vocab"], model["merges"]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return document
    if any(document.get(name) != part for name, part in _pipeline(marker, substitute).items()):
        return document
    if not isinstance(vocabulary, dict) or not isinstance(merges, list):
        return document
    return {
        **document,
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "decoder": {"type": "BPEDecoder", "suffix": SUFFIX},
        "model": {**_replace_suffix(model, marker, SUFFIX), "end_of_word_suffix": SUFFIX},  # type: ignore[arg-type]
    }


def _pipeline(marker: str, substitute: str) -> Json:
    return {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Replace", "pattern": {"String": marker}, "content": substitute},
                {"type": "Replace", "pattern": {"Regex": _END_OF_WORD}, "content": marker},
            ],
        },
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": rf"[^\s{marker}]+{marker}"},
            "behavior": "Removed",
            "invert": True,
        },
        "decoder": {"type": "BPEDecoder", "suffix": marker},
    }


def _first_free(used: set[str]) -> tuple[int, int]:
    free = [code for code in range(0xE000, 0xF900) if chr(code) not in used][:2]
    if len(free) < 2:
        raise FormatError("no unused private-use character is left to mark the end of a word")
    return free[0], free[1]


def _replace_suffix(model: Json, old: str, new: str) -> Json:
    """Return the model with `new` in place of `old` at the end of its pieces."""

    def replaced(piece: Any) -> Any:
        return piece[: -len(old)] + new if isinstance(piece, str) and piece.endswith(old) else piece

    return {
        **model,
        "vocab": {replaced(piece): id for piece, id in model["vocab"].items()},
        "merges": [
            [replaced(piece) for piece in merge] if isinstance(merge, list) else merge for merge in model["merges"]
        ],
    }
