"""An expanded vocabulary as files: in the format of its base, so that the base's own library reads it."""

from __future__ import annotations

import json
from binascii import b2a_base64
from collections.abc import Iterator, Mapping

from webapp.core.expansion.result import Expansion
from webapp.core.formats import huggingface, sentencepiece
from webapp.core.formats.fields import FormatError
from webapp.core.formats.sentencepiece_message import ModelProto
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import ScoredModel
from webapp.core.text import split_patterns
from webapp.core.text.pretokenizers import Split
from webapp.core.tokenizer import Tokenizer

TOKENIZER_JSON = "tokenizer.json"
SENTENCEPIECE = "tokenizer.model"
TIKTOKEN = "ranks.tiktoken"
SCORES = "tokens_and_scores.json"
OLD_IDS = "old_ids.json"

# `tiktoken`'s patterns as `tokenizers` spells them: its engine reads `{1,3}+` as a repetition, not as possessive.
_SPELLED: Mapping[str, str] = {
    split_patterns.R50K_BASE: split_patterns.GPT2,
    split_patterns.CL100K_BASE: split_patterns.CL100K,
}


def files_of(expansion: Expansion, base_file: bytes | None = None) -> dict[str, bytes]:
    """Return the files of an expansion by name; the first one can be uploaded.

    `base_file` is the file of the base, which a SentencePiece model needs: pieces are appended to it, and everything
    else in it stays. The last file has, for each new piece in order, the ids of the pieces that the base has for it.

    Raises FormatError if the vocabulary has no such file.
    """
    model = expansion.tokenizer.model
    files: dict[str, bytes] = {}
    if isinstance(model, RankBPE):
        files[TOKENIZER_JSON] = huggingface.write(with_merges(expansion.tokenizer)).encode()
        files[TIKTOKEN] = rank_lines(model)
    elif isinstance(model, ScoredModel):
        if base_file is not None and base_file.lstrip()[:1] == b"{":
            files[SCORES] = tokens_and_scores(expansion, base_file)
        elif base_file is not None:
            files[SENTENCEPIECE] = sentencepiece_model(expansion, base_file)
        else:
            raise FormatError("a SentencePiece model is needed as the file of the base")
    else:
        files[TOKENIZER_JSON] = huggingface.write(expansion.tokenizer).encode()
    files[OLD_IDS] = json.dumps([piece.old_ids for piece in expansion.added], separators=(",", ":")).encode()
    return files


def sentencepiece_model(expansion: Expansion, base_file: bytes) -> bytes:
    """Return the `.model` of the base with the new pieces appended.

    Serialized messages that are concatenated are one message whose lists are concatenated, so every field of the base
    stays as it is. Only its self-test is left out: its samples may be encoded differently now, and SentencePiece
    refuses to load a model that fails it.
    """
    model = expansion.tokenizer.model
    assert isinstance(model, ScoredModel)
    new = ModelProto()
    for piece in expansion.added:
        new.pieces.add(piece=model.pieces[piece.id].encode(), score=model.scores[piece.id])
    kept = b"".join(part for number, part in _fields(base_file) if number != _SELF_TEST)
    content: bytes = kept + new.SerializeToString()
    sentencepiece.read(content)
    return content


def tokens_and_scores(expansion: Expansion, base_file: bytes) -> bytes:
    """Return the JSON of tokens and scores of the base with the new pieces appended."""
    model = expansion.tokenizer.model
    assert isinstance(model, ScoredModel)
    document = json.loads(base_file)
    document["tokens"] += [model.pieces[piece.id] for piece in expansion.added]
    document["scores"] += [model.scores[piece.id] for piece in expansion.added]
    return json.dumps(document, ensure_ascii=False).encode()


def rank_lines(model: RankBPE) -> bytes:
    """Return a `.tiktoken` file: a piece in base64 and its rank on each line, without special tokens."""
    return b"".join(
        b"%s %d\n" % (b2a_base64(piece, newline=False), rank)
        for rank, piece in enumerate(model.pieces)
        if rank not in model.reserved
    )


def with_merges(tokenizer: Tokenizer) -> Tokenizer:
    """Return a tokenizer whose ranks are written as merges, for a tokenizer.json.

    Each piece gets the merges of all pairs of pieces that form it, in the order of the ranks of the piece and of the
    pair, as `transformers` converts `tiktoken`'s files. A pre-token that is a piece is one token (`ignore_merges`).
    """
    model = tokenizer.model
    assert isinstance(model, RankBPE)
    ids = {piece: id for id, piece in enumerate(model.pieces) if id not in model.reserved}
    merges: list[tuple[int, int]] = []
    for piece in ids:
        pairs = [
            (left, right)
            for cut in range(1, len(piece))
            if (left := ids.get(piece[:cut])) is not None and (right := ids.get(piece[cut:])) is not None
        ]
        merges += sorted(pairs)
    pretokenizer = tokenizer.pretokenizer
    if isinstance(pretokenizer, Split) and pretokenizer.pattern in _SPELLED:
        pretokenizer = Split(_SPELLED[pretokenizer.pattern], "isolated")
    elif isinstance(pretokenizer, Split):
        pretokenizer = Split(pretokenizer.pattern, pretokenizer.behavior, pretokenizer.invert)
    return Tokenizer(
        BPE(model.pieces, merges, byte_level=True, ignore_merges=True),
        normalizer=tokenizer.normalizer,
        pretokenizer=pretokenizer,
        decoder=tokenizer.decoder,
        added_tokens=tokenizer.added_tokens,
        postprocessor=tokenizer.postprocessor,
    )


# --- the wire format of protocol buffers ------------------------------------------------------------------------------

_SELF_TEST = 4  # the number of the field


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each field of a serialized message, and the field as it is written."""
    at = 0
    while at < len(message):
        start = at
        key, at = _number(message, at)
        match key & 7:
            case 0:
                _, at = _number(message, at)
            case 1:
                at += 8
            case 2:
                length, at = _number(message, at)
                at += length
            case 5:
                at += 4
            case _:
                raise FormatError("not a SentencePiece model, or only a part of one: the message cannot be parsed")
        yield key >> 3, message[start:at]


def _number(message: bytes, at: int) -> tuple[int, int]:
    """Read a variable-length number; return it and the position after it."""
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise FormatError("not a SentencePiece model, or only a part of one: the message cannot be parsed")
