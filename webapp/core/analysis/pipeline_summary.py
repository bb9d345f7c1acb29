"""Summarizes the pipeline of a tokenizer by the usual names of its steps, for a page about the vocabulary."""

import re
from dataclasses import dataclass, fields, is_dataclass

import regex

from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class PipelineStep:
    """The name of a step, and its settings other than the defaults."""

    name: str
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class PipelineSummary:
    """The steps of each stage in order; a stage that a tokenizer lacks is empty.

    `template` holds the special tokens that the post-processor adds around a text, and None for the text.
    """

    normalizer: tuple[PipelineStep, ...]
    pretokenizer: tuple[PipelineStep, ...]
    model: PipelineStep
    decoder: tuple[PipelineStep, ...]
    template: tuple[str | None, ...] = ()


def pipeline_summary(tokenizer: Tokenizer) -> PipelineSummary:
    """Summarize the pipeline of a tokenizer.

    >>> from webapp.core.models.wordpiece import WordPiece
    >>> from webapp.core.recipes import UNIGRAM, WORDPIECE
    >>> pipeline = pipeline_summary(WORDPIECE.tokenizer(WordPiece(["[UNK]", "un"])))
    >>> pipeline.model.name, pipeline.normalizer
    ('WordPiece', (PipelineStep(name='BertNormalizer', settings=(('lowercase', 'false'),)),))
    >>> [step.name for step in pipeline_summary(UNIGRAM.tokenizer(WordPiece(["[UNK]"]))).decoder]
    ['Replace', 'Fuse', 'Strip']
    """
    template = tokenizer.postprocessor.template
    names = {id: content for content, id in tokenizer.special_tokens.items()}
    return PipelineSummary(
        normalizer=tuple(_steps(tokenizer.normalizer)),
        pretokenizer=tuple(_steps(tokenizer.pretokenizer)),
        model=PipelineStep(step_name(tokenizer.model), _model(tokenizer.model)),
        decoder=tuple(_steps(tokenizer.decoder)),
        template=tuple(None if id is None else names.get(id, str(id)) for id in template.parts) if template else (),
    )


def step_name(part: object) -> str:
    """The usual name of a normalizer, pre-tokenizer, model or decoder.

    >>> from webapp.core.text.decoders import WordPieceDecoder
    >>> step_name(WordPieceDecoder())
    'WordPiece'
    """
    name = type(part).__name__
    return _NAMES.get(name, name)


# The usual names of classes; several classes here implement the same step.
_NAMES = {
    "MappedBPE": "BPE",
    "RankBPE": "BPE",
    "ScoredBPE": "BPE",
    "SubwordBPE": "BPE",
    "SentencePieceUnigram": "Unigram",
    "TextUnigram": "Unigram",
    "ByteMatching": "maximum matching",
    "Matching": "maximum matching",
    "MaximumProbability": "maximum probability",
    "ByteCharacters": "ByteLevel",
    "ByteLevelCharacters": "ByteLevel",
    "SentencePieceNormalizer": "SentencePiece",
    "SentencePieceDecoder": "SentencePiece",
    "SentencePieceWords": "Word",
    "SentencePieceCharacters": "Character",
    "NormalizerSequence": "Sequence",
    "PreTokenizerSequence": "Sequence",
    "ByteLevelDecoder": "ByteLevel",
    "DecoderSequence": "Sequence",
    "MetaspaceDecoder": "Metaspace",
    "ReplaceDecoder": "Replace",
    "StripDecoder": "Strip",
    "WordPieceDecoder": "WordPiece",
}
_SETTINGS = (
    "byte_level",
    "byte_fallback",
    "ignore_merges",
    "fuse_unknown",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "max_word_length",
)
# Settings that only this code has.
_INTERNAL = ("byte_characters", "space", "use_regex")


def flattened(part: object) -> list[object]:
    """The steps of a stage in order, without the sequences around them; none for None.

    >>> from webapp.core.text.normalizers import NFC, Lowercase, NormalizerSequence
    >>> flattened(NormalizerSequence((NormalizerSequence((NFC(),)), Lowercase())))
    [NFC(), Lowercase()]
    """
    if part is None:
        return []
    for name in ("normalizers", "pretokenizers", "steps"):
        inner = getattr(part, name, None)
        if isinstance(inner, tuple):
            return [step for one in inner for step in flattened(one)]
    return [part]


def _steps(part: object) -> list[PipelineStep]:
    return [PipelineStep(step_name(step), _settings(step)) for step in flattened(part)]


def _settings(part: object) -> tuple[tuple[str, str], ...]:
    """The settings of a step that are strings, numbers, booleans or control pieces and not their defaults."""
    if not is_dataclass(part):
        return ()
    values = [(field.name, getattr(part, field.name), field.default) for field in fields(part) if field.init]
    return tuple(
        (name, _literal(value) if name == "pattern" and isinstance(value, str) else _as_text(value))
        for name, value, default in values
        if (isinstance(value, str | int | None) or name == "control") and value != default and name not in _INTERNAL
    )


def _model(model: object) -> tuple[tuple[str, str], ...]:
    values = [(name, getattr(model, name, None)) for name in _SETTINGS]
    if getattr(getattr(model, "vocabulary", None), "byte_ids", None):
        values.append(("byte_fallback", True))
    return tuple((name, _as_text(value)) for name, value in values if value)


def _literal(pattern: str) -> str:
    """Return the literal text of a pattern that matches only that text, and any other pattern unchanged.

    >>> _literal(re.escape("a b.")), _literal(" +")
    ('a b.', ' +')
    """
    text = re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)
    spellings = (re.escape(text), regex.escape(text), regex.escape(text, literal_spaces=True))
    return text if pattern in spellings else pattern


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, frozenset):
        return ",".join(sorted(value))
    return "none" if value is None else str(value)
