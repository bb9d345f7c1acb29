"""What requests may hold. A field that is not here is refused, and so is a value of another type."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from webapp.api.schemas.algorithm import AlgorithmId
from webapp.core.algorithms import DEFAULT
from webapp.core.analysis.chunking import Boundary
from webapp.serializers.tokenization import WANTS, Want
from webapp.sharing.terms import LONGEST_NOTE, LONGEST_TITLE

MOST_TEXTS = 1_000
LONGEST_NAME = 200


def _whole(value: Any) -> Any:
    """A number of JSON without a fraction is whole: `5.0` is `5` (JSON Schema 2020-12, 6.1.1)."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _all_whole(values: Any) -> Any:
    return [_whole(value) for value in values] if isinstance(values, list) else values


Whole = BeforeValidator(_whole)


class Body(BaseModel):
    """What all bodies have in common."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Choice(Body):
    """A vocabulary, an algorithm that it is for, and the options of the playground."""

    vocabulary: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description="The name of a vocabulary, as `GET /vocabularies` lists it or `POST /vocabularies` answers it. "
        "Left out: the first one for the algorithm.",
        examples=["bpe-bytes"],
    )
    algorithm: AlgorithmId | None = Field(
        None,
        description=f"Left out: the first one that the vocabulary is for; without a vocabulary, `{DEFAULT}`.",
        examples=[DEFAULT],
    )
    runs: bool = Field(True, description="`fmm`, `bmm`: a run of Latin letters or digits stays one token.")
    lowercase: bool = Field(False, description="`wordpiece`: lower-case first (the shipped vocabulary only).")
    special: bool = Field(False, description="Honour special tokens that are written in the text.")
    template: bool = Field(False, description="Put the special tokens around the text that the vocabulary asks for.")
    dictionary: str = Field("", description="The words of the vocabulary `own-dictionary`, one a line.")
    corpus: str = Field(
        "", description="What a vocabulary `learned-…` is learned from. Empty: the text itself, or all texts together."
    )
    size: Annotated[int | None, Whole] = Field(
        None, ge=0, le=1_000, description="Merges, or pieces for `learned-unigram`, of a vocabulary `learned-…`."
    )


class Texts(Choice):
    """One text, or several."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["text"]}, {"required": ["texts"]}]})

    text: str = Field("", description="The text. Either `text` or `texts` is given.", examples=["研究 tokens"])
    texts: list[str] = Field(
        [],
        max_length=MOST_TEXTS,
        description="Several texts; each key of the answer is then a list with an entry for each text, in their order.",
    )

    @model_validator(mode="after")
    def _either(self) -> Self:
        if len({"text", "texts"} & self.model_fields_set) != 1:
            raise ValueError("either `text` or `texts` must be given, and not both")
        return self


class TokenizeBody(Texts):
    """Texts to tokenize, and what to answer."""

    want: list[Want] = Field(list(WANTS), description="The keys of the answer; all of them if it is left out.")


class CountBody(Texts):
    """Texts whose tokens are counted."""


MOST_IDS = 1 << 20
"""So many ids are decoded at once: as many as the longest text could have."""


class DecodeBody(Choice):
    """Ids to turn into text."""

    ids: Annotated[list[Annotated[int, Field(ge=0)]], BeforeValidator(_all_whole)] = Field(
        description="The ids of tokens.", examples=[[962, 32]], max_length=MOST_IDS
    )
    skip_special: bool = Field(False, description="Leave special tokens out of the text.")


class SplitBody(Choice):
    """A text to split."""

    text: str = Field(description="The text.")
    max_tokens: Annotated[int, Whole] = Field(
        ge=1, le=1_000_000, description="The most tokens that a part has when it is encoded alone.", examples=[512]
    )
    overlap: Annotated[int, Whole] = Field(
        0,
        ge=0,
        le=500_000,
        description="The most tokens at the end of a part that the next one repeats; at most half of `max_tokens`.",
    )
    boundary: Boundary = Field(
        "sentence", description="Where parts end, if at least one such place is within them: else behind a token."
    )


def _day(value: Any) -> Any:
    """A day as RFC 3339 writes it; pydantic would take seconds since 1970 too."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    if value is None:
        return None
    raise ValueError("a day is written as in 2030-12-31")


class SnapshotBody(Choice):
    """A text whose tokens are kept."""

    text: str = Field(description="The text.")
    title: str = Field("", max_length=LONGEST_TITLE, description="A line about it.")
    note: str = Field("", max_length=LONGEST_NOTE, description="A paragraph or two about it.")
    expires: Annotated[date | None, BeforeValidator(_day)] = Field(
        None, description="The last day, in UTC, on which it is kept; for good if it is left out."
    )


def _whole_number(value: Any) -> Any:
    """A number of an address: plain digits."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value)
    return value


class TokensQuery(Body):
    """Which tokens of a vocabulary to list."""

    query: str = Field("", max_length=100, description="What the tokens hold; or an id. Capitals count.")
    page: Annotated[int, BeforeValidator(_whole_number)] = Field(
        1, ge=1, le=999_999_999, description="Pages have 100 tokens and are counted from 1."
    )


class NoQuery(Body):
    """Addresses that take nothing behind a question mark."""


class VocabularyUpload(Body):
    """A vocabulary file, or a vocab.json together with its merges.txt."""

    file: list[Annotated[Any, Field(json_schema_extra={"contentMediaType": "application/octet-stream"})]] = Field(
        min_length=1, max_length=2, description="The file; or `vocab.json` and `merges.txt`, in two parts of this name."
    )


Method = Literal["get", "post"]
