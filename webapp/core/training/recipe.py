"""The pipeline of a plan: normalizer, pre-tokenizer and decoder, and whether the plan is possible at all."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from webapp.core import recipes
from webapp.core.formats.patterns import checked_pattern
from webapp.core.formats.reading import FormatError
from webapp.core.models.smoothing import SMOOTHINGS
from webapp.core.recipes import Recipe
from webapp.core.text import normalizers, pretokenizers
from webapp.core.text.normalizers import Normalizer
from webapp.core.text.pretokenizers import PreTokenizer
from webapp.core.text.split_patterns import CL100K, GPT2, MARKED_CLAUSES, MARKED_WORDS, O200K, SUPERWORDS
from webapp.core.trainers.ties import TIE_RULES
from webapp.core.training.plan import (
    LARGEST_SIZE,
    NORMALIZATIONS,
    SEGMENTATIONS,
    SMALLEST_SIZE,
    SPLITS,
    TRAINERS,
    PlanError,
)
from webapp.core.training.plan import TrainingPlan as Plan
from webapp.core.vocabulary_error import shown

MARK = "▁"
MARKED = ("bpe-sentencepiece", "unigram")  # the trainers that write a space as ▁
_AFTER_SPACE = r" +(?= )| ?[^ \n]+| |\n+"
_AFTER_MARK = r"▁+(?=▁)|▁?[^▁\n]+|▁|\n+"
_WORD_OR_SPACE = r" ?\S+|\s+(?!\S)|\s+"
_MARKED_WORD_OR_SPACE = r"▁+(?=▁)|▁?[^▁\s]+|▁|\s+"
_PATTERNS = {"gpt2": GPT2, "cl100k": CL100K, "o200k": O200K}

MOST_SPECIAL_TOKENS = 100
LONGEST_SPECIAL_TOKEN = 100  # characters
LIMITS: Mapping[str, tuple[float, float]] = {
    "size": (SMALLEST_SIZE, LARGEST_SIZE),
    "minimum_count": (1, 1_000_000),
    "longest_word": (20, 10_000),
    "coverage": (0.9, 1),
    "longest_piece": (1, 100),
    "keep": (0.5, 0.95),
    "transition": (0.1, 1),
    "minimum_pairs": (1, 1_000_000),
    "minimum_triples": (1, 1_000_000),
    "rounds": (1, 50),
}
"""The lowest and the highest value of each number of a plan."""
FRACTIONS = ("coverage", "keep", "transition")
"""The numbers of a plan that need not be whole."""
VALUES: Mapping[str, Sequence[str]] = {
    "trainer": TRAINERS,
    "split": SPLITS,
    "normalization": NORMALIZATIONS,
    "seeds": ("substrings", "bpe"),
    "variant": ("plain", "superbpe"),
    "ties": TIE_RULES,
    "order": ("1", "2", "3"),
    "smoothing": SMOOTHINGS,
    "segmentation": SEGMENTATIONS,
}
"""The values of each choice of a plan that has a list of them; the others are numbers and texts."""


def check(plan: Plan) -> None:
    """Raise PlanError for a plan that no corpus could make possible.

    >>> check(Plan(trainer="wordpiece", split="none"))
    Traceback (most recent call last):
    webapp.core.training.plan.PlanError: WordPiece needs words: choose a split pattern.
    """
    _check_choices(plan)
    _check_numbers(plan)
    _check_special_tokens(plan)
    if plan.trainer == "wordpiece" and plan.split == "none":
        raise PlanError("split", "WordPiece needs words: choose a split pattern.")
    if plan.variant != "plain" and plan.trainer != "bpe-bytes":
        raise PlanError("variant", "This is a variant of BPE over bytes: choose that algorithm, or no variant.")
    if plan.variant == "superbpe" and plan.split not in ("default", "gpt2"):
        raise PlanError("split", "SuperBPE has a split pattern of its own: choose the default.")
    if plan.split == "own":
        if not plan.pattern:
            raise PlanError("pattern", "The pattern is empty: enter one, or choose another split pattern.")
        try:
            checked_pattern(plan.pattern)
        except FormatError as error:
            raise PlanError("pattern", error.sentence, **error.values) from None


def _check_choices(plan: Plan) -> None:
    for name, choices in VALUES.items():
        if getattr(plan, name) not in choices:
            raise PlanError(name, "Choose one of: %(choices)s.", choices=", ".join(choices))


def _check_numbers(plan: Plan) -> None:
    for name, (lowest, highest) in LIMITS.items():
        value = getattr(plan, name)
        if value is None and getattr(Plan, name) is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not lowest <= value <= highest:
            raise PlanError(
                name, "Enter a number from %(lowest)s to %(highest)s.", lowest=f"{lowest:,}", highest=f"{highest:,}"
            )


def _check_special_tokens(plan: Plan) -> None:
    if len(plan.special_tokens) > MOST_SPECIAL_TOKENS:
        raise PlanError(
            "special_tokens",
            "There are %(count)s special tokens; at most %(most)s are allowed.",
            count=len(plan.special_tokens),
            most=MOST_SPECIAL_TOKENS,
        )
    seen = set()
    for name in plan.special_tokens:
        if not name or name.isspace():
            raise PlanError("special_tokens", "A special token is empty: delete it.")
        if len(name) > LONGEST_SPECIAL_TOKEN:
            raise PlanError(
                "special_tokens",
                "The special token %(token)s has %(count)s characters; at most %(most)s are allowed.",
                token=shown(name),
                count=len(name),
                most=LONGEST_SPECIAL_TOKEN,
            )
        if not name.isprintable():
            raise PlanError(
                "special_tokens",
                "The special token %(token)s contains an invisible character: delete the character.",
                token=shown(name),
            )
        if name in seen:
            raise PlanError(
                "special_tokens", "The special token %(token)s occurs twice: delete one.", token=shown(name)
            )
        seen.add(name)


@lru_cache(16)
def recipe_of(plan: Plan) -> Recipe:
    """Return the pipeline that splits the plan's corpus.

    It is also that of the tokenizer, but for the trainers that write a space as `▁`: their tokenizers have
    SentencePiece's pipeline (`webapp.core.recipes`), which puts a `▁` before the text and has no
    pre-tokenizer.

    >>> recipe_of(Plan(trainer="bpe-bytes")).count("low lower low low")
    {'low': 1, ' lower': 1, ' low': 2}
    >>> recipe_of(Plan(trainer="unigram")).count("low lower low low")
    {'low': 1, '▁lower': 1, '▁low': 2}
    >>> recipe_of(Plan(trainer="bpe-sentencepiece")).count("他说，好。\\n我们")
    {'他说，好。\\n': 1, '我们': 1}
    """
    if plan.of_words:
        return recipes.NGRAM
    steps: list[Normalizer | None] = [normalizer_of(plan)]
    if plan.trainer in MARKED and _pattern(plan) is None:
        steps.append(normalizers.Replace(" ", MARK))
    return Recipe(plan.trainer, _in_order(steps), _pretokenizer(plan), _DECODERS[plan.trainer])


def normalizer_of(plan: Plan) -> Normalizer | None:
    """Return what is done to the text first, None for nothing."""
    lowercase = plan.normalization in ("lowercase", "nfkc-lowercase")
    steps: list[Normalizer | None] = []
    if plan.normalization in ("nfkc", "nfkc-lowercase"):
        steps.append(normalizers.NFKC())
    elif plan.normalization == "nfc":
        steps.append(normalizers.NFC())
    if plan.trainer == "wordpiece" and plan.normalization != "none":
        steps.append(normalizers.BertNormalizer(lowercase=lowercase))
    elif lowercase:
        steps.append(normalizers.Lowercase())
    return _in_order(steps)


def _in_order(steps: Iterable[Normalizer | None]) -> Normalizer | None:
    some = tuple(step for step in steps if step is not None)
    return normalizers.NormalizerSequence(some) if len(some) > 1 else some[0] if some else None


def _pattern(plan: Plan) -> str | None:
    """The pattern that splits the text before spaces become marks, if there is one."""
    return plan.pattern if plan.split == "own" else _PATTERNS.get(plan.split)


def _pretokenizer(plan: Plan) -> PreTokenizer | None:
    pattern, split = _pattern(plan), plan.split
    if split == "none":
        return None
    if plan.trainer in MARKED:
        if pattern is not None:
            marks = pretokenizers.Metaspace(prepend=False, splits=False)
            return pretokenizers.PreTokenizerSequence((pretokenizers.Split(pattern), marks))
        if split == "default" and plan.trainer == "bpe-sentencepiece":
            # With 20,000 pieces trained on novels, Llama 2 needs .798 tokens a character of news; with classes, .828.
            # With pieces of at most two characters .789, but .649 in place of .627 for the novels' held-out text.
            splits = pretokenizers.Split(MARKED_WORDS), pretokenizers.Split(MARKED_CLAUSES)
            return pretokenizers.PreTokenizerSequence(splits)
        if split == "default":
            return recipes.UNIGRAM.pretokenizer
        return pretokenizers.Split(_AFTER_MARK if split == "marked" else _MARKED_WORD_OR_SPACE)
    if plan.variant == "superbpe":
        return pretokenizers.Split(SUPERWORDS)
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


_DECODERS = {
    "bpe-bytes": recipes.BYTE_BPE.decoder,
    "bpe-characters": recipes.CHARACTER_BPE.decoder,
    "bpe-sentencepiece": recipes.UNIGRAM.decoder,
    "wordpiece": recipes.WORDPIECE.decoder,
    "unigram": recipes.UNIGRAM.decoder,
}
