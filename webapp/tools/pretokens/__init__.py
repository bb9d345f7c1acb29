"""`/pretokens`: how a vocabulary, or a pattern of one's own, splits a text before the model sees it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import regex
from flask_babel import gettext as _
from pydantic import BeforeValidator, Field, model_validator

from webapp.core.analysis.pretoken_view import PretokenStage, differences, last_pattern, pretoken_view
from webapp.core.formats.patterns import LONGEST, checked_pattern
from webapp.core.formats.reading import FormatError
from webapp.core.text import split_patterns
from webapp.rendering.markup import visible
from webapp.tokenization.forms import InputProblem, within
from webapp.tokenization.messages import translated
from webapp.tools.inputs import Answer, FromForm, InBody, OnPage, Text
from webapp.tools.kernel import ApiEntry, Tool
from webapp.tools.picker import LONGEST_NAME, VocabularyInput, named_on_page, vocabulary_named
from webapp.tools.pretokens.shown import Pretokens
from webapp.vocabularies import StillFetchingError, UnavailableVocabularyError, default_for, tokenizer_of
from webapp.web.json_responses import well_formed

EXAMPLE = "It’s 2024: I'll pay $1,234.50 for naïve cafés,  OK?\n\tx = foo_bar(42)  # 研究生命"
OWN = "vocabulary"  # the pattern of the vocabulary, to start from
ANALYSED = 20_000  # characters of a text on the page
MOST_BYTES = 100_000  # of a text for programs: tracing each stage takes longer than tokenizing
MOST_DIFFERENCES = 1_000  # for programs

KNOWN_PATTERNS = {
    "GPT-2": split_patterns.GPT2,
    "GPT-4 (cl100k)": split_patterns.CL100K_BASE,
    "GPT-4o (o200k)": split_patterns.O200K,
    "Llama 3": split_patterns.CL100K,
    "Qwen": split_patterns.QWEN,
    "Mistral (tekken)": split_patterns.TEKKEN,
    "SuperBPE": split_patterns.SUPERWORDS,
}
"""Published patterns to start from, by the name of the first model or the paper that has them."""

Under = Literal["alternative", "tokens"]


def _usable(pattern: object) -> object:
    """A pattern that can be used, or none; raises InputProblem for any other, with the place of a syntax error."""
    if isinstance(pattern, str) and pattern:
        try:
            checked_pattern(pattern)
        except FormatError as error:
            raise InputProblem(_syntax_error(pattern, error.__context__) or translated(error)) from None
    return pattern


def _syntax_error(pattern: str, error: BaseException | None) -> str:
    """A message with the place of a syntax error; empty for other reasons why a pattern cannot be compiled."""
    if not isinstance(error, regex.error):
        return ""
    place = min(getattr(error, "pos", None) or 0, len(pattern))
    return _(
        "The pattern is not valid at character %(place)s: %(error)s. There: %(before)s ▸ %(after)s",
        place=place + 1,
        error=getattr(error, "msg", error),
        before=visible(pattern[max(0, place - 12) : place]),
        after=visible(pattern[place : place + 12]) or "∎",
    )


class PretokensInput(VocabularyInput):
    """A text to split into pre-tokens."""

    vocabulary: Annotated[
        str,
        FromForm(choose=named_on_page),
        Field(max_length=LONGEST_NAME, description="The name of a vocabulary, from `GET /vocabularies`."),
    ] = default_for("bpe")
    text: Annotated[
        Text, Field(description="The text, at most 100,000 bytes of UTF-8.", examples=["I'll pay $1,234"])
    ] = EXAMPLE
    pattern: Annotated[
        str,
        FromForm(choose=lambda values: values[0].strip("\r\n")),
        Field(
            max_length=LONGEST,
            description="A split pattern of your own to compare, in the syntax of Python’s package `regex`.",
        ),
        BeforeValidator(_usable),
    ] = ""
    under: Annotated[
        Under, OnPage(), FromForm(("show",), choose=lambda values: values[0] if values[0] in get_args(Under) else "")
    ] = "alternative"
    special: Annotated[bool, Field(description="Recognize special tokens that are written in the text.")] = False
    start: Annotated[str, OnPage()] = ""
    is_for_program: Annotated[bool, OnPage(), InBody()] = False

    @model_validator(mode="before")
    @classmethod
    def _started(cls, values: dict[str, Any]) -> dict[str, Any]:
        """The pattern whose button was pressed, if any, in place of the one that was typed."""
        start = values.pop("start", "")
        pattern = KNOWN_PATTERNS.get(start, "")
        if start == OWN:
            try:
                name = values.get("vocabulary") or cls.model_fields["vocabulary"].default
                pattern = last_pattern(tokenizer_of(name)) or ""
            except (UnavailableVocabularyError, StillFetchingError):
                pass  # the page says so
        return {**values, "pattern": pattern} if pattern else values

    @property
    def starts(self) -> list[tuple[str, str]]:
        """Patterns to start from: value and title."""
        return [(OWN, _("this vocabulary’s")), *((name, name) for name in KNOWN_PATTERNS)]


class AlternativeAnswer(Answer):
    """An alternative of a split pattern."""

    number: Annotated[int, Field(description="Its number, from 1.")]
    source: str
    count: Annotated[int, Field(description="How many pre-tokens it matched.")]


class PretokenAnswer(Answer):
    """A pre-token, or an added token between them."""

    text: Annotated[str, Field(description="The text as the next stage reads it.")]
    start: Annotated[int, Field(description="Its start in the text, in code points.")]
    end: Annotated[int, Field(description="Its end (exclusive).")]
    normalized_start: Annotated[int, Field(description="Its start in the normalized text.")]
    normalized_end: Annotated[int, Field(description="Its end (exclusive).")]
    alternative: Annotated[
        int | None, Field(description="The alternative that matched it; null for text between matches.")
    ]
    tokens: Annotated[
        int | None, Field(description="How many tokens the model makes of it; null before the last stage.")
    ]
    added: Annotated[bool, Field(description="Whether it is an added token.")]


class PretokenStageAnswer(Answer):
    """A step of the pre-tokenizer."""

    component: Annotated[
        str, Field(description="The name of the step; empty for a vocabulary without a pre-tokenizer.")
    ]
    pattern: Annotated[str | None, Field(description="Its split pattern; null for a step without one.")]
    behavior: Annotated[
        split_patterns.Behavior | None, Field(description="What matches and the text between them become.")
    ]
    alternatives: Annotated[
        Sequence[AlternativeAnswer], Field(description="The alternatives of the pattern, in order.")
    ]
    pretokens: Sequence[PretokenAnswer]


class SplitDifferenceAnswer(Answer):
    """A span that the vocabulary and the own pattern split differently."""

    normalized_start: int
    normalized_end: int
    vocabulary: Annotated[Sequence[str], Field(description="The pre-tokens of the vocabulary.")]
    own: Annotated[Sequence[str], Field(description="The pre-tokens of your pattern.")]


class PretokensAnswer(Answer):
    """The pre-tokens of a text, stage by stage."""

    normalized: Annotated[str, Field(description="The text after the normalizer.")]
    stages: Annotated[Sequence[PretokenStageAnswer], Field(description="The steps of the pre-tokenizer, in order.")]
    own: Annotated[PretokenStageAnswer | None, Field(description="The pre-tokens of `pattern`; null without one.")]
    number_of_differences: int | None
    differences: Annotated[
        Sequence[SplitDifferenceAnswer] | None,
        Field(description="Where the two split differently, at most 1,000; null without `pattern`."),
    ]


def pretokens(given: PretokensInput) -> Pretokens:
    """Split a text into pre-tokens, stage by stage.

    For a step with a split pattern, each pre-token has the alternative of the pattern that matched it. With a pattern
    of your own, the response also has its pre-tokens, and where the two split differently.
    """
    vocabulary_named(given.vocabulary)
    tokenizer = tokenizer_of(given.vocabulary)
    text = given.text if given.is_for_program else given.text[:ANALYSED]
    within(text, MOST_BYTES, _("The text"), "text")
    try:
        usual = pretoken_view(tokenizer, text, special=given.special)
        own = pretoken_view(tokenizer, text, special=given.special, own=given.pattern) if given.pattern else None
    except split_patterns.PatternTimeoutError as error:
        if not given.pattern or error.source != given.pattern:
            raise
        message = _("The pattern takes too long on this text. Simplify it, or shorten the text.")
        raise InputProblem(message, 422, "pattern") from None
    found = differences(usual, own) if own else []
    return Pretokens(text, usual, own, found, given.under, len(text) == len(given.text))


def answer(found: Pretokens) -> PretokensAnswer:
    """The normalized text, the stages with their pre-tokens, and the own pattern's with where the two differ."""
    own = found.own
    split = [
        SplitDifferenceAnswer(each.start, each.end, [*map(well_formed, each.first)], [*map(well_formed, each.second)])
        for each in found.differences[:MOST_DIFFERENCES]
    ]
    return PretokensAnswer(
        normalized=well_formed(found.usual.normalized),
        stages=list(map(_stage, found.usual.stages)),
        own=_stage(own.stages[-1]) if own else None,
        number_of_differences=len(found.differences) if own else None,
        differences=split if own else None,
    )


def _stage(stage: PretokenStage) -> PretokenStageAnswer:
    sources = stage.pattern.alternatives if stage.pattern else ()
    counted = enumerate(zip(sources, stage.counts(), strict=True), 1)
    return PretokenStageAnswer(
        component=stage.component,
        pattern=stage.pattern.source if stage.pattern else None,
        behavior=stage.behavior,
        alternatives=[AlternativeAnswer(number, source, count) for number, (source, count) in counted],
        pretokens=[
            PretokenAnswer(
                well_formed(each.text),
                each.original_start,
                each.original_end,
                each.start,
                each.end,
                None if each.alternative is None else each.alternative + 1,
                each.tokens,
                each.added is not None,
            )
            for each in stage.pretokens
        ],
    )


TOOL = Tool(
    name="pretokens",
    address="/pretokens",
    input=PretokensInput,
    run=pretokens,
    answer=answer,
    api=ApiEntry(
        "/pretokens",
        "PretokensBody",
        PretokensAnswer,
        {"text": "I'll pay $1,234", "vocabulary": "bpe-bytes", "pattern": "\\p{L}+|\\p{N}{1,3}|\\s+"},
        {"is_for_program": True},
    ),
)
