"""The operations on texts: tokenize, count, encode and decode again; and the language models to count for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from flask import Response, current_app
from flask_babel import gettext as _
from pydantic import ConfigDict, Field, model_validator

from webapp.api.operations import Query, operation
from webapp.core.algorithms import ALGORITHMS, inferences_of
from webapp.core.analysis.round_trip import StageName
from webapp.core.analysis.round_trip import round_trip as trace_round_trip
from webapp.core.inference import ALPHA, DROPOUT, OWN, SEED
from webapp.tokenization import answers
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.result import EncodingOptions, encode, ids_of
from webapp.tokenization.state import State
from webapp.tools.inputs import WHOLE, AnswerModel, at_most
from webapp.tools.models import LONGEST_QUERY, ModelsAnswer, entry_of
from webapp.tools.picker import TokenizerInput
from webapp.vocabularies.language_models import LanguageModel, find_models, model_of
from webapp.web.json_responses import Piece, cached_for, json_response

MOST_TEXTS = 1_000
MINUTES_5 = 300


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

    want: list[answers.Want] = Field(list(answers.WANTS), description="The keys of the response. Default: all of them.")


class CountBody(InferredTexts):
    """Texts whose tokens to count."""


Offsets = Annotated[
    list[Annotated[list[int], Field(min_length=2, max_length=2)]],
    Field(description="Start and end (exclusive) of each token, in code points of the text that you sent."),
]


class Counts(AnswerModel):
    """The length of a text in several units."""

    tokens: int
    characters: int = Field(description="Code points.")
    bytes: int = Field(description="Bytes of UTF-8.")
    unknown: int = Field(description="Tokens that stand for text outside the vocabulary.")


class ListedWord(AnswerModel):
    """A word of full or search mode."""

    word: str
    start: int = Field(description="The start of the word, in code points of the text.")
    end: int = Field(description="The end of the word (exclusive).")


class TokenizeAnswer(AnswerModel):
    """The keys that `want` names; for `texts`, each holds a list with one entry per text."""

    ids: list[int] | list[list[int]] = Field([], description="The ids of the tokens.")
    pieces: list[Piece] | list[list[Piece]] = Field([], description="The pieces of the tokens.")
    offsets: Offsets | list[Offsets] = Field([], description="The positions of the tokens.")
    counts: Counts | list[Counts] = Field(None, validate_default=False, description="The length of the text.")  # type: ignore[assignment]
    words: list[ListedWord] | list[list[ListedWord]] = Field(
        [], description="The words of full and search mode, which overlap. Absent in precise mode."
    )
    skipped_lines: answers.Skipped = None


class MeterAnswer(AnswerModel):
    """What a language model makes of the tokens of all texts."""

    model: str
    tokens: int = Field(description="The tokens of all texts together.")
    context: int | None = Field(description="The context window, in tokens.")
    max_input: int | None = Field(description="The most tokens of a prompt, which can be fewer than the window.")
    price_in: str | None = Field(description="US dollars for the tokens as input.", examples=["0.00104"])
    price_out: str | None = Field(description="US dollars for as many tokens of output.")
    source: str | None = Field(description="The page that states the figures.")
    as_of: str | None = Field(description="The date of the figures.")
    note: str | None = Field(description="Whose software counts like this, if the publisher gives no tokenizer.")


class CountAnswer(AnswerModel):
    """The length of a text in several units; for `texts`, lists of them."""

    tokens: int | list[int]
    characters: int | list[int]
    bytes: int | list[int]
    meter: MeterAnswer | None = Field(None, description="With `model`: its context window, and the price.")
    skipped_lines: answers.Skipped = None


@operation(
    "post",
    "/tokenize",
    body=TokenizeBody,
    answer=TokenizeAnswer,
    errors=(404, 409, 413, 503),
    example={"text": "研究 tokens", "vocabulary": "bpe-bytes", "want": ["ids", "pieces", "offsets"]},
)
def tokenize(body: TokenizeBody) -> Response:
    """Tokenize a text, or up to 1,000 texts.

    The response has the keys that `want` names. For `texts`, each key holds a list with one entry per text. A batch
    counts as one request.
    """
    texts = texts_of(body)
    state, tokenizer = body.tokenizer("\n".join(texts))
    found = [
        {
            **answers.tokenization_stream(encode(tokenizer, text, **_options(state)), body.want),
            **answers.words_json(tokenizer, state.mode, text),
        }
        for text in texts
    ]
    keys = dict.fromkeys([*body.want, *(["words"] if found and "words" in found[0] else [])])
    return _one_or_all(body, found, keys, answers.skipped_json(tokenizer))


def texts_of(body: Texts) -> list[str]:
    """The texts of a body, one or several; raises InputProblem if together they exceed the limit."""
    single = "text" in body.model_fields_set
    texts = [body.text] if single else body.texts
    limit, size = current_app.config["MAX_TEXT_BYTES"], sum(len(text.encode()) for text in texts)
    if size > limit:
        sentence = f"The text is too long. It has {size:,} bytes of UTF-8; the limit is {limit:,}."
        raise InputProblem(sentence, 413, "text" if single else "texts")
    return texts


@operation(
    "post",
    "/count",
    body=CountBody,
    answer=CountAnswer,
    errors=(404, 409, 413, 503),
    example={"texts": ["How many tokens?", "多少个词？"], "vocabulary": "unigram"},
)
def count(body: CountBody) -> Response:
    """Count the tokens of a text, or of several texts.

    This is faster than `/tokenize`. For `texts`, each key of the response holds a list with one entry per text. With
    `model`, `meter` has its context window and the price of all texts together.
    """
    texts = texts_of(body)
    state, tokenizer = body.tokenizer("\n".join(texts))
    found = [answers.counts_json(text, len(ids_of(tokenizer, text, **_options(state)))) for text in texts]
    model = model_of(state.model) if state.model else None
    meter = {"meter": meter_json(model, sum(one["tokens"] for one in found))} if model else {}
    return _one_or_all(body, found, ("tokens", "characters", "bytes"), {**meter, **answers.skipped_json(tokenizer)})


def meter_json(model: LanguageModel, tokens: int) -> dict[str, Any]:
    """The context window and the exact price of some tokens."""
    return {
        "model": model.id,
        "tokens": tokens,
        "context": model.context,
        "max_input": model.max_input,
        "price_in": model.exact_cost(tokens),
        "price_out": model.exact_cost(tokens, output=True),
        "source": model.source or None,
        "as_of": model.as_of.isoformat() if model.as_of else None,
        "note": model.note or None,
    }


def _options(state: State) -> EncodingOptions:
    return {"algorithm": state.algorithm, "special": state.special, "template": state.puts_around}


def _one_or_all(
    body: Texts, found: Sequence[Mapping[str, Any]], keys: Iterable[str], remarks: Mapping[str, Any]
) -> Response:
    """The only result for `text`; for `texts`, each key with the list of its values, one per text; and the remarks."""
    if "text" in body.model_fields_set:
        return json_response({**found[0], **remarks})
    return json_response({**{key: [one[key] for one in found] for key in keys}, **remarks})


TracedText = Annotated[
    str,
    at_most(100_000, lambda: _("The text")),  # tracing each stage takes longer than tokenizing
    Field(description="The text, at most 100,000 bytes of UTF-8."),
]


class RoundTripBody(TokenizerInput):
    """A text to encode and decode."""

    text: TracedText = Field(examples=["Café déjà vu !"])


class ChangeStep(AnswerModel):
    """A stage that changed the characters."""

    stage: StageName
    component: str = Field(description="The name of the step, such as `NFKC`; of an added token, its content.")
    rule: str = Field(description="Which of the step’s rules, if it has several: `strip_accents`, `cleanup`.")
    after: str = Field(description="The characters after this stage.")


class ChangeAnswer(AnswerModel):
    """A difference between the text and the decoded text."""

    start: int = Field(description="The start of the characters in the text, in code points.")
    end: int = Field(description="Their end (exclusive); equal to the start for an insertion.")
    decoded_start: int = Field(description="The start of what became of them in the decoded text.")
    decoded_end: int = Field(description="Its end (exclusive).")
    before: str = Field(description="The characters of the text.")
    after: str = Field(description="What became of them.")
    stage: StageName = Field(description="The stage that is the cause: the characters do not come back after it.")
    component: str = Field(description="The name of its step.")
    rule: str = Field(description="Which of the step’s rules.")
    steps: list[ChangeStep] = Field(description="Every stage that changed the characters, in order.")


class RoundTripAnswer(AnswerModel):
    """The decoded text, and every change."""

    decoded: str
    equal: bool = Field(description="Whether the decoded text is the text.")
    number_of_changes: int
    changes: list[ChangeAnswer] = Field(
        description="The changes in order, at most 1,000; making them in the text gives the decoded text."
    )


@operation(
    "post",
    "/round-trip",
    body=RoundTripBody,
    answer=RoundTripAnswer,
    errors=(404, 409, 413, 503),
    example={"text": "Café déjà vu !", "vocabulary": "wordpiece", "lowercase": True},
)
def round_trip(body: RoundTripBody) -> Response:
    """Encode and decode a text, and say which stage changed what.

    Every difference between the text and the decoded text is listed with the stage of the pipeline that is the cause,
    and with all stages that changed these characters.
    """
    state, tokenizer = body.tokenizer(body.text)
    report = trace_round_trip(tokenizer, body.text, special=state.special, template=state.template)
    return json_response(answers.round_trip_json(report))


class ModelsQuery(Query):
    """The language models to list."""

    query: str = Field(
        "", max_length=LONGEST_QUERY, description="Words that the names of a model contain. Default: all models."
    )


@operation("get", "/models", query=ModelsQuery, answer=ModelsAnswer, example={"query": "gpt-4o"})
def models(query: ModelsQuery) -> Response:
    """List language models: the vocabulary, the context window and the price of each, with source and date.

    The model of that name comes first. A name that only begins like a known one has the tokenizer of that model, but
    none of its figures.
    """
    return cached_for(json_response({"models": list(map(entry_of, find_models(query.query)))}), MINUTES_5)
