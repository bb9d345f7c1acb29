"""`/vocabularies/expand`: a vocabulary with pieces added, what that saves, its files, and storing it as an upload."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar
from urllib.parse import urlencode

from flask import Blueprint, Request, Response, abort, make_response, redirect, request, url_for
from flask_babel import gettext as _
from pydantic import AfterValidator, Field, ValidationInfo
from werkzeug.wrappers import Response as BaseResponse

from webapp.core.algorithms import family_of
from webapp.core.expansion import Added, BaseKind, Expansion, ExpansionError, Reason, Refusal, base_kind, expand
from webapp.core.expansion.files import files_of
from webapp.core.formats.reading import FormatError
from webapp.core.models.rank_bpe import RankBPE
from webapp.core.text.pretokenizers import Split
from webapp.core.text.split_patterns import TextError
from webapp.core.tokenizer import Tokenizer
from webapp.storage import UnavailableStorageError
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.links import Groups, is_choice, is_independent, vocabulary_choices
from webapp.tokenization.messages import translated, unavailable_problem
from webapp.tokenization.result import ids_of
from webapp.tools.inputs import FromForm, Input, at_most
from webapp.tools.kernel import Tool, page_of
from webapp.vocabularies import (
    CatalogueEntry,
    StillFetchingError,
    StorageFullError,
    UnavailableVocabularyError,
    find,
    library,
    title_of,
    tokenizer_of,
)
from webapp.vocabularies.upload_cookie import remember_upload, uploads_of
from webapp.web.errors import forbid_foreign
from webapp.web.htmx import attachment
from webapp.web.rates import stores_by_hash

MOST_SPECIAL = 20  # special tokens that are spelled out


def loading_code(tokenizer: Tokenizer, file: str) -> str:
    """Code that loads the first file of an expansion with its own library; for ranks, the `.tiktoken`."""
    if isinstance(tokenizer.model, RankBPE) and isinstance(tokenizer.pretokenizer, Split):
        special = {token.content: token.id for token in tokenizer.added_tokens if "unused_" not in token.content}
        rest = "  # and the others" if len(special) > MOST_SPECIAL else ""
        shown = dict(list(special.items())[:MOST_SPECIAL])
        return (
            "import tiktoken\n"
            "from tiktoken.load import load_tiktoken_bpe\n\n"
            "encoding = tiktoken.Encoding(\n"
            '    "expanded",\n'
            f"    pat_str={tokenizer.pretokenizer.pattern!r},\n"
            '    mergeable_ranks=load_tiktoken_bpe("ranks.tiktoken"),\n'
            f"    special_tokens={shown!r},{rest}\n"
            ")"
        )
    if file == "tokenizer.model":
        return (
            "from sentencepiece import SentencePieceProcessor\n\n"
            'tokenizer = SentencePieceProcessor(model_file="tokenizer.model")'
        )
    if file == "tokenizer.json":
        return 'from tokenizers import Tokenizer\n\ntokenizer = Tokenizer.from_file("tokenizer.json")'
    return ""


def embedding_code(first: int) -> str:
    """Code that adds rows to the embeddings of a model from the library transformers."""
    return f"""import json
import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("NAME OF THE MODEL")
old_ids = json.load(open("old_ids.json"))  # for each new piece
model.resize_token_embeddings({first} + len(old_ids), mean_resizing=False)
tables = (model.get_input_embeddings(), model.get_output_embeddings())
with torch.no_grad():
    for table in filter(None, tables):
        for row, ids in enumerate(old_ids, start={first}):
            table.weight[row] = table.weight[ids].mean(dim=0)"""


MAX_LIST_BYTES = 1_000_000
DEFAULT_BASE = "bpe-bytes"
SECONDS = 12.0  # to compare and add pieces; writing the files takes as long again at worst
MOST_ADDED = 100_000
SAMPLES = 60
REFUSED_SAMPLES = 12

Source = Literal["vocabulary", "tokens"]
Piece = TypeVar("Piece")


def is_expandable(entry: CatalogueEntry) -> bool:
    """Whether a vocabulary may be a base: not dictionaries, whole words, or what depends on a text."""
    return is_independent(entry) and family_of(entry.algorithms[0]) in ("merges", "pieces", "language model")


def _base(name: str) -> str:
    entry = find(name)
    if entry is None or not is_expandable(entry):
        message = _("“%(name)s” cannot be expanded. Choose a vocabulary from the list.", name=name[:40])
        raise InputProblem(message, 404)
    return name


def _addition(name: str, others: ValidationInfo) -> str:
    if not name or others.data.get("source") == "tokens":
        return name
    if not is_choice(name):
        message = _("There is no vocabulary “%(name)s”. Choose one from the list.", name=name[:40])
        raise InputProblem(message, 404)
    if name == others.data.get("base"):
        raise InputProblem(_("This is the base itself. Choose another vocabulary, or a list of tokens."))
    return name


def _source(others: dict[str, Any]) -> Source:
    return "tokens" if others.get("tokens", "").strip() else "vocabulary"


class ExpansionInput(Input):
    """A base and what to add to it: another vocabulary or a list of tokens; and a text to measure.

    `bridge` adds the pieces in between that merges need.
    """

    base: Annotated[str, AfterValidator(_base)] = DEFAULT_BASE
    tokens: Annotated[str, at_most(MAX_LIST_BYTES, lambda: _("The list"))] = ""
    source: Annotated[
        Source,
        FromForm(choose=lambda values: values[0] if values[0] in ("vocabulary", "tokens") else ""),
        Field(default_factory=_source),
    ]
    addition: Annotated[str, AfterValidator(_addition)] = ""
    measured: Annotated[str, at_most("MAX_TEXT_BYTES", lambda: _("The text")), Field(serialization_alias="text")] = ""
    bridge: bool = True
    most: ClassVar[int] = MOST_ADDED
    example: ClassVar[Mapping[str, Any]] = {"source": "tokens", "tokens": "图书馆\n开馆仪式\n自助借阅\n大语言模型"}

    @classmethod
    def read(cls, request: Request) -> tuple[Self, list[InputProblem]]:
        """The fields of an address or a form; a form must have something to add."""
        given, problems = super().read(request)
        if request.method == "POST" and not problems:
            problems = [problem for problem in [given.missing] if problem]
        return given, problems

    @property
    def missing(self) -> InputProblem | None:
        """The problem if there is nothing to add."""
        if self.source == "tokens":
            message = _("Enter at least one token, one per line.")
            return None if self.tokens.strip() else InputProblem(message, 422, "tokens")
        return None if self.addition else InputProblem(_("Choose the vocabulary to add."), 422, "addition")

    def pairs(self) -> list[tuple[str, str]]:
        """The fields of the address, and of the form that requests files; without defaults."""
        if self.source == "tokens":
            chosen = [("source", "tokens"), ("tokens", self.tokens)]
        else:
            chosen = [("addition", self.addition)]
        chosen = [("base", self.base), *chosen, ("text", self.measured), ("bridge", "" if self.bridge else "0")]
        return [(name, value) for name, value in chosen if value]

    def query(self, **changes: Any) -> str:
        """The query string of the address."""
        return urlencode(self.model_copy(update=changes).pairs(), errors="replace")

    @property
    def bases(self) -> Groups:
        """The vocabularies that can be expanded."""
        return vocabulary_choices(request, self.base, self.addition, keep=is_expandable)

    @property
    def additions(self) -> Groups:
        """The vocabularies whose pieces can be added."""
        return vocabulary_choices(request, self.base, self.addition)

    def expansion(self) -> Expansion:
        """The expansion; raises InputProblem."""
        try:
            base = tokenizer_of(self.base)
            addition = tokenizer_of(self.addition) if self.source == "vocabulary" else self.tokens.split("\n")
            return expand(base, addition, bridge=self.bridge, most=MOST_ADDED, seconds=SECONDS)
        except StillFetchingError as error:
            title = title_of(error.entry)
            message = _("“%(title)s” is being downloaded from its publisher. Try again in a moment.", title=title)
            raise InputProblem(message, 503) from error
        except UnavailableVocabularyError as error:
            problem = unavailable_problem(error)
            raise InputProblem(problem.message, problem.status) from error
        except (ExpansionError, FormatError) as error:
            field = getattr(error, "field", "")
            field = "tokens" if field == "addition" and self.source == "tokens" else field
            raise _impossible(error, field) from error

    def contents(self) -> dict[str, bytes]:
        """The files of the expansion by name; raises InputProblem."""
        if missing := self.missing:
            raise missing
        try:
            return files_of(self.expansion(), library().file(self.base).content)
        except (ExpansionError, FormatError) as error:
            raise _impossible(error, "") from error


def _impossible(error: ExpansionError | FormatError, field: str) -> InputProblem:
    return InputProblem(_("It cannot be expanded: %(why)s.", why=translated(error)), 422, field)


@dataclass(frozen=True)
class MeasuredPassage:
    """Tokens per character of a text with the base and with the expansion; None if the text cannot be encoded.

    `unknown_before` and `unknown_after` are the shares of unknown tokens, from 0 to 1.
    """

    key: str
    characters: int
    before: float | None
    after: float | None
    unknown_before: float = 0
    unknown_after: float = 0

    @property
    def saved(self) -> float | None:
        """The share of tokens that the expansion saves."""
        return 1 - self.after / self.before if self.before and self.after is not None else None


@dataclass(frozen=True)
class ExpansionPreview:
    """An expansion as the page shows it."""

    given: ExpansionInput
    expansion: Expansion

    @property
    def kind(self) -> BaseKind | None:
        """How new pieces join those of the base."""
        return base_kind(self.expansion.base)

    @property
    def samples(self) -> Sequence[Added]:
        """New pieces, evenly spread over all of them; pieces in between only if there are no others."""
        return _spread([piece for piece in self.expansion.added if not piece.between] or self.expansion.added, SAMPLES)

    @property
    def present_samples(self) -> Sequence[str]:
        """Candidates that the base already has."""
        return _spread(self.expansion.present, REFUSED_SAMPLES)

    @property
    def refused(self) -> list[tuple[Reason, int, Sequence[Refusal]]]:
        """The reasons, most frequent first, with the number of candidates refused for each and the first of them."""
        groups: dict[Reason, list[Refusal]] = {}
        for one in self.expansion.refused:
            groups.setdefault(one.reason, []).append(one)
        found = [(reason, len(members), members[:REFUSED_SAMPLES]) for reason, members in sorted(groups.items())]
        return sorted(found, key=lambda group: -group[1])

    @property
    def measured(self) -> Iterator[MeasuredPassage]:
        """The visitor's text, if any, and texts that no vocabulary was trained on."""
        own = {"own": self.given.measured} if self.given.measured else {}
        for key, text in {**own, **_passages()}.items():
            before, after = (_figures(each, text) for each in (self.expansion.base, self.expansion.tokenizer))
            yield MeasuredPassage(key, len(text), before[0], after[0], before[1], after[1])

    @property
    def files(self) -> list[str]:
        """The names of the files to download, without writing them."""
        format = library().file(self.given.base).format
        names = {"sentencepiece": ["tokenizer.model"], "scores": ["tokens_and_scores.json"]}
        ranks = ["ranks.tiktoken"] if isinstance(self.expansion.tokenizer.model, RankBPE) else []
        return [*names.get(format, ["tokenizer.json", *ranks]), "old_ids.json"]

    @property
    def loading(self) -> str:
        """Python code that loads the first file."""
        return loading_code(self.expansion.tokenizer, self.files[0])

    @property
    def embeddings(self) -> str:
        """Python code that adds rows to the embeddings of a model."""
        return embedding_code(self.expansion.first_id)


@cache
def _passages() -> Mapping[str, str]:
    """The passages that were written for this page: `simplified`, `traditional`, `english` and `code`."""
    return tomllib.loads(files(__package__).joinpath("expansion_passages.toml").read_text(encoding="utf-8"))


def _figures(tokenizer: Tokenizer, text: str) -> tuple[float | None, float]:
    """The tokens per character of a text, None if it cannot be encoded, and the share of unknown ones among them."""
    try:
        ids = ids_of(tokenizer, text)
    except TextError:
        return None, 0
    unknown = tokenizer.model.unknown_id
    return len(ids) / len(text), ids.count(unknown) / len(ids) if ids and unknown is not None else 0


def _spread(found: Sequence[Piece], most: int) -> Sequence[Piece]:
    """Some pieces, evenly spread over all of them."""
    return found[:: max(1, len(found) // most)][:most]


def preview(given: ExpansionInput) -> ExpansionPreview | None:
    """Add pieces to a vocabulary, and measure what that saves; None if there is nothing to add."""
    return None if given.missing else ExpansionPreview(given, given.expansion())


def answer(shown: ExpansionPreview | None) -> dict[str, Any]:
    """The new pieces, those that are already there, and those that were refused with the reason."""
    if shown is None:
        raise InputProblem(_("Choose the vocabulary to add."), 422, "addition")
    expansion = shown.expansion
    return {
        "first_id": expansion.first_id,
        "added": [piece.text for piece in expansion.added],
        "present": list(expansion.present),
        "refused": [{"name": one.name, "reason": one.reason} for one in expansion.refused],
    }


TOOL = Tool(
    name="expansion",
    address="/vocabularies/expand",
    input=ExpansionInput,
    run=preview,
    answer=answer,
    form_id="expand",
)
expansion_files = Blueprint("expansion_files", __name__, url_prefix=TOOL.address)


def _contents() -> tuple[ExpansionInput, dict[str, bytes], list[InputProblem]]:
    """The input of the request, and its files or its problems."""
    given, problems = ExpansionInput.read(request)
    try:
        return given, {} if problems else given.contents(), problems
    except InputProblem as problem:
        return given, {}, [problem]


@expansion_files.route(
    "/<any('tokenizer.json','tokenizer.model','ranks.tiktoken','tokens_and_scores.json','old_ids.json'):file>",
    methods=["GET", "POST"],
)
def download(file: str) -> BaseResponse:
    """Download a file of the expanded vocabulary."""
    given, contents, problems = _contents()
    if problems:
        return page_of(TOOL, given, None, problems)
    if file not in contents:
        abort(404)
    kind = "application/json" if file.endswith(".json") else "application/octet-stream"
    return attachment(Response(contents[file], mimetype=kind), file)


@expansion_files.post("/store")
@stores_by_hash
def store() -> BaseResponse:
    """Store the expanded vocabulary as an upload, and show its page."""
    forbid_foreign()
    given, contents, problems = _contents()
    if problems:
        return page_of(TOOL, given, None, problems)
    try:
        uploaded = library().store(next(iter(contents.values())))
    except FormatError as error:
        message, status = _("The expanded vocabulary cannot be stored: %(why)s", why=translated(error)), 422
    except StorageFullError:
        message, status = _("This site has no storage left for vocabularies. Download the files instead."), 507
    except UnavailableStorageError:
        message, status = _("The site’s storage cannot be reached at the moment. Try again in a minute."), 503
    else:
        response = make_response(redirect(url_for("vocabularies.vocabulary", name=uploaded.name), 303))
        remember_upload(response, uploaded.name, f"{given.base}+{given.addition or 'tokens'}", uploads_of(request))
        return response
    return page_of(TOOL, given, None, [InputProblem(message, status)])
