"""GGUF, the format of llama.cpp: the tokenizer in the metadata of a model's file.

Ids equal those of llama.cpp (`src/llama-vocab.cpp` and `src/unicode.cpp` of llama-cpp-python 0.3.36), except for

- special tokens that overlap in a text: llama.cpp finds the longer one first; here the one that begins first is found;
- space outside ASCII after a special token of Phi-3, which llama.cpp keeps;
- `▁` inside of a word, which BERT's files have as the beginning of a word;
- a text of spaces alone, for Unigram: llama.cpp adds no space before it.

`gguf_patterns.toml` has the pre-tokenizers, which a file only names.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from webapp.core.added_tokens import AddedToken, PostProcessor, Template
from webapp.core.formats import huggingface_models
from webapp.core.formats.gguf_metadata import read_metadata
from webapp.core.formats.reading import LARGEST_VOCABULARY, FormatError, field, parts_of_file, repeated
from webapp.core.models import Model
from webapp.core.models.fast.word_lengths import lengths_by_beginning
from webapp.core.models.scored_pieces import NAMED_BYTES, PieceKind, ScoredPieces
from webapp.core.models.sentencepiece_models import UNKNOWN_PENALTY, ScoredBPE, single
from webapp.core.models.unigram import Unigram
from webapp.core.models.wordpiece import WordPiece
from webapp.core.text import decoders, split_patterns
from webapp.core.text.character_map import CharacterMap
from webapp.core.text.character_pretokenizers import ByteLevelCharacters
from webapp.core.text.normalizers import Lowercase, Normalizer, NormalizerSequence, Replace
from webapp.core.text.pattern_matching import TimeBudget
from webapp.core.text.pretokenizers import ByteLevel, PreTokenizer, PreTokenizerSequence, Split, WhitespaceSplit
from webapp.core.text.sentencepiece_normalizer import SPACE, SentencePieceDecoder, SentencePieceNormalizer
from webapp.core.text.word_normalizer import WordNormalizer
from webapp.core.tokenizer import Tokenizer
from webapp.core.vocabulary_error import shown

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""The types of tokens."""

_PREFIX = "tokenizer.ggml."
_NO_MERGES = "kimi-k2"  # the only pre-tokenizer whose files may lack merges
_NO_RIGHT_STRIP = ("<unk>", "<s>", "<|endoftext|>")  # of Phi-3
# No word is too long for llama.cpp.
_LONGEST_WORD = 1 << 30


@dataclass(frozen=True)
class _Vocabulary:
    """The part of the metadata that a tokenizer needs; each token has a type and a score."""

    metadata: Mapping[str, Any]
    tokens: list[str]
    kinds: list[int]
    scores: list[float]
    added: tuple[AddedToken, ...]

    def value(self, name: str, kind: type[Any], default: Any) -> Any:
        """A value with the prefix of tokenizers, of a given type."""
        return _value(self.metadata, name, kind, default)

    def id(self, name: str, default: int | None) -> int | None:
        """The id of a special token; like llama.cpp, ignore one outside the vocabulary."""
        inside = range(len(self.tokens))
        found = self.value(f"{name}_token_id", int, default)
        return found if found in inside else default if default in inside else None

    def template(self, before: tuple[bool, int | None], after: tuple[bool, int | None]) -> PostProcessor:
        """The tokens around a text; for each, whether the model has one by default, and its default id."""
        bos = self.id("bos", before[1]) if self.value("add_bos_token", bool, before[0]) else None
        eos = self.id("eos", after[1]) if self.value("add_eos_token", bool, after[0]) else None
        return _template(bos, eos)


def read(content: bytes) -> Tokenizer:
    """Return the tokenizer of a GGUF file, of which `content` may be the beginning with all of the metadata.

    Raises FormatError for what `read_metadata` refuses, a tokenizer or pre-tokenizer that is not known, and an
    inconsistent vocabulary.
    """
    metadata = read_metadata(content)
    if f"{_PREFIX}model" not in metadata:
        raise FormatError("this GGUF file has no tokenizer")
    name = _value(metadata, "model", str, "")
    if name not in _READERS:
        raise FormatError("the tokenizer %(name)s of GGUF files is not supported", name=shown(name))
    with parts_of_file():
        return _READERS[name](_vocabulary(metadata))


def _value(metadata: Mapping[str, Any], name: str, kind: type[Any], default: Any) -> Any:
    return field(dict(metadata), f"{_PREFIX}{name}", kind, default)


def _template(before: int | None, after: int | None) -> PostProcessor:
    if before is after is None:
        return PostProcessor()
    parts = (() if before is None else (before,), (None,), () if after is None else (after,))
    return PostProcessor(template=Template(tuple(chain.from_iterable(parts))))


# --- tokens -----------------------------------------------------------------------------------------------------------


def _vocabulary(metadata: Mapping[str, Any]) -> _Vocabulary:
    tokens = _value(metadata, "tokens", list, [])
    if not 0 < len(tokens) <= LARGEST_VOCABULARY:
        raise FormatError(
            "the GGUF file has %(count)s tokens; 1 to %(most)s are allowed",
            count=f"{len(tokens):,}",
            most=f"{LARGEST_VOCABULARY:,}",
        )
    _check_items("tokens", tokens, str)
    tokens = [token or f"[EMPTY_{id}]" for id, token in enumerate(tokens)]
    if (twice := repeated(tokens)) is not None:
        raise FormatError("the piece %(twice)s occurs twice in the vocabulary", twice=shown(twice))
    kinds = _numbers(metadata, "token_type", tokens, NORMAL)
    scores = _numbers(metadata, "scores", tokens, 0)
    return _Vocabulary(metadata, tokens, kinds, scores, tuple(_added_tokens(metadata, tokens, kinds)))


def _check_items(name: str, items: Sequence[object], *kinds: type) -> None:
    if set(map(type, items)) - set(kinds):
        raise FormatError("%(name)s has items of the wrong type", name=shown(_PREFIX + name))


def _numbers(metadata: Mapping[str, Any], name: str, tokens: list[str], default: int) -> list[Any]:
    numbers: list[Any] | None = _value(metadata, name, list, None)
    if numbers is None:
        return [default] * len(tokens)
    _check_items(name, numbers, int, float)
    if len(numbers) < len(tokens):
        raise FormatError(
            "%(name)s has %(count)s items for %(tokens)s tokens",
            name=shown(_PREFIX + name),
            count=f"{len(numbers):,}",
            tokens=f"{len(tokens):,}",
        )
    return numbers[: len(tokens)]


def _added_tokens(metadata: Mapping[str, Any], tokens: list[str], kinds: list[int]) -> list[AddedToken]:
    """The tokens that llama.cpp finds in a text before all others: control tokens on request, user-defined always."""
    known = set(tokens)
    control: set[str] = set()
    for name, names in _CONTROL.items():
        if name == "always" or f"{_PREFIX}{name}_token_id" not in metadata:
            control.update(names)
    words = set(_WORDS)
    if {"<|return|>", "<|call|>"} <= known or ({"<|flush|>"} <= known and known & {"<|call|>", "<|calls|>"}):
        words.add("<|end|>")
    plain = {"</s>"} if known & {"<|tool_response>", "<|plamo:eos|>"} else set()
    strips = _strips(metadata)
    added = []
    for id, (token, kind) in enumerate(zip(tokens, kinds, strict=True)):
        if token in plain or (kind not in (UNKNOWN, CONTROL, USER_DEFINED) and token not in control | words):
            continue
        special = token not in words and (kind != USER_DEFINED or token in control)
        left, right = strips(token)
        added.append(AddedToken(token, id, special=special, lstrip=left, rstrip=right))
    return added


def _strips(metadata: Mapping[str, Any]) -> Any:
    """A function of a token: whether it takes in white space on its left and right, which llama.cpp says by name."""
    pre, name, family = (
        str(metadata.get(key, "")) for key in (f"{_PREFIX}pre", "general.name", "general.architecture")
    )
    if any(part in pre for part in ("jina-v2-de", "jina-v2-es", "jina-v2-code")) or any(
        part in family for part in ("nomic-bert-moe", "jina-bert-v3")
    ):
        return lambda token: (token == "<mask>", False)
    if any(part in name.lower() for part in ("phi-3", "phi3")):
        return lambda token: (False, token not in _NO_RIGHT_STRIP)
    return lambda token: (token == "[MASK]" and "modern-bert" in name.lower(), False)


# --- models -----------------------------------------------------------------------------------------------------------


def _byte_pairs(vocabulary: _Vocabulary, pre: str | None = None) -> Tokenizer:
    """Byte-pair encoding by merges: over bytes, or over characters for a few pre-tokenizers."""
    pre = pre or vocabulary.value("pre", str, "") or "default"
    if pre not in PRE_TOKENIZERS:
        raise FormatError(
            "the pre-tokenizer %(name)s of this GGUF file is not known, so texts cannot be split as its model expects",
            name=shown(pre),
        )
    known = PRE_TOKENIZERS[pre]
    merges = vocabulary.value("merges", list, None)
    if merges is None and pre != _NO_MERGES:
        raise FormatError('"%(name)s" is missing', name=f"{_PREFIX}merges")
    _check_items("merges", merges or (), str)
    raw = known.get("characters", False)
    part = {
        "type": "BPE",
        "vocab": {token: id for id, token in enumerate(vocabulary.tokens)},
        # The first of two equal merges counts.
        "merges": list(dict.fromkeys(map(_pair, merges or ()))),
        "byte_fallback": raw,
        "ignore_merges": known.get("ignore_merges", False),
    }
    model = huggingface_models.read_model(part, vocabulary.added, byte_level=not raw)
    budget = TimeBudget(len(known["patterns"]))
    kept: tuple[split_patterns.Behavior, bool] = ("removed", True) if known.get("matches_only") else ("isolated", False)
    steps: list[PreTokenizer] = [
        Split(split_patterns.GPT2 if source == "GPT2" else source, *kept, budget) for source in known["patterns"]
    ]
    if not raw and not getattr(model, "byte_level", False):
        steps.append(ByteLevelCharacters(ByteLevel(use_regex=False)))
    normalizer: Normalizer | None = Replace(" ", SPACE) if known.get("marked") else None
    if known.get("matches_only") and vocabulary.value("normalizer.lowercase", bool, False):
        normalizer = NormalizerSequence((Replace("İ", "i"), Lowercase()))
    default = None if raw or known.get("no_default_bos") else 11
    needs_bos = known.get("needs_bos", False)
    postprocessor = vocabulary.template((known.get("add_bos", False), default), (False, None if raw else 11))
    if needs_bos and not vocabulary.value("add_bos_token", bool, False):
        eos = vocabulary.id("eos", None) if vocabulary.value("add_eos_token", bool, False) else None
        postprocessor = _template(vocabulary.id("bos", None), eos)
    return Tokenizer(
        model,
        normalizer=normalizer,
        pretokenizer=steps[0] if len(steps) == 1 else PreTokenizerSequence(tuple(steps)),
        decoder=decoders.DecoderSequence(
            (decoders.ReplaceDecoder(SPACE, " "), decoders.ByteFallback(), decoders.Fuse())
        )
        if raw
        else decoders.ByteLevelDecoder(byte_characters=not getattr(model, "byte_level", False)),
        added_tokens=vocabulary.added,
        postprocessor=postprocessor,
    )


def _pair(merge: str) -> tuple[str, str]:
    """The two parts of a merge, which a space separates; the first part may begin with one.

    >>> _pair("Ġ t"), _pair("  a")
    (('Ġ', 't'), (' ', 'a'))
    """
    at = merge.find(" ", 1)
    return (merge[:at], merge[at + 1 :]) if at > 0 else ("", "")


def _scored(vocabulary: _Vocabulary) -> Tokenizer:
    """SentencePiece's byte-pair encoding, by scores; merges may make tokens of any type, as in llama.cpp."""
    unknown = vocabulary.id("unknown", 0)
    ids = {token: id for id, token in enumerate(vocabulary.tokens)}
    kinds = [PieceKind.BYTE if kind == BYTE else PieceKind.NORMAL for kind in vocabulary.kinds]
    for token in vocabulary.added:
        if not _is_merged(token.content, ids):
            kinds[token.id] = PieceKind.CONTROL
    if unknown is not None:
        kinds[unknown] = PieceKind.UNKNOWN
    byte_ids = [ids[name] for name in NAMED_BYTES] if ids.keys() >= set(NAMED_BYTES) else None
    pieces = ScoredPieces(vocabulary.tokens, vocabulary.scores, kinds, byte_ids=byte_ids)
    prefix = vocabulary.value("add_space_prefix", bool, True)
    return Tokenizer(
        ScoredBPE(pieces),
        normalizer=SentencePieceNormalizer(add_dummy_prefix=prefix, remove_extra_whitespaces=False),
        decoder=_spaces_decoder(vocabulary, unknown or 0, "first" if prefix else "nothing", byte_ids or ()),
        added_tokens=vocabulary.added,
        postprocessor=vocabulary.template((True, 1), (False, 2)),
    )


def _is_merged(token: str, ids: Mapping[str, int]) -> bool:
    """Whether two parts of a token are tokens or characters, so that a merge can make it."""
    cuts = ((token[:cut], token[cut:]) for cut in range(1, len(token)))
    return any(all(len(part) == 1 or part in ids for part in parts) for parts in cuts)


def _spaces_decoder(vocabulary: _Vocabulary, unknown: int, strip: Any, byte_ids: Sequence[int]) -> SentencePieceDecoder:
    return SentencePieceDecoder(
        unknown=vocabulary.tokens[unknown],
        byte_pieces={vocabulary.tokens[id]: byte for byte, id in enumerate(byte_ids)},
        strip=strip,
    )


def _words(vocabulary: _Vocabulary) -> Tokenizer:
    """WordPiece, whose pieces at the beginning of a word have a mark instead of a prefix inside of words."""
    pieces = [
        token.removeprefix(SPACE)
        if token.startswith(SPACE)
        else token
        if kind != NORMAL or (token.startswith("[") and token.endswith("]"))
        else f"##{token}"
        for token, kind in zip(vocabulary.tokens, vocabulary.kinds, strict=True)
    ]
    unknown = vocabulary.id("unknown", 100)
    if unknown is None:
        raise FormatError("the GGUF file has no unknown token")
    lowercase = vocabulary.value("normalizer.lowercase", bool, True)
    return Tokenizer(
        WordPiece(pieces, unknown=pieces[unknown], max_word_length=_LONGEST_WORD),
        normalizer=WordNormalizer(lowercase, vocabulary.value("normalizer.strip_accents", bool, lowercase)),
        pretokenizer=WhitespaceSplit(),
        decoder=decoders.WordPieceDecoder("##"),
        added_tokens=vocabulary.added,
        postprocessor=_template(vocabulary.id("bos", 101), vocabulary.id("seperator", 102)),
    )


class TextUnigram(Unigram):
    """Unigram in which only some pieces represent text; control tokens have no score that others depend on."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float], kinds: Sequence[int], unknown_id: int) -> None:
        super().__init__(pieces, scores, unknown_id=unknown_id)
        self._ids = {piece: id for id, piece in enumerate(self.pieces) if kinds[id] in (NORMAL, USER_DEFINED, UNUSED)}
        self.score_of = {piece: self.scores[id] for piece, id in self._ids.items()}
        normal = [score for score, kind in zip(self.scores, kinds, strict=True) if kind == NORMAL]
        self.unknown_score = single(single(min(normal, default=0.0)) - UNKNOWN_PENALTY)
        self._lengths = lengths_by_beginning(self.score_of, bounded=True)


def _unigram(vocabulary: _Vocabulary) -> Tokenizer:
    """Unigram, with T5's and XLM-RoBERTa's normalizer."""
    unknown = vocabulary.id("unknown", 2)
    if unknown is None:
        raise FormatError("the GGUF file has no unknown token")
    kinds = vocabulary.kinds
    scores = [0.0 if kind == USER_DEFINED else score for score, kind in zip(vocabulary.scores, kinds, strict=True)]
    blob = vocabulary.value("precompiled_charsmap", bytes, b"")
    extra = vocabulary.value("remove_extra_whitespaces", bool, False)
    model: Model = TextUnigram(vocabulary.tokens, scores, kinds, unknown)
    return Tokenizer(
        model,
        normalizer=SentencePieceNormalizer(
            CharacterMap.read(blob) if blob else CharacterMap.of({}),
            add_dummy_prefix=extra or vocabulary.value("add_space_prefix", bool, False),
            remove_extra_whitespaces=extra,
        ),
        decoder=_spaces_decoder(vocabulary, unknown, "all" if extra else "first", ()),
        added_tokens=vocabulary.added,
        postprocessor=vocabulary.template((False, None), (True, 1)),
    )


_READERS = {
    "gpt2": _byte_pairs,
    "whitespace": _byte_pairs,
    "gemma4": lambda vocabulary: _byte_pairs(vocabulary, "gemma4"),
    "llama": _scored,
    "bert": _words,
    "t5": _unigram,
}
_TABLES = tomllib.loads(Path(__file__).with_name("gguf_patterns.toml").read_text(encoding="utf-8"))
PRE_TOKENIZERS: Mapping[str, dict[str, Any]] = {name: table for table in _TABLES["pre"] for name in table["names"]}
_CONTROL: Mapping[str, list[str]] = _TABLES["control"]
_WORDS: Sequence[str] = _TABLES["words"]["names"]
