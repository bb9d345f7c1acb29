"""Models of the requests. Validation rejects unknown fields and values of another type."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from webapp.core.algorithms import ALGORITHMS, inferences_of
from webapp.core.inference.records import ALPHA, DROPOUT, OWN, SEED
from webapp.tokenization.answers import WANTS, Want
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.sharing.snapshots import LONGEST_NOTE, LONGEST_TITLE
from webapp.tools.inputs import WHOLE, Text
from webapp.tools.picker import TokenizerInput

MOST_TEXTS = 1_000


class Body(BaseModel):
    """Base of all requests: strict types, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Texts(TokenizerInput):
    """One text, or several."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["text"]}, {"required": ["texts"]}]})

    text: str = Field("", description="The text. Send either `text` or `texts`.", examples=["研究 tokens"])
    texts: list[str] = Field(
        [],
        max_length=MOST_TEXTS,
        description="Several texts. Each key of the response then holds a list with one entry per text, in order.",
    )

    @model_validator(mode="after")
    def _either(self) -> Self:
        if len({"text", "texts"} & self.model_fields_set) != 1:
            raise ValueError("send either `text` or `texts`, not both")
        return self


def _appliers(id: str) -> str:
    """The algorithms whose vocabularies an inference applies, for a description."""
    return ", ".join(f"`{each}`" for each, algorithm in ALGORITHMS.items() if id in algorithm.inferences)


class InferredTexts(Texts):
    """Texts, and how the vocabulary is applied to them."""

    inference: Literal["own", "longest", "fewest", "dropout", "sample"] = Field(
        "own",
        description="How the vocabulary is applied. `own`: by its own rule, the one that models expect. `longest`: the "
        f"longest piece at each position, from the left ({_appliers('longest')}). `fewest`: the fewest pieces. "
        f"`dropout`: BPE-dropout ({_appliers('dropout')}). `sample`: a random segmentation ({_appliers('sample')}).",
    )
    dropout: Annotated[float, Field(ge=DROPOUT.least, le=DROPOUT.most)] = Field(
        DROPOUT.default,
        description="`dropout`: the probability with which each possible merge is dropped at each step.",
    )
    alpha: Annotated[float, Field(ge=ALPHA.least, le=ALPHA.most)] = Field(
        ALPHA.default,
        description="`sample`: the exponent of the probabilities; near 0, all segmentations are equally likely.",
    )
    seed: Annotated[int, WHOLE] = Field(
        0, ge=0, le=int(SEED.most), description="`dropout`, `sample`: the same seed gives the same tokens."
    )

    def inferred(self, algorithm: str) -> dict[str, Any]:
        """The inference and its parameters; raises InputProblem for one that the algorithm does not have."""
        if self.inference == OWN:
            return {}
        allowed = inferences_of(algorithm)
        if self.inference not in allowed:
            names = " or ".join(f"`{each}`" for each in allowed)
            sentence = f"A vocabulary of {algorithm} has no inference {self.inference!r}. Use {names}."
            raise InputProblem(sentence, 409, "inference")
        return {name: getattr(self, name) for name in ("inference", "dropout", "alpha", "seed")}


class TokenizeBody(InferredTexts):
    """Texts to tokenize, and the keys of the response."""

    want: list[Want] = Field(list(WANTS), description="The keys of the response. Default: all of them.")


class CountBody(InferredTexts):
    """Texts whose tokens to count."""


def _day(value: Any) -> Any:
    """A date in RFC 3339's format; pydantic alone would also accept seconds since 1970."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    if value is None:
        return None
    raise ValueError("write the date as YYYY-MM-DD, for example 2030-12-31")


class SnapshotBody(TokenizerInput):
    """A text to tokenize and share."""

    text: Text
    title: str = Field("", max_length=LONGEST_TITLE, description="A title, one line.")
    note: str = Field("", max_length=LONGEST_NOTE, description="A note, one or two paragraphs.")
    expires: Annotated[date | None, BeforeValidator(_day)] = Field(
        None, description="The last day of the snapshot, in UTC. Default: it does not expire."
    )


def whole_number(value: Any) -> Any:
    """The integer that a query parameter writes in ASCII digits; any other value unchanged, for pydantic to reject."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value)
    return value


class TokensQuery(Body):
    """The tokens of a vocabulary to list."""

    query: str = Field("", max_length=100, description="A part of the tokens, or an id. The search is case-sensitive.")
    page: Annotated[int, BeforeValidator(whole_number)] = Field(
        1, ge=1, le=999_999_999, description="The number of the page, from 1. A page has 100 tokens."
    )


class NoQuery(Body):
    """Operations without query parameters."""


class VocabularyUpload(Body):
    """A vocabulary file, or a vocab.json and its merges.txt."""

    file: list[Annotated[Any, Field(json_schema_extra={"contentMediaType": "application/octet-stream"})]] = Field(
        min_length=1,
        max_length=2,
        description="The file; or `vocab.json` and `merges.txt`, in two such parts.",
    )


Method = Literal["get", "post"]
