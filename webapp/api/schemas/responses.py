"""What answers hold, for the OpenAPI document; tests hold what is really sent against it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from webapp.api.schemas.algorithm import AlgorithmId
from webapp.vocabularies.catalogue import Origin


class Answer(BaseModel):
    """What all answers have in common."""

    model_config = ConfigDict(extra="forbid")


class PieceBytes(Answer):
    """A piece that is no whole UTF-8: a part of a character, or of several."""

    bytes: str = Field(description="The bytes in hexadecimal, with spaces between them.", examples=["e4 b8"])


Piece = Annotated[
    str | PieceBytes,
    Field(description="The piece as the vocabulary has it: text, or `{bytes: …}` where it is no whole UTF-8."),
]
Offsets = Annotated[
    list[Annotated[list[int], Field(min_length=2, max_length=2)]],
    Field(description="Start and end (exclusive) of each token, in code points of the text as it was sent."),
]


class Counts(Answer):
    """The lengths of a text."""

    tokens: int
    characters: int = Field(description="Code points.")
    bytes: int = Field(description="Bytes of UTF-8.")
    unknown: int = Field(description="Tokens that stand for text outside the vocabulary.")


class TokenizeAnswer(Answer):
    """The keys that were wanted; for `texts` each is a list with an entry for each text."""

    ids: list[int] | list[list[int]] = Field([], description="The ids of the tokens.")
    pieces: list[Piece] | list[list[Piece]] = Field([], description="The pieces of the tokens.")
    offsets: Offsets | list[Offsets] = Field([], description="Where the tokens stand.")
    counts: Counts | list[Counts] = Field(None, validate_default=False, description="How many there are.")  # type: ignore[assignment]


class CountAnswer(Answer):
    """The lengths of a text, or a list of each for `texts`."""

    tokens: int | list[int]
    characters: int | list[int]
    bytes: int | list[int]


class DecodeAnswer(Answer):
    """The text that ids spell; what is no whole UTF-8 is U+FFFD."""

    text: str


class PartAnswer(Answer):
    """One part of a text."""

    text: str
    start: int = Field(description="Where it begins, in code points of the whole text.")
    end: int = Field(description="Where it ends (exclusive).")
    tokens: int = Field(description="How many tokens it has, encoded alone.")


class SplitAnswer(Answer):
    """The parts, in the order of the text."""

    parts: list[PartAnswer]


class VocabularyEntry(Answer):
    """A vocabulary in the list."""

    name: str
    title: str
    algorithms: list[AlgorithmId]
    origin: Origin
    size: int | None = Field(description="The number of tokens; null where the text or the dictionary decides it.")
    family: str
    licence: str
    source: str


class VocabulariesAnswer(Answer):
    """All vocabularies but those that were uploaded, whose names only those know who uploaded them."""

    vocabularies: list[VocabularyEntry]


class TokenAnswer(Answer):
    """A token of a vocabulary."""

    id: int
    piece: Piece
    text: str | None = Field(description="What the piece stands for in a text; null for part of a character.")
    special: bool


class AddedTokenAnswer(Answer):
    """A token beside the model's own."""

    id: int
    content: str
    special: bool


class PipelineAnswer(Answer):
    """The steps of each stage."""

    normalizer: list[str]
    pretokenizer: list[str]
    model: str
    decoder: list[str]


class VocabularyAnswer(VocabularyEntry):
    """What a vocabulary is made of."""

    mean_length: float = Field(description="Characters per token.")
    lengths: dict[str, int] = Field(description="How many tokens have so many characters.")
    kinds: dict[str, int] = Field(description="How many tokens are of a script, or of another kind.")
    longest: list[TokenAnswer]
    longest_words: list[TokenAnswer]
    unknown_id: int | None
    added_tokens: list[AddedTokenAnswer]
    pipeline: PipelineAnswer


class TokensAnswer(Answer):
    """A page of the tokens of a vocabulary."""

    query: str
    found: int
    page: int
    pages: int
    tokens: list[TokenAnswer]


class SharedAnswer(Answer):
    """A snapshot that was just kept."""

    id: str
    url: str = Field(description="The page that shows it.")
    secret: str = Field(description="What it is deleted with; it is told only here.")
    delete_url: str = Field(description="The page that deletes it.")


class KeptRow(Answer):
    """One tokenizer of a comparison that was kept, with its tokens."""

    algorithm: AlgorithmId
    vocabulary: str
    vocabulary_hash: str = Field(description="The SHA-256 of the vocabulary's content.")
    options: dict[str, bool | int | str | None] = Field(description="The options that are not the usual ones.")
    ids: list[int] = Field(description="The ids as they were.")
    pieces: list[Piece]
    offsets: Offsets
    unknown: list[int] = Field(description="The indexes of the tokens that stand for unknown text.")
    special: list[int] = Field(description="The indexes of the special tokens.")
    decoded: str


class SnapshotAnswer(Answer):
    """What a snapshot keeps: the tokens of one result, or the `rows` of a comparison, each with tokens of its own."""

    id: str
    url: str
    created: datetime
    expires: datetime | None
    title: str
    note: str
    text: str
    core_version: str
    rows: list[KeptRow] = Field([], description="Of a comparison: its tokenizers. What follows stands in each then.")
    algorithm: AlgorithmId | None = None
    vocabulary: str | None = None
    vocabulary_hash: str = Field("", description="The SHA-256 of the vocabulary's content.")
    options: dict[str, bool | int | str | None] = Field({}, description="The options that are not the usual ones.")
    ids: list[int] = Field([], description="The ids as they were.")
    pieces: list[Piece] = []
    offsets: Offsets = []
    unknown: list[int] = Field([], description="The indexes of the tokens that stand for unknown text.")
    special: list[int] = Field([], description="The indexes of the special tokens.")
    decoded: str = ""


class Place(Answer):
    """A place in the request with what is wrong there."""

    pointer: str = Field(description="A JSON pointer into the body, or the name of a parameter.", examples=["#/want/0"])
    detail: str


class Problem(Answer):
    """What went wrong, as RFC 9457 has it."""

    type: Literal["about:blank"]
    title: str
    status: int
    detail: str
    errors: list[Place] = Field([], description="Where in the request.")
