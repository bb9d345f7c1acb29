"""Models of the requests. Validation rejects unknown fields and values of another type."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from webapp.api.schemas.algorithm import AlgorithmId
from webapp.core import algorithms
from webapp.core.affixes import MOST_AROUND
from webapp.core.algorithms import ALGORITHMS, DEFAULT, HMM, LOWERCASE, MODE, ORDER, RUNS, SMOOTHING, Option
from webapp.core.analysis.ambiguity import Kind
from webapp.core.analysis.chunking import Boundary
from webapp.core.inference.records import ALPHA, DROPOUT, SEED
from webapp.serializers.decoding import WantDecoded
from webapp.serializers.tokenization import WANTS, Want
from webapp.sharing.terms import LONGEST_NOTE, LONGEST_TITLE
from webapp.tokenization.affix_fields import LONGEST_ADDED, MOST_ADDED
from webapp.tokenization.affix_fields import LONGEST_NAME as LONGEST_TOKEN_NAME

MOST_TEXTS = 1_000
LONGEST_NAME = 200


def _whole(value: Any) -> Any:
    """A JSON number without a fraction as an integer: `5.0` → `5` (JSON Schema 2020-12, 6.1.1)."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _all_whole(values: Any) -> Any:
    return [_whole(value) for value in values] if isinstance(values, list) else values


Whole = BeforeValidator(_whole)


def _users(option: Option | algorithms.Choice) -> str:
    """The algorithms with an option, for a description.

    >>> _users(RUNS)
    '`fmm`, `bmm`, `bidirectional`, `ngram`'
    """
    return ", ".join(
        f"`{id}`" for id, algorithm in ALGORITHMS.items() if option in algorithm.options or option in algorithm.choices
    )


TokenName = Annotated[str, Field(min_length=1, max_length=LONGEST_TOKEN_NAME)]
AddedText = Annotated[str, Field(min_length=1, max_length=LONGEST_ADDED)]


class Body(BaseModel):
    """Base of all requests: strict types, no unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid")


class Choice(Body):
    """A vocabulary, an algorithm and the options of the playground."""

    vocabulary: str | None = Field(
        None,
        max_length=LONGEST_NAME,
        description="The name of a vocabulary, from `GET /vocabularies` or `POST /vocabularies`. "
        "Default: the first one for the algorithm.",
        examples=["bpe-bytes"],
    )
    algorithm: AlgorithmId | None = Field(
        None,
        description=f"Default: the first algorithm of the vocabulary; without a vocabulary, `{DEFAULT}`.",
        examples=[DEFAULT],
    )
    runs: bool = Field(True, description=f"{_users(RUNS)}: keep a run of Latin letters or digits as one token.")
    lowercase: bool = Field(
        False, description=f"{_users(LOWERCASE)}: lower-case the text first (built-in vocabulary only)."
    )
    special: bool = Field(False, description="Recognize special tokens that are written in the text.")
    template: bool = Field(False, description="Add the special tokens that the vocabulary puts around a text.")
    hmm: bool = Field(True, description=f"{_users(HMM)}: find words that are not in the dictionary.")
    mode: Literal["precise", "full", "search"] = Field(
        "precise", description=f"{_users(MODE)}: which words `words` lists; the tokens are always those of `precise`."
    )
    order: Literal["1", "2", "3"] = Field("2", description=f"{_users(ORDER)}: how many words an n-gram has.")
    smoothing: Literal["add-one", "jelinek-mercer", "absolute-discounting", "kneser-ney"] = Field(
        "kneser-ney", description=f"{_users(SMOOTHING)}: how unseen n-grams are estimated."
    )
    dictionary: str = Field("", description="The words of the vocabulary `own-dictionary`, one per line.")
    edits: str = Field(
        "",
        description="Changes to a dictionary, one per line: `word frequency` adds a word or sets its frequency, "
        "`-word` removes it.",
    )
    corpus: str = Field(
        "", description="The corpus to train a vocabulary `learned-…` on. Default: the text itself, or all texts."
    )
    size: Annotated[int | None, Whole] = Field(
        None,
        ge=0,
        le=1_000,
        description="Merges of a vocabulary `learned-…`; for `learned-unigram`, pieces.",
    )
    model: str | None = Field(
        None,
        min_length=1,
        max_length=LONGEST_NAME,
        description="The name of a language model, from `GET /models`, in place of `vocabulary`, or with the "
        "vocabulary that it uses.",
        examples=["gpt-4o"],
    )
    prefix: list[TokenName] = Field(
        [],
        max_length=MOST_AROUND,
        description="Tokens to put before the text: each the content of a token, `\\n` for that of a line end, or `#` "
        "and an id.",
        examples=[["[gMASK]", "sop"]],
    )
    suffix: list[TokenName] = Field([], max_length=MOST_AROUND, description="Tokens to put after the text.")
    added: list[AddedText] = Field(
        [],
        max_length=MOST_ADDED,
        description="Tokens to add to the vocabulary. They get the ids after its last one and are found in the text as "
        "written.",
    )


class Texts(Choice):
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
    seed: Annotated[int, Whole] = Field(
        0, ge=0, le=int(SEED.most), description="`dropout`, `sample`: the same seed gives the same tokens."
    )


class TokenizeBody(InferredTexts):
    """Texts to tokenize, and the keys of the response."""

    want: list[Want] = Field(list(WANTS), description="The keys of the response. Default: all of them.")


class CountBody(InferredTexts):
    """Texts whose tokens to count."""


MOST_IDS = 1 << 20
"""The most ids that one request decodes: as many as the longest text could have."""


class DecodeBody(Choice):
    """Ids to decode."""

    ids: Annotated[list[Annotated[int, Field(ge=0)]], BeforeValidator(_all_whole)] = Field(
        description="The ids of tokens.", examples=[[962, 32]], max_length=MOST_IDS
    )
    skip_special: bool = Field(False, description="Omit special tokens from the text.")
    want: list[WantDecoded] = Field(
        ["text"],
        description="The keys of the response. `tokens` is for at most 100,000 ids. Default: only `text`.",
    )


MOST_PLACES = 1_000


class AmbiguitiesBody(Body):
    """A text and a dictionary whose ambiguities to list."""

    text: str = Field(description="The text.", examples=["结婚的和尚未结婚的"])
    vocabulary: str = Field(
        "jieba", max_length=LONGEST_NAME, description="The name of a dictionary, from `GET /vocabularies` or an upload."
    )
    dictionary: str = Field("", description="The words of the vocabulary `own-dictionary`, one per line.")
    edits: str = Field(
        "",
        description="Changes to a dictionary, one per line: `word frequency` adds a word or sets its frequency, "
        "`-word` removes it.",
    )
    runs: bool = Field(True, description="Keep a run of Latin letters or digits as one token.")
    kind: Kind | None = Field(
        None, description="The kind of ambiguities to list. Default: both, overlapping ones first."
    )
    offset: Annotated[int, Whole] = Field(
        0, ge=0, description="How many places to leave out at the beginning of the list."
    )
    limit: Annotated[int, Whole] = Field(100, ge=0, le=MOST_PLACES, description="The most places to list.")


class SplitBody(Choice):
    """A text to split."""

    text: str = Field(description="The text.")
    max_tokens: Annotated[int, Whole] = Field(
        ge=1, le=1_000_000, description="The most tokens that a part may have when it is encoded alone.", examples=[512]
    )
    overlap: Annotated[int, Whole] = Field(
        0,
        ge=0,
        le=500_000,
        description="The most tokens at the end of a part that the next one repeats; at most half of `max_tokens`.",
    )
    boundary: Boundary = Field(
        "sentence",
        description="Where parts end. A part without a sentence ends with a line, one without a line with a sentence, "
        "and one without either after a token.",
    )


def _day(value: Any) -> Any:
    """A date in RFC 3339's format; pydantic alone would also accept seconds since 1970."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        with suppress(ValueError):
            return date.fromisoformat(value)
    if value is None:
        return None
    raise ValueError("write the date as YYYY-MM-DD, for example 2030-12-31")


class SnapshotBody(Choice):
    """A text to tokenize and share."""

    text: str = Field(description="The text.")
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
