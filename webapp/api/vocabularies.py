"""The operations on vocabularies: the list, uploads, the contents of one, its tokens."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from flask import Response, current_app, request, url_for
from pydantic import BeforeValidator, Field

from webapp.api.operations import Input, Query, VocabularyUpload, operation, refuse_foreign, refuse_to_store, whole_body
from webapp.core.analysis.reachability import Reason, State
from webapp.core.analysis.token_origin import MarkKind
from webapp.core.tokenizer import Tokenizer
from webapp.tokenization import answers, messages
from webapp.tokenization.forms import InputProblem
from webapp.tools.inputs import AnswerModel
from webapp.tools.picker import AlgorithmId
from webapp.vocabularies import CATALOGUE, CatalogueEntry, find, tokenizer_of, well_known
from webapp.vocabularies.catalogue import Origin
from webapp.vocabularies.descriptions import description_of
from webapp.vocabularies.surveys import survey_of
from webapp.vocabularies.token_facts import token_facts
from webapp.web.json_responses import Piece, cached_for, json_response
from webapp.web.problems import refuse
from webapp.web.rates import stores_by_hash

Item = TypeVar("Item")

MINUTES_5, HOUR = 300, 3_600
TOKENS_ON_A_PAGE, UNREACHABLE_ON_A_PAGE = 100, 1_000
_DIGITS = 15  # of the largest number that is looked up as an id


def whole_number(value: Any) -> Any:
    """The integer that a query parameter writes in ASCII digits; any other value unchanged, for pydantic to reject."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value)
    return value


class TokensQuery(Query):
    """The tokens of a vocabulary to list."""

    query: str = Field("", max_length=100, description="A part of the tokens, or an id. The search is case-sensitive.")
    page: Annotated[int, BeforeValidator(whole_number)] = Field(
        1, ge=1, le=999_999_999, description="The number of the page, from 1. A page has 100 tokens."
    )


class UnreachableQuery(Query):
    """The unreachable tokens to list."""

    reason: Reason | Literal["", "parts"] = Field(
        "", description="Only the tokens of this reason; `parts`: those that merging makes other tokens from."
    )
    page: Annotated[int, BeforeValidator(whole_number)] = Field(
        1, ge=1, le=999_999_999, description="The number of the page, from 1. A page has 1,000 tokens."
    )


class VocabularyEntry(AnswerModel):
    """A vocabulary in the list."""

    name: str
    title: str
    algorithms: list[AlgorithmId]
    origin: Origin
    size: int | None = Field(description="The number of tokens; null if it depends on the text or the dictionary.")
    family: str
    licence: str
    source: str
    skipped_lines: answers.Skipped = None


class VocabulariesAnswer(AnswerModel):
    """All vocabularies except uploaded ones."""

    vocabularies: list[VocabularyEntry]


class TokenAnswer(AnswerModel):
    """A token of a vocabulary."""

    id: int
    piece: Piece
    text: str | None = Field(description="The text that the piece stands for; null for a part of a character.")
    special: bool


class AddedTokenAnswer(AnswerModel):
    """A token that the tokenizer adds to those of its model."""

    id: int
    content: str
    special: bool


class PipelineAnswer(AnswerModel):
    """The steps of each stage of the tokenizer."""

    normalizer: list[str]
    pretokenizer: list[str]
    pattern_guessed: bool = Field(
        description="Whether the split pattern is a guess: an uploaded .tiktoken does not say how it splits text."
    )
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
    added_tokens: list[AddedTokenAnswer]
    pipeline: PipelineAnswer


class TokensAnswer(AnswerModel):
    """A page of the tokens of a vocabulary."""

    query: str
    found: int
    page: int
    pages: int
    tokens: list[TokenAnswer]


class ReachAnswer(AnswerModel):
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


class CharacterAnswer(AnswerModel):
    """A character with its name in Unicode."""

    code_point: str
    name: str


class MarkAnswer(AnswerModel):
    """A mark in the spelling of a piece."""

    kind: MarkKind
    spelling: str
    byte: int | None = Field(description="The byte that it stands for.")


class FormAnswer(AnswerModel):
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


class UnreachableAnswer(AnswerModel):
    """The unreachable tokens of a vocabulary, or that they are being computed."""

    name: str
    status: Literal["ready", "computing"] = Field(
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


@operation("get", "/vocabularies", answer=VocabulariesAnswer)
def vocabularies() -> Response:
    """List the vocabularies: built-in, trained or pasted, and well-known ones that the site downloads.

    The list does not show uploaded vocabularies: only people who know the name of one can use it.
    """
    entries = [*CATALOGUE.values(), *well_known()]
    return cached_for(json_response({"vocabularies": [answers.entry_json(entry) for entry in entries]}), MINUTES_5)


@operation(
    "post",
    "/vocabularies",
    body=VocabularyUpload,
    answer=VocabularyEntry,
    status=201,
    errors=(403, 409, 413, 507),
    example={"words.txt": "研究\n生命\n起源\n"},
)
@stores_by_hash
def upload_vocabulary() -> Response:
    """Upload a vocabulary file, and use it by the `name` in the response.

    The body is `multipart/form-data` with the file in the field `file`. Send a `vocab.json` together with its
    `merges.txt`, each in a field `file`. The formats are tokenizer.json, SentencePiece models, GGUF (its beginning
    suffices, as far as the metadata goes), .tiktoken, vocab.txt, vocab.json with merges.txt, tekken.json, merges as
    nested lists, merge codes of subword-nmt, counts of n-grams, weights of a tagger, tokens with scores, RWKV
    World's vocabulary, and word lists. A .tiktoken holds only pieces and ranks; by the number of ranks the site
    knows the split pattern and the special tokens of published encodings. For any other, send a second `file`, a
    JSON object with `pat_str` (the split pattern) and `special_tokens` (token to id), or send the pattern in the
    field `pattern`; without both, the pattern of cl100k_base is a guess. The name depends on the content alone: the
    same file always has the same name, and anyone who knows it can use it.
    """
    refuse_foreign()
    if request.mimetype != "multipart/form-data" or "boundary" not in request.mimetype_params:
        refuse(415, "Send the file as multipart/form-data, in the field `file`.")
    limit = current_app.config["MAX_UPLOAD_BYTES"]
    request.max_content_length = 2 * limit + 100_000
    whole_body(request, keep=True)
    if "file" in request.form:
        refuse(422, "The field `file` has no file name. Send it as a file.", errors=[("#/file", "It has no file name")])
    unknown = sorted({*request.form, *request.files} - {"file"} - ({*request.form} & {"pattern"}))
    if unknown:
        refuse(
            422,
            "Send only the fields `file` and `pattern`.",
            errors=[(f"#/{unknown[0][:40]}", "There is no such field")],
        )
    count = len(request.files.getlist("file"))
    if not 1 <= count <= 2:
        refuse(422, f"Send one file, or two; the request has {count}.", errors=[("#/file", "One or two")])
    try:
        entry = messages.store_upload(request.files.getlist("file"), request.form.get("pattern", ""))
    except InputProblem as problem:
        refuse_to_store(problem, "pattern" if problem.field == messages.PATTERN_FIELD else "file")
    return _stored(entry)


def _stored(entry: CatalogueEntry) -> Response:
    response = json_response({**answers.entry_json(entry), **answers.skipped_json(tokenizer_of(entry.name))}, 201)
    response.headers["Location"] = url_for("api.vocabulary", name=entry.name)
    return response


class RepositoryBody(Input):
    """A repository of the Hugging Face hub."""

    repository: str = Field(min_length=1, max_length=300, description="`OWNER/NAME`, or its address on the hub.")
    revision: str = Field("", max_length=200, description="A branch, a tag or a commit; `main` if it is empty.")
    path: str = Field("", max_length=300, description="A folder, or the file; the root if it is empty.")


@operation(
    "post",
    "/repositories",
    body=RepositoryBody,
    answer=VocabularyEntry,
    status=201,
    errors=(403, 404, 409, 413, 502, 503, 507),
    example={"repository": "Qwen/Qwen3-8B"},
)
@stores_by_hash
def fetch_repository(body: RepositoryBody) -> Response:
    """Fetch the vocabulary file of a repository on the Hugging Face hub, and use it by the `name` in the response.

    It is the first that exists of tokenizer.json, tokenizer.model and tekken.json, and is stored like an upload. Of a
    GGUF file, which `path` must name, only the beginning is fetched.
    """
    refuse_foreign()
    try:
        entry, _label = messages.store_repository(body.repository, body.revision, body.path)
    except InputProblem as problem:
        refuse_to_store(problem, "repository")
    return _stored(entry)


@operation("get", "/vocabularies/<name>", answer=VocabularyAnswer, errors=(404, 503), example={"name": "wordpiece"})
def vocabulary(name: str) -> Response:
    """Describe a vocabulary: its size, tokens and pipeline."""
    return cached_for(json_response(answers.vocabulary_json(*tokenizer_by_name(name))), HOUR)


@operation(
    "get",
    "/vocabularies/<name>/tokens",
    query=TokensQuery,
    answer=TokensAnswer,
    errors=(404, 503),
    example={"name": "bpe-bytes", "query": "token"},
)
def tokens(name: str, query: TokensQuery) -> Response:
    """List the tokens of a vocabulary, 100 per page, or search them.

    Results start with the token whose id is the query, then exact matches, then tokens that contain the query.
    """
    tokens = description_of(tokenizer_by_name(name)[1]).tokens
    found = tokens.find(query.query) if query.query else tokens.ids
    shown, last = _page_of(found, query.page, TOKENS_ON_A_PAGE)
    answer = {"query": query.query, "found": len(found), "page": query.page, "pages": last}
    return cached_for(json_response({**answer, "tokens": [answers.token_json(tokens, id) for id in shown]}), HOUR)


def _page_of(found: Sequence[Item], page: int, size: int) -> tuple[Sequence[Item], int]:
    """A page of a list, and the number of the last one; answers 404 if there is no such page."""
    last = max(1, -(-len(found) // size))
    if page > last:
        refuse(404, f"There is no page {page}; the last page is {last}.", errors=[("page", "No such page")])
    return found[(page - 1) * size : page * size], last


@operation(
    "get",
    "/vocabularies/<name>/tokens/<id>",
    answer=TokenPageAnswer,
    errors=(404, 503),
    example={"name": "bpe-bytes", "id": "1000"},
)
def token(name: str, id: str) -> Response:
    """Describe one token: its bytes, its characters, how it is made, and whether a text gives it."""
    entry, tokenizer = tokenizer_by_name(name)
    ids = description_of(tokenizer).tokens.ids
    try:
        number = int(id) if id.isascii() and id.isdecimal() and len(id) <= _DIGITS else -1
        facts = token_facts(tokenizer, number)
    except KeyError:
        known = f"the ids go from {ids[0]} to {ids[-1]}" if ids else "it has no tokens"
        refuse(404, f"The vocabulary {name!r} has no token {id[:40]!r}; {known}.")
    return cached_for(json_response(answers.token_page_json(entry, tokenizer, facts)), HOUR)


@operation(
    "get",
    "/vocabularies/<name>/unreachable",
    query=UnreachableQuery,
    answer=UnreachableAnswer,
    errors=(404, 503),
    example={"name": "wordpiece"},
)
def unreachable_tokens(name: str, query: UnreachableQuery) -> Response:
    """List the tokens of a vocabulary that no text gives, 1,000 per page.

    Each token is decoded, and its text is encoded again, alone and beside other characters. The list is computed
    by the requests for it, each of which goes on for two seconds.
    """
    _entry, tokenizer = tokenizer_by_name(name)
    survey = survey_of(name)
    if not survey.is_complete:
        nothing = dict.fromkeys(UnreachableAnswer.model_fields)
        done = round(survey.tried / survey.size, 3)
        response = json_response({**nothing, "name": name, "status": "computing", "done": done})
        response.headers.update({"Retry-After": "2", "Cache-Control": "no-store"})
        return response
    shown, last = _page_of(survey.chosen(query.reason), query.page, UNREACHABLE_ON_A_PAGE)
    tokens = description_of(tokenizer).tokens
    answer = {
        "name": name,
        "status": "ready",
        "done": 1.0,
        **answers.survey_json(survey),
        "page": query.page,
        "pages": last,
        "tokens": [answers.reachability_json(tokens, reach) for reach in shown],
    }
    return cached_for(json_response(answer), HOUR)


def tokenizer_by_name(name: str) -> tuple[CatalogueEntry, Tokenizer]:
    """The entry and the tokenizer of a vocabulary; answers 404 for one that depends on the text of each request."""
    entry = find(name)
    if entry is None:
        refuse(404, f"There is no vocabulary {name[:40]!r}. GET /api/v1/vocabularies lists them.")
    if entry.origin in ("learned", "pasted"):
        refuse(404, f"The vocabulary {name!r} depends on the text of each request, so it has no description.")
    return entry, tokenizer_of(name)
