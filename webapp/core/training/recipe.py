"""The pipeline of a plan: normalizer, pre-tokenizer and decoder, and whether the plan is possible at all."""

from __future__ import annotations

from functools import lru_cache

from webapp.core import recipes
from webapp.core.formats.checked_patterns import checked_pattern
from webapp.core.recipes import Recipe
from webapp.core.text import decoders, normalizers, pretokenizers
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.pretokenizers import PreTokenizer
from webapp.core.text.split_patterns import CL100K, GPT2, MARKED_CLASSES, O200K
from webapp.core.training.plan import LARGEST_SIZE, NORMALIZATIONS, SMALLEST_SIZE, SPLITS, TRAINERS, PlanError
from webapp.core.training.plan import TrainingPlan as Plan

MARK = "▁"
MARKED = ("bpe-sentencepiece", "unigram")  # the trainers that write a space as ▁
EACH_MARK = "▁[^▁]*|[^▁]+"
"""Words, each with the `▁` before it; of a run of `▁`, each is a word. No piece has a `▁` but at its beginning, so that
SentencePiece, which has no pre-tokenizer, merges the same."""
_AFTER_SPACE = " +(?= )| [^ ]*|[^ ]+"
_WORD_OR_SPACE = r" ?\S+|\s+(?!\S)|\s+"
_PATTERNS = {"gpt2": GPT2, "cl100k": CL100K, "o200k": O200K}

MOST_SPECIAL_TOKENS = 100
LONGEST_SPECIAL_TOKEN = 100  # characters


def check(plan: Plan) -> None:
    """Raise PlanError for a plan that no corpus could make possible."""
    if plan.trainer not in TRAINERS:
        raise PlanError("trainer", f"The algorithm is one of {', '.join(TRAINERS)}.")
    if not SMALLEST_SIZE <= plan.size <= LARGEST_SIZE:
        raise PlanError("size", f"The size is between {SMALLEST_SIZE} and {LARGEST_SIZE:,} pieces.")
    if plan.split not in SPLITS:
        raise PlanError("split", f"The split pattern is one of {', '.join(SPLITS)}.")
    if plan.normalization not in NORMALIZATIONS:
        raise PlanError("normalization", f"The normalization is one of {', '.join(NORMALIZATIONS)}.")
    if plan.split == "own":
        if not plan.pattern:
            raise PlanError("pattern", "The pattern is empty: enter one, or choose another split pattern.")
        try:
            checked_pattern(plan.pattern)
        except ValueError as error:
            raise PlanError("pattern", str(error)) from None


@lru_cache(16)
def recipe_of(plan: Plan) -> Recipe:
    """Return the pipeline of the plan's tokenizer.

    >>> recipe_of(Plan(trainer="bpe-bytes")).count("low lower low low")
    {'low': 1, ' lower': 1, ' low': 2}
    """
    return Recipe(plan.trainer, _normalizer(plan), _pretokenizer(plan), _decoder(plan))


@lru_cache(16)
def counting_recipe(plan: Plan) -> Recipe:
    """Return the pipeline that splits a part of a corpus: that of the tokenizer, without what begins a text."""
    recipe = recipe_of(plan)
    normalizer = recipe.normalizer
    if isinstance(normalizer, normalizers.NormalizerSequence):
        kept = tuple(step for step in normalizer.normalizers if not isinstance(step, normalizers.Prepend))
        normalizer = normalizers.NormalizerSequence(kept)
    return Recipe(recipe.name, normalizer, recipe.pretokenizer, recipe.decoder)


def _normalizer(plan: Plan) -> Normalizer | None:
    lowercase = plan.normalization in ("lowercase", "nfkc-lowercase")
    steps: list[Normalizer] = []
    if plan.normalization in ("nfkc", "nfkc-lowercase"):
        steps.append(normalizers.NFKC())
    elif plan.normalization == "nfc" or (plan.normalization == "default" and plan.trainer == "unigram"):
        steps.append(normalizers.NFC())
    if plan.trainer == "wordpiece" and plan.normalization != "none":
        steps.append(normalizers.BertNormalizer(lowercase=lowercase))
    elif lowercase:
        steps.append(normalizers.Lowercase())
    if plan.trainer in MARKED:
        if _pattern(plan) is None:
            steps += [normalizers.Replace(" ", MARK), normalizers.Prepend(MARK)]
        else:
            steps.append(normalizers.Prepend(" "))
    elif len(steps) < 2:
        return steps[0] if steps else None
    return normalizers.NormalizerSequence(tuple(steps))


def _pattern(plan: Plan) -> str | None:
    """The pattern that splits the text before spaces become marks, if there is one."""
    return plan.pattern if plan.split == "own" else _PATTERNS.get(plan.split)


def _pretokenizer(plan: Plan) -> PreTokenizer | None:
    pattern, split = _pattern(plan), plan.split
    if split == "none":
        return None
    if plan.trainer in MARKED:
        if pattern is not None:
            return pretokenizers.PreTokenizerSequence(
                (pretokenizers.Split(pattern), pretokenizers.Metaspace(prepend=False, splits=False))
            )
        if split == "default" and plan.trainer == "unigram":
            return recipes.UNIGRAM.pretokenizer
        words = pretokenizers.Split(EACH_MARK)
        if split == "default":
            return pretokenizers.PreTokenizerSequence((words, pretokenizers.Split(MARKED_CLASSES)))
        return words
    if plan.trainer == "bpe-bytes":
        if split in ("default", "gpt2"):
            return pretokenizers.ByteLevel()
        if pattern is None:
            pattern = _AFTER_SPACE if split == "marked" else _WORD_OR_SPACE
        return pretokenizers.Split(pattern)
    if pattern is not None:
        return pretokenizers.PreTokenizerSequence((pretokenizers.Split(pattern), pretokenizers.WhitespaceSplit()))
    if split == "default":
        return (recipes.WORDPIECE if plan.trainer == "wordpiece" else recipes.CHARACTER_BPE).pretokenizer
    return pretokenizers.WhitespaceSplit()


def _decoder(plan: Plan) -> decoders.Decoder:
    match plan.trainer:
        case "bpe-bytes":
            return recipes.BYTE_BPE.decoder
        case "bpe-characters":
            return recipes.CHARACTER_BPE.decoder
        case "wordpiece":
            return recipes.WORDPIECE.decoder
        case "unigram":
            return recipes.UNIGRAM.decoder
        case _:
            return decoders.DecoderSequence(
                (
                    decoders.ReplaceDecoder(MARK, " "),
                    decoders.ByteFallback(),
                    decoders.Fuse(),
                    decoders.StripDecoder(" ", start=1),
                )
            )
