"""An expanded vocabulary as files: in the format of its base, so that the base's own library reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from webapp.core.expansion.result import Expansion
from webapp.core.formats import huggingface, sentencepiece
from webapp.core.formats.reading import FormatError
from webapp.core.formats.sentencepiece import ModelProto
from webapp.core.formats.tiktoken import model_ranks, rank_lines
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import ScoredModel
from webapp.core.text import split_patterns
from webapp.core.text.pretokenizers import Split
from webapp.core.tokenizer import Tokenizer

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
    if isinstance(model, ScoredModel) and base_file is None:
        raise FormatError("a SentencePiece model is needed as the file of the base")
    if isinstance(model, RankBPE):
        files["tokenizer.json"] = huggingface.write(with_merges(expansion.tokenizer)).encode()
        files["ranks.tiktoken"] = rank_lines(model_ranks(expansion.tokenizer))
    elif base_file is None or not isinstance(model, ScoredModel):
        files["tokenizer.json"] = huggingface.write(expansion.tokenizer).encode()
    elif base_file.lstrip()[:1] == b"{":
        files["tokens_and_scores.json"] = tokens_and_scores(expansion, base_file)
    else:
        files["tokenizer.model"] = sentencepiece_model(expansion, base_file)
    files["old_ids.json"] = json.dumps([piece.old_ids for piece in expansion.added], separators=(",", ":")).encode()
    return files


def sentencepiece_model(expansion: Expansion, base_file: bytes) -> bytes:
    """Return the `.model` of the base with the new pieces appended.

    Every field of the base stays as it is, those that this site does not know included. Only its self-test is left out:
    its samples may be encoded differently now, and SentencePiece refuses to load a model that fails it.
    """
    model = expansion.tokenizer.model
    assert isinstance(model, ScoredModel)
    message = ModelProto()
    message.ParseFromString(base_file)
    message.ClearField("self_test_data")
    for piece in expansion.added:
        message.pieces.add(piece=model.pieces[piece.id].encode(), score=model.scores[piece.id])
    content: bytes = message.SerializeToString()
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
    whole = BPE(model.pieces, merges, byte_level=True, ignore_merges=True)
    return tokenizer.changed(model=whole, pretokenizer=pretokenizer)
