"""Models of the responses, for the OpenAPI document. Tests validate real responses against it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from webapp.tokenization.answers import Skipped
from webapp.tools.picker import AlgorithmId
from webapp.vocabularies.catalogue import Origin
from webapp.web.json_responses import Piece


class Answer(BaseModel):
    """Base of all responses: no unknown fields."""

    model_config = ConfigDict(extra="forbid")


Offsets = Annotated[
    list[Annotated[list[int], Field(min_length=2, max_length=2)]],
    Field(description="Start and end (exclusive) of each token, in code points of the text that you sent."),
]


class Counts(Answer):
    """The length of a text in several units."""

    tokens: int
    characters: int = Field(description="Code points.")
    bytes: int = Field(description="Bytes of UTF-8.")
    unknown: int = Field(description="Tokens that stand for text outside the vocabulary.")


class ListedWord(Answer):
    """A word of full or search mode."""

    word: str
    start: int = Field(description="The start of the word, in code points of the text.")
    end: int = Field(description="The end of the word (exclusive).")


class TokenizeAnswer(Answer):
    """The keys that `want` names; for `texts`, each holds a list with one entry per text."""

    ids: list[int] | list[list[int]] = Field([], description="The ids of the tokens.")
    pieces: list[Piece] | list[list[Piece]] = Field([], description="The pieces of the tokens.")
    offsets: Offsets | list[Offsets] = Field([], description="The positions of the tokens.")
    counts: Counts | list[Counts] = Field(None, validate_default=False, description="The length of the text.")  # type: ignore[assignment]
    words: list[ListedWord] | list[list[ListedWord]] = Field(
        [], description="The words of full and search mode, which overlap. Absent in precise mode."
    )
    skipped_lines: Skipped = None


class MeterAnswer(Answer):
    """What a language model makes of the tokens of all texts."""

    model: str
    tokens: int = Field(description="The tokens of all texts together.")
    context: int | None = Field(description="The context window, in tokens.")
    price_in: str | None = Field(description="US dollars for the tokens as input.", examples=["0.00104"])
    price_out: str | None = Field(description="US dollars for as many tokens of output.")
    source: str | None = Field(description="The page that states the figures.")
    as_of: str | None = Field(description="The date of the figures.")


class CountAnswer(Answer):
    """The length of a text in several units; for `texts`, lists of them."""

    tokens: int | list[int]
    characters: int | list[int]
    bytes: int | list[int]
    meter: MeterAnswer | None = Field(None, description="With `model`: its context window, and the price.")
    skipped_lines: Skipped = None


class VocabularyEntry(Answer):
    """A vocabulary in the list."""

    name: str
    title: str
    algorithms: list[AlgorithmId]
    origin: Origin
    size: int | None = Field(description="The number of tokens; null if it depends on the text or the dictionary.")
    family: str
    licence: str
    source: str
    skipped_lines: Skipped = None


class VocabulariesAnswer(Answer):
    """All vocabularies except uploaded ones."""

    vocabularies: list[VocabularyEntry]


class TokenAnswer(Answer):
    """A token of a vocabulary."""

    id: int
    piece: Piece
    text: str | None = Field(description="The text that the piece stands for; null for a part of a character.")
    special: bool


class AddedToken(Answer):
    """A token that the tokenizer adds to those of its model."""

    id: int
    content: str
    special: bool


class PipelineAnswer(Answer):
    """The steps of each stage of the tokenizer."""

    normalizer: list[str]
    pretokenizer: list[str]
    model: str
    decoder: list[str]


class VocabularyAnswer(VocabularyEntry):
    """A vocabulary with its statistics and pipeline."""

    mean_length: float = Field(description="Characters per token.")
    lengths: dict[str, int] = Field(description="The number of tokens of each length in characters.")
    kinds: dict[str, int] = Field(description="The number of tokens of each script or other kind.")
    longest: list[TokenAnswer]
    longest_words: list[TokenAnswer]
    unknown_id: int | None
    added_tokens: list[AddedToken]
    pipeline: PipelineAnswer


class TokensAnswer(Answer):
    """A page of the tokens of a vocabulary."""

    query: str
    found: int
    page: int
    pages: int
    tokens: list[TokenAnswer]


class SharedAnswer(Answer):
    """A new snapshot."""

    id: str
    url: str = Field(description="The page of the snapshot.")
    secret: str = Field(description="The secret for deleting the snapshot. Only this response contains it.")
    delete_url: str = Field(description="The page that deletes the snapshot.")


class KeptRow(Answer):
    """One tokenizer of a shared comparison, with its tokens."""

    algorithm: AlgorithmId
    vocabulary: str
    vocabulary_hash: str = Field(description="The SHA-256 of the vocabulary's content.")
    options: dict[str, bool | int | str | None] = Field(description="The options that differ from their defaults.")
    ids: list[int] = Field(description="The ids at the time of sharing.")
    pieces: list[Piece]
    offsets: Offsets
    unknown: list[int] = Field(description="The indexes of the tokens that stand for unknown text.")
    special: list[int] = Field(description="The indexes of the special tokens.")
    decoded: str


class SnapshotAnswer(Answer):
    """A snapshot: the tokens of one result, or the `rows` of a comparison, each with its own tokens."""

    id: str
    url: str
    created: datetime
    expires: datetime | None
    title: str
    note: str
    text: str
    core_version: str
    rows: list[KeptRow] = Field([], description="The tokenizers of a comparison. Each row then has the fields below.")
    algorithm: AlgorithmId | None = None
    vocabulary: str | None = None
    vocabulary_hash: str = Field("", description="The SHA-256 of the vocabulary's content.")
    options: dict[str, bool | int | str | None] = Field({}, description="The options that differ from their defaults.")
    ids: list[int] = Field([], description="The ids at the time of sharing.")
    pieces: list[Piece] = []
    offsets: Offsets = []
    unknown: list[int] = Field([], description="The indexes of the tokens that stand for unknown text.")
    special: list[int] = Field([], description="The indexes of the special tokens.")
    decoded: str = ""


class Place(Answer):
    """An invalid part of the request."""

    pointer: str = Field(description="A JSON pointer into the body, or the name of a parameter.", examples=["#/want/0"])
    detail: str


class Problem(Answer):
    """Problem details as in RFC 9457."""

    type: Literal["about:blank"]
    title: str
    status: int
    detail: str
    errors: list[Place] = Field([], description="The invalid parts of the request.")
