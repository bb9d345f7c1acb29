"""The steps of a tokenizer in the field's words, as a page about a vocabulary tells them."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, is_dataclass

import regex

from webapp.core.tokenizer import Tokenizer


@dataclass(frozen=True)
class PipelineStep:
    """One step by its name, with the settings that are not the usual ones."""

    name: str
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class PipelineSummary:
    """The steps of each stage in their order; a stage that a tokenizer does without has none.

    `template` is what the post-processor puts around a text: special tokens, and None for the text.
    """

    normalizer: tuple[PipelineStep, ...]
    pretokenizer: tuple[PipelineStep, ...]
    model: PipelineStep
    decoder: tuple[PipelineStep, ...]
    template: tuple[str | None, ...] = ()


def pipeline_summary(tokenizer: Tokenizer) -> PipelineSummary:
    """The pipeline of a tokenizer.

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
        model=PipelineStep(
            _NAMES.get(type(tokenizer.model).__name__, type(tokenizer.model).__name__), _model(tokenizer.model)
        ),
        decoder=tuple(_steps(tokenizer.decoder)),
        template=tuple(None if id is None else names.get(id, str(id)) for id in template.parts) if template else (),
    )


# By what a field calls them; the code has several ways to do the same.
_NAMES = {
    "RankBPE": "BPE",
    "ScoredBPE": "BPE",
    "SubwordBPE": "BPE",
    "SentencePieceUnigram": "Unigram",
    "Matching": "Maximum matching",
    "SpeltByteLevel": "ByteLevel",
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
_OWN = ("spelt", "space", "cuts")


def _steps(part: object) -> list[PipelineStep]:
    """A stage's steps, those of sequences one by one."""
    if part is None:
        return []
    for name in ("normalizers", "pretokenizers", "steps"):
        inner = getattr(part, name, None)
        if isinstance(inner, tuple):
            return [step for one in inner for step in _steps(one)]
    name = type(part).__name__
    return [PipelineStep(_NAMES.get(name, name), _settings(part))]


def _settings(part: object) -> tuple[tuple[str, str], ...]:
    """Of a step's settings those that are words, numbers or switches, and not what they are by themselves."""
    if not is_dataclass(part):
        return ()
    values = [(field.name, getattr(part, field.name), field.default) for field in fields(part) if field.init]
    return tuple(
        (name, _literal(value) if name == "pattern" and isinstance(value, str) else _said(value))
        for name, value, usual in values
        if isinstance(value, str | int | None) and value != usual and name not in _OWN
    )


def _model(model: object) -> tuple[tuple[str, str], ...]:
    values = [(name, getattr(model, name, None)) for name in _SETTINGS]
    if getattr(getattr(model, "vocabulary", None), "byte_ids", None):
        values.append(("byte_fallback", True))
    return tuple((name, _said(value)) for name, value in values if value)


def _literal(pattern: str) -> str:
    """A pattern that means nothing but a text, as that text.

    >>> _literal(re.escape("a b.")), _literal(" +")
    ('a b.', ' +')
    """
    text = re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)
    spellings = (re.escape(text), regex.escape(text), regex.escape(text, literal_spaces=True))
    return text if pattern in spellings else pattern


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "none" if value is None else str(value)
