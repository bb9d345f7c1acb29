"""Models of the operations about language models."""

from __future__ import annotations

from pydantic import Field

from webapp.api.schemas.requests import Body
from webapp.api.schemas.responses import Answer


class ModelsQuery(Body):
    """The language models to list."""

    query: str = Field("", max_length=100, description="Words that the names of a model contain. Default: all models.")


class LanguageModelEntry(Answer):
    """A language model. Figures that no source states are null."""

    id: str = Field(examples=["gpt-4o"])
    title: str
    publisher: str
    vocabulary: str | None = Field(description="The vocabulary that it uses; null if its tokenizer is not public.")
    public: bool = Field(description="Whether its tokenizer is public.")
    context: int | None = Field(description="The context window, in tokens.")
    price_in: str | None = Field(description="US dollars per million tokens of input.", examples=["2.5"])
    price_out: str | None = Field(description="US dollars per million tokens of output.")
    price_up_to: int | None = Field(description="The longest prompt that the prices hold for, in tokens.")
    source: str | None = Field(description="The page that states the figures.")
    via: str | None = Field(description="The list in which the figures were read.")
    as_of: str | None = Field(description="The date of the figures.", examples=["2026-11-12"])
    ends: str | None = Field(description="The day on which the publisher stops serving it.")
    also: list[str] = Field(description="Other names of the model.")
    note: str | None


class ModelsAnswer(Answer):
    """Language models."""

    models: list[LanguageModelEntry]
