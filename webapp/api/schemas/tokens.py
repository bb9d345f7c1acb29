"""Models of the requests and responses about single tokens and unreachable ones."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from webapp.api.schemas.requests import Body, whole_number
from webapp.api.schemas.responses import Answer, TokenAnswer
from webapp.core.analysis.reachability import Reason, State
from webapp.core.analysis.token_origin import MarkKind
from webapp.serializers.json import Piece


class UnreachableQuery(Body):
    """The unreachable tokens to list."""

    reason: Reason | Literal["", "parts"] = Field(
        "", description="Only the tokens of this reason; `parts`: those that merging makes other tokens from."
    )
    page: Annotated[int, BeforeValidator(whole_number)] = Field(
        1, ge=1, le=999_999_999, description="The number of the page, from 1. A page has 1,000 tokens."
    )


class ReachAnswer(Answer):
    """Whether a text gives a token."""

    state: State = Field(
        description="`alone`: decoded and encoded again, it is the same one token. `beside`: it is a token of `text`. "
        "`part`: it is part of a character of `text`. `unreachable`: no tried text gives it. `special`: it stands for "
        "no text. `untried`: its text cannot be encoded."
    )
    reason: Reason | None = Field(description="Why it is unreachable.")
    proved: bool = Field(description="Whether it is proved that no text gives it.")
    text: str = Field(description="The text that gives the token, or the token's own text.")
    ids: list[int] = Field(description="The tokens of that text, at most 64.")
    same_as: int | None = Field(description="The one other token that its text gives.")
    part_of: int | None = Field(description="A token that merging makes from it.")


class CharacterAnswer(Answer):
    """A character with its name in Unicode."""

    code_point: str
    name: str


class MarkAnswer(Answer):
    """A mark in the spelling of a piece."""

    kind: MarkKind
    spelling: str
    byte: int | None = Field(description="The byte that it stands for.")


class FormAnswer(Answer):
    """A token whose text differs by a space or by case."""

    text: str
    id: int


class TokenPageAnswer(TokenAnswer):
    """One token of a vocabulary."""

    vocabulary: str
    spelling: str = Field(description="The piece as files of Hugging Face have it: bytes in GPT-2's byte alphabet.")
    bytes: str = Field(description="The first 256 bytes in hexadecimal.")
    length_bytes: int
    characters: list[CharacterAnswer] = Field(description="The first 64 characters.")
    added: bool = Field(description="Whether it is an added or special token.")
    unknown: bool = Field(description="Whether it stands for unknown text.")
    marks: list[MarkAnswer]
    rank: int | None = Field(description="The rank of the merge that makes it.")
    merged_from: list[int] | None = Field(description="The two tokens that the merge joins.")
    score: float | None
    score_place: int | None = Field(description="Its place by score, from 1.")
    frequency: int | None = Field(description="The frequency of a dictionary's word.")
    tag: str | None = Field(description="The part of speech of a dictionary's word.")
    reach: ReachAnswer
    forms: list[FormAnswer] = Field(description="Tokens whose text differs by a space or by case.")
    contained_in: list[int] = Field(description="The first tokens whose text contains its own.")
    contained_in_total: int
    neighbours: list[int] = Field(description="The tokens before and after it by id.")


class UnreachableToken(ReachAnswer):
    """An unreachable token."""

    id: int
    piece: Piece | None


class UnreachableAnswer(Answer):
    """The unreachable tokens of a vocabulary, or that they are being computed."""

    name: str
    status: Literal["ready", "computing", "failed"] = Field(
        description="While it is `computing`, ask again after the seconds of `Retry-After`."
    )
    done: float | None = Field(description="The share of the tokens that have been tried, from 0 to 1.")
    counted: int | None = Field(description="The number of tokens that were tried.")
    unreachable: int | None = Field(description="The number of unreachable tokens.")
    reasons: dict[str, int] | None = Field(description="The number of unreachable tokens for each reason.")
    parts_of_others: int | None = Field(description="The unreachable tokens that merging makes other tokens from.")
    states: dict[str, int] | None = Field(description="The number of all tokens in each state.")
    page: int | None
    pages: int | None
    tokens: list[UnreachableToken] | None
