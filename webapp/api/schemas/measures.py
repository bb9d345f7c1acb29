"""Models of the operation that measures tokenizers: its request and its response."""

from __future__ import annotations

from pydantic import Field

from webapp.api.schemas.requests import Body
from webapp.api.schemas.responses import Answer
from webapp.tokenization.comparison.state import MOST
from webapp.tools.algorithm_field import AlgorithmId
from webapp.tools.picker import LONGEST_NAME


class MeasuredTokenizerChoice(Body):
    """A tokenizer to measure."""

    vocabulary: str = Field(
        max_length=LONGEST_NAME,
        description="The name of a vocabulary, from `GET /vocabularies` or `POST /vocabularies`.",
        examples=["bpe-bytes"],
    )
    algorithm: AlgorithmId | None = Field(None, description="Default: the first algorithm of the vocabulary.")


class MeasuresBody(Body):
    """A text, and the tokenizers to measure on it."""

    text: str = Field(description="The text.", examples=["Unbelievably, 研究生命"])
    tokenizers: list[MeasuredTokenizerChoice] = Field(
        min_length=1, max_length=MOST, description="The tokenizers to measure, at most 6."
    )
    gold: str = Field(
        "",
        description="A gold segmentation to compare the boundaries of tokens with: words or morphemes separated by "
        "spaces, a sentence or a word a line; or CoNLL-U.",
    )


class LanguageMeasures(Answer):
    """The first article of the Universal Declaration of Human Rights in 39 languages."""

    premiums: dict[str, float] = Field(
        description="Tokens of the article in a language divided by those in English, by CLDR code, ascending."
    )
    gini: float | None = Field(description="The Gini coefficient of the tokens of these languages.")
    left_out: list[str] = Field(description="Languages with more than a tenth of unknown tokens.")


class BoundaryMeasures(Answer):
    """The boundaries of tokens and of the gold segmentation, inside of its lines."""

    gold_boundaries: int
    boundaries: int
    both: int
    precision: float | None
    recall: float | None
    f1: float | None


class TokenizerMeasures(Answer):
    """A tokenizer with its measures, or the `problem` that prevented them; null where there is nothing to divide by."""

    algorithm: str
    vocabulary: str
    problem: str | None
    tokens: int = Field(None, validate_default=False)  # type: ignore[assignment]
    different_tokens: int = Field(None, validate_default=False)  # type: ignore[assignment]
    vocabulary_size: int = Field(None, validate_default=False)  # type: ignore[assignment]
    characters_per_token: float | None = None
    bytes_per_token: float | None = None
    fertility: float | None = Field(None, description="Tokens per word.")
    whole_words: float | None = Field(None, description="The share of words that one token covers, not an unknown one.")
    unknown: float | None = Field(None, description="The share of tokens that are unknown.")
    renyi_efficiency: float | None = Field(None, description="With α = 2.5, relative to the different tokens.")
    vocabulary_used: float | None = Field(None, description="Different tokens divided by the size of the vocabulary.")
    languages: LanguageMeasures = Field(None, validate_default=False)  # type: ignore[assignment]
    gold: BoundaryMeasures = Field(None, validate_default=False)  # type: ignore[assignment]


class MeasuresAnswer(Answer):
    """The text in figures, and the tokenizers in the order of the request."""

    characters: int
    bytes: int
    words: int
    han_words: int = Field(description="Words in runs of Han characters.")
    words_by: str = Field(description="What decides where words are.")
    tokenizers: list[TokenizerMeasures]
