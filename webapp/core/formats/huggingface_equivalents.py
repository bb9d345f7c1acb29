"""What a `tokenizer.json` expresses in another way: SentencePiece's models, and `</w>` as a symbol of its own.

`converted` returns SentencePiece's models in the form of a `tokenizer.json`: merges derived from scores, spaces
replaced by normalizers.

As Hugging Face's converters do (`SentencePieceExtractor` in `transformers`), so `tokenizers` gives the same ids.

`suffix_to_marker`: Sennrich et al. make the end of a word a symbol of the alphabet; Hugging Face's BPE can only attach
it to the word's last character (`end_of_word_suffix`). Its symbols are single characters, so the written file uses a
marker instead: a private-use character that no piece contains. The normalizer inserts the marker after every word, the
pre-tokenizer splits after the markers, and the pieces contain the marker in place of `</w>`. Ids and offsets then
agree. A marker that occurs in the text itself must not count as an end of word, so the normalizer first replaces it
with a second private-use character, which no piece contains either.
"""

from collections.abc import Sequence
from typing import Any

from webapp.core.formats.patterns import check_as_oniguruma
from webapp.core.formats.reading import FormatError
from webapp.core.models.bpe import BPE
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.models.scored_pieces import SPACE, ScoredPieces
from webapp.core.models.sentencepiece_models import ScoredBPE, SentencePieceUnigram
from webapp.core.models.unigram import Unigram
from webapp.core.text import decoders, normalizers
from webapp.core.text.decoders import Decoder, DecoderStep
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.pretokenizers import Split
from webapp.core.text.sentencepiece_normalizer import SentencePieceDecoder, SentencePieceNormalizer
from webapp.core.text.unicode_tables import WORD
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown


def converted(tokenizer: Tokenizer) -> Tokenizer:
    """Return a tokenizer with SentencePiece's model as one made of parts that a `tokenizer.json` has.

    The ids are the same for every text that spells out no special token. Decoding differs for the unknown token alone.

    Raises FormatError for what these parts cannot express: a character map, removed spaces, user-defined and unused
    pieces, and pieces whose merges `tokenizers` would order differently.
    """
    model, decoder = tokenizer.model, tokenizer.decoder
    if not isinstance(model, ScoredBPE | SentencePieceUnigram) or not isinstance(decoder, SentencePieceDecoder):
        raise FormatError("%(model)s cannot be written to a tokenizer.json", model=type(model).__name__)
    if tokenizer.pretokenizer is not None or model.vocabulary.space != SPACE:
        raise FormatError("a tokenizer.json cannot express how this SentencePiece model splits text")
    for piece in sorted(model.vocabulary.user_defined):
        raise FormatError("a tokenizer.json cannot hold the user-defined piece %(piece)s", piece=shown(piece))
    for piece in model.vocabulary.unused:
        raise FormatError("a tokenizer.json cannot hold the unused piece %(piece)s", piece=shown(piece))
    return tokenizer.changed(
        model=_bpe(model.vocabulary) if isinstance(model, ScoredBPE) else _unigram(model.vocabulary),
        normalizer=_normalizer(tokenizer.normalizer),
        decoder=_decoder(decoder),
    )


def merges_of(vocabulary: ScoredPieces) -> list[tuple[int, int]]:
    """Return all pairs of pieces that form a piece, as ids: by falling score, then by falling length of the left part.

    >>> from webapp.core.models.scored_pieces import PieceKind
    >>> kinds = [PieceKind.UNKNOWN, *[PieceKind.NORMAL] * 4]
    >>> merges_of(ScoredPieces(["<unk>", "a", "aa", "aaa", "b"], [0, -2, 0, -1, -3], kinds))
    [(1, 1), (2, 1), (1, 2)]

    SentencePiece merges the leftmost of several pairs that form the same piece. Only a piece that overlaps with itself
    can be formed at two overlapping places, and there the longest left part is the leftmost.
    """
    ids, scores = vocabulary.ids, vocabulary.scores
    merges: list[tuple[tuple[float, int, int], int, int]] = []
    for piece, id in ids.items():
        for cut in range(len(piece) - 1, 0, -1):
            left = ids.get(piece[:cut])
            if left is not None and (right := ids.get(piece[cut:])) is not None:
                merges.append(((-scores[id], -cut, cut - len(piece)), left, right))
    merges.sort()
    return [(left, right) for _, left, right in merges]


def with_merges(tokenizer: Tokenizer) -> Tokenizer:
    """Return a tokenizer whose ranks are written as merges, for a tokenizer.json.

    Each piece gets the merges of all pairs of pieces that form it, in the order of the ranks of the piece and of the
    pair, as `transformers` converts `tiktoken`'s files. A pre-token that is a piece is one token (`ignore_merges`).

    Raises FormatError for a pattern that `tokenizers` may apply differently.
    """
    model = tokenizer.model
    assert isinstance(model, RankBPE)
    check_ranks(tokenizer)
    ids = {piece: id for id, piece in enumerate(model.pieces) if id not in model.reserved}
    merges: list[tuple[int, int]] = []
    for piece in ids:
        pairs = [
            (left, right)
            for cut in range(1, len(piece))
            if (left := ids.get(piece[:cut])) is not None and (right := ids.get(piece[cut:])) is not None
        ]
        merges += sorted(pairs)
    return tokenizer.changed(model=BPE(model.pieces, merges, byte_level=True, ignore_merges=True))


def check_ranks(tokenizer: Tokenizer) -> None:
    """Raise the FormatError that `with_merges` would, without making all merges."""
    if isinstance(tokenizer.pretokenizer, Split):
        check_as_oniguruma(tokenizer.pretokenizer.pattern)


def _bpe(vocabulary: ScoredPieces) -> BPE:
    ids = vocabulary.ids
    for piece in ids:
        for character in piece:
            if character not in ids:
                raise FormatError(
                    "%(piece)s contains a character that is no piece; a tokenizer.json cannot merge it",
                    piece=shown(piece),
                )
    by_score: dict[float, str] = {}
    for piece, id in ids.items():
        other = by_score.setdefault(vocabulary.scores[id], piece) if len(piece) > 1 else piece
        # Among runs of one character, such as Llama 2's spaces, the longest left part is the leftmost, too.
        if other != piece and len({*other, *piece}) > 1:
            raise FormatError(
                "%(other)s and %(piece)s have the same score; a tokenizer.json cannot leave the order of their merges "
                "open",
                other=shown(other),
                piece=shown(piece),
            )
    return BPE(
        vocabulary.pieces,
        merges_of(vocabulary),
        byte_level=False,
        unknown=vocabulary.pieces[vocabulary.unknown_id],
        fuse_unknown=True,
        byte_fallback=vocabulary.byte_ids is not None,
    )


def _unigram(vocabulary: ScoredPieces) -> Unigram:
    return Unigram(
        vocabulary.pieces,
        vocabulary.scores,
        unknown_id=vocabulary.unknown_id,
        byte_fallback=vocabulary.byte_ids is not None,
    )


def _normalizer(normalizer: Normalizer | None) -> Normalizer:
    before: Sequence[Normalizer] = ()
    if isinstance(normalizer, normalizers.NormalizerSequence):
        *before, normalizer = normalizer.normalizers
    if (
        not isinstance(normalizer, SentencePieceNormalizer)
        or normalizer.remove_extra_whitespaces
        or normalizer.whitespace_as_suffix
        or not normalizer.escape_whitespaces
        or normalizer.character_map.units
        or normalizer.character_map.rules
    ):
        raise FormatError("a tokenizer.json cannot express the normalizer of this SentencePiece model")
    steps: list[Normalizer] = [*before]
    if normalizer.add_dummy_prefix:
        steps.append(normalizers.Prepend(SPACE))
    return normalizers.NormalizerSequence((*steps, normalizers.Replace(" ", SPACE)))


def _decoder(decoder: SentencePieceDecoder) -> Decoder:
    if decoder.strip == "all" or decoder.denormalizer is not None or decoder.space != SPACE:
        raise FormatError("a tokenizer.json cannot express the decoder of this SentencePiece model")
    steps: list[DecoderStep] = [decoders.ReplaceDecoder(SPACE, " ")]
    if decoder.byte_pieces:
        steps.append(decoders.ByteFallback())
    steps.append(decoders.Fuse())
    if decoder.strip == "first":
        steps.append(decoders.StripDecoder(" ", start=1))
    return decoders.DecoderSequence(tuple(steps))


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
