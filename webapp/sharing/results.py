"""Shared results: what is stored of one, and how it is restored with today's core for details and comparison."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from flask import Response, abort, current_app, request, url_for
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l

from webapp.core import __version__
from webapp.core.encoding import Encoding
from webapp.core.formats.reading import FormatError
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.pictures import drawing
from webapp.storage import ShareReceipt, Snapshot, VocabularyFile
from webapp.tokenization.algorithms import algorithm_names
from webapp.tokenization.comparison import views
from webapp.tokenization.comparison.state import (
    OPTIONS,
    Comparison,
    ComparisonResult,
    ComparisonRow,
    choice_of,
    compare_tokenizers,
)
from webapp.tokenization.comparison.views import ComparisonView
from webapp.tokenization.exports import WRITERS, counted_tokens, download, picture_title, picture_words
from webapp.tokenization.forms import InputProblem
from webapp.tokenization.messages import noted, translated
from webapp.tokenization.result import Result, tokenize
from webapp.tokenization.snapshots import ShareTerms, Shown, SnapshotModel, encoding_of, store
from webapp.tokenization.state import DEFAULTS, State, view_of
from webapp.tokenization.views import DetailsForm, ResultView, TokenDetails, TokenView
from webapp.vocabularies import CATALOGUE, StillFetchingError, UnavailableVocabularyError, library
from webapp.vocabularies.library import file_of
from webapp.vocabularies.wellknown import WELL_KNOWN
from webapp.web.json_responses import json_piece, well_formed

AnyView = TypeVar("AnyView", bound=ResultView)

# The parts of a state that a snapshot stores as options, with the default values that it omits.
STORED: Mapping[str, Any] = {
    name: default for name, default in DEFAULTS.items() if name not in ("text", "token", "algorithm", "vocabulary")
}


def share_result(result: Result, terms: ShareTerms) -> ShareReceipt:
    """Store a result and the file of its vocabulary; raises InputProblem, and the exceptions of `Library.file`."""
    snapshot, file = capture(result, terms.texts)
    return store(snapshot, terms, vocabulary=file, most_bytes=most_bytes(result.state))


def most_bytes(*states: State) -> int | None:
    """The limit for the vocabularies of a snapshot: none where all are the site's own or well known."""
    return None if all(map(_is_of_this_site, states)) else library().uploads.most_bytes


def _is_of_this_site(state: State) -> bool:
    return state.vocabulary in WELL_KNOWN or (state.vocabulary in CATALOGUE and not _is_made_here(state))


def capture(result: Result, texts: Mapping[str, str]) -> tuple[Snapshot, VocabularyFile]:
    """The snapshot of a result with its title and note, and the file of its vocabulary."""
    file = _vocabulary_file(result)
    state = {**canonical(result.state.relevant(), file.hash), **texts}
    return snapshot_of(result.encoding, result.tokenizer, state, result.comparison.decoded), file


def snapshot_of(encoding: Encoding, tokenizer: Tokenizer, state: Mapping[str, Any], decoded: str) -> Snapshot:
    """A text with its tokens as a snapshot; its pieces are those of every id that occurs."""
    names = tokenizer.model.pieces
    pieces: dict[int, str | bytes] = {}
    for index, id in enumerate(encoding.ids):
        if id in pieces:
            continue
        if index not in encoding.unknown:
            pieces[id] = encoding.vocabulary_piece(id)
        elif id < len(names):
            pieces[id] = names[id]
    return Snapshot(
        text=encoding.text,
        state=state,
        ids=list(encoding.ids),
        starts=list(encoding.starts),
        ends=list(encoding.ends),
        pieces=pieces,
        unknown=sorted(encoding.unknown),
        special=sorted(encoding.special),
        decoded=decoded,
        core_version=__version__,
    )


def canonical(state: State, vocabulary_hash: str) -> dict[str, Any]:
    """The state as plain values, in a canonical form: with the text, it determines the link.

    >>> canonical(State(algorithm="fmm", vocabulary="jieba", runs=False), "5f…")
    {'algorithm': 'fmm', 'vocabulary': 'jieba', 'vocabulary_hash': '5f…', 'options': {'runs': False}}
    """
    return {
        "algorithm": state.algorithm,
        "vocabulary": state.vocabulary,
        "vocabulary_hash": vocabulary_hash,
        "options": {name: getattr(state, name) for name, default in STORED.items() if getattr(state, name) != default},
    }


def _vocabulary_file(result: Result) -> VocabularyFile:
    """The file of a result's vocabulary: built in, fetched or uploaded, or written from a trained one."""
    try:
        if _is_made_here(result.state):
            return file_of(result.tokenizer)
        return library().file(result.state.vocabulary)
    except (KeyError, ValueError) as error:
        # A stored file may have been deleted or damaged in the meantime.
        why = error if isinstance(error, FormatError) else FormatError("the stored file no longer exists")
        message = _(
            "This result cannot be shared because its vocabulary cannot be stored: %(why)s.", why=translated(why)
        )
        raise InputProblem(message) from error


def _is_made_here(state: State) -> bool:
    return state.trained or state.vocabulary == "own-dictionary"


class StoredTokens:
    """A stored text with its tokens, and what today's core makes of it."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Restore the state of the playground at the time of sharing."""
        self.snapshot = snapshot
        stored = snapshot.state
        options = {name: value for name, value in stored["options"].items() if name in STORED}
        self.state = State(stored["algorithm"], stored["vocabulary"], snapshot.text, **options)
        self.encoding = encoding_of(snapshot)

    @cached_property
    def result(self) -> Result:
        """The result with the stored tokens, and the tokenizer for details about them."""
        tokenizer = self._today.tokenizer if self._today else Tokenizer(SnapshotModel(self.snapshot))
        found = self._today or Result(tokenizer, state=self.state, encoding=self.encoding)
        return replace(found, encoding=self.encoding, seconds=None, decoded=self.snapshot.decoded)

    @property
    def differs(self) -> bool:
        """Whether the text would have other ids today."""
        return self._today is not None and list(self._today.encoding.ids) != list(self.snapshot.ids)

    @cached_property
    def _today(self) -> Result | None:
        """The result for the text with today's core, or None if it is unavailable.

        Uses the vocabulary of that name if it needs no fetching, else the stored one.
        """
        name = self.state.vocabulary
        try:
            if not library().must_be_fetched(name):
                return self._tokenized(None)
        except (StillFetchingError, UnavailableVocabularyError, KeyError):
            pass
        except ValueError:  # the snapshot must stay readable if today's core cannot read the vocabulary
            return None
        try:
            return self._tokenized(library().stored(self.snapshot.state["vocabulary_hash"], name))
        except (KeyError, ValueError):
            return None

    def _tokenized(self, tokenizer: Tokenizer | None) -> Result:
        return tokenize(self.state, corpus_limit=current_app.config["MAX_CORPUS_BYTES"], tokenizer=tokenizer)

    def as_json(self) -> dict[str, Any]:
        """The tokens; `pieces` has an entry for each of them."""
        shared, state = self.snapshot, self.snapshot.state
        pieces = {id: json_piece(piece) for id, piece in shared.pieces.items()}
        unknown = frozenset(shared.unknown)
        return {
            **{name: state[name] for name in ("algorithm", "vocabulary", "vocabulary_hash", "options")},
            "ids": shared.ids,
            "pieces": (
                json_piece(shared.text[start:end]) if index in unknown else pieces[id]
                for index, (id, start, end) in enumerate(zip(shared.ids, shared.starts, shared.ends, strict=True))
            ),
            "offsets": zip(shared.starts, shared.ends, strict=True),
            "unknown": shared.unknown,
            "special": shared.special,
            "decoded": well_formed(shared.decoded),
        }


class ShownResult(Shown):
    """A shared result; `token` and `view` of the address choose what is shown of it."""

    kind = "result"

    @cached_property
    def restored(self) -> StoredTokens:
        """The result at the time of sharing."""
        return StoredTokens(self.snapshot)

    @property
    def differs(self) -> bool:
        """Whether the same text has different ids today."""
        return self.restored.differs

    @cached_property
    def view(self) -> ResultView:
        """What the templates show."""
        return self._view(ResultView)

    def part(self) -> TokenView:
        """The details of the chosen token alone."""
        return self._view(TokenView)

    def content(self, *, embedded: bool = False) -> dict[str, Any]:
        """The result, or its tokens alone."""
        return {"result_shown": replace(self.view, stem=None) if embedded else self.view}

    def content_json(self) -> dict[str, Any]:
        """The tokens."""
        return self.restored.as_json()

    def file(self, kind: str) -> Response:
        """The result as a file."""
        return download(WRITERS[kind], self.restored.result, f"tokens.{kind}")

    def card(self) -> bytes:
        """The tokens, with the algorithm and the vocabulary if there is no title."""
        title = self.snapshot.state.get("title") or picture_title(self.restored.state)
        return drawing.card(self.restored.encoding, picture_words(self.restored.state), title=title)

    @property
    def origin(self) -> tuple[str, str]:
        """The playground."""
        return url_for("playground.page"), self.view.state.query()

    @property
    def generic_title(self) -> str:
        """Tokens, algorithm and vocabulary: `39 tokens · BPE · GPT-4 (cl100k_base)`."""
        count = counted_tokens(self.view.state, len(self.snapshot.ids))
        parts = (count, algorithm_names()[self.view.state.algorithm], self.view.vocabulary_title)
        return " · ".join(part for part in parts if part)

    def _view(self, kind: type[AnyView]) -> AnyView:
        details = None
        problems: list[InputProblem] = []
        if request.args.get("token"):  # empty: the form of a page without a selected token, or its button to close
            with noted(problems):
                index = request.args.get("token", -1, int)
                details = TokenDetails(self.restored.result, index, request.args["token"][:20])
        state = replace(self.restored.state, view=view_of(request.args.get("view")) or self.restored.state.view)
        chosen = f"view={state.view}&" if "view" in request.args else ""
        return kind(
            state=state,
            result=self.restored.result,
            details=details,
            token_problems=problems,
            link=self.address,
            stem=f"{self.address}?{chosen}token=",
            chooser=DetailsForm("snapshot", self.address, "get", f"{self.address}/tokens"),
            json_url=url_for("share.as_json", id=self.stored.id),
        )


def share_comparison(comparison: Comparison, terms: ShareTerms) -> ShareReceipt:
    """Store a comparison with its vocabularies; raises InputProblem if any row has no tokens."""
    compared = compare_tokenizers(comparison)
    _require_tokens(compared)
    rows, files = [], []
    for row in compared.rows:
        assert row.result is not None
        snapshot, file = capture(row.result, {})
        rows.append(replace(snapshot, state={**snapshot.state, "vocabulary_size": row.vocabulary_size}))
        files.append(file)
    state = {"kind": "comparison", "layout": "lines", "rows": [row.state for row in rows], **terms.texts}
    snapshot = Snapshot(comparison.text, state, (), (), (), {}, core_version=__version__, rows=rows)
    return store(snapshot, terms, others=files, most_bytes=most_bytes(*comparison.states))


def _require_tokens(compared: ComparisonResult) -> None:
    wrong = []
    for row in compared.rows:
        if row.pending:
            raise row.pending
        if row.problem:
            wrong.append((row, row.problem))
        if row.result:
            row.result.check_computable()
    if wrong:
        advice = _("A comparison can be shared only if every row has tokens. Remove the other rows, then share it.")
        sentences = [f"{row.number} {row.title}: {problem.message}" for row, problem in wrong]
        status = 422 if any(problem.status < 500 for _row, problem in wrong) else 503
        raise InputProblem(" ".join([*sentences, advice]), status)


class ShownComparison(Shown):
    """A shared comparison."""

    kind = "comparison"
    heading = _l("Comparison of tokenizers")

    @cached_property
    def rows(self) -> list[StoredTokens]:
        """The rows at the time of sharing."""
        return list(map(StoredTokens, self.snapshot.rows))

    @cached_property
    def comparison(self) -> Comparison:
        """The text and the tokenizers that the author compared."""
        states = [row.state for row in self.rows]
        chosen = ((name, getattr(state, name)) for state in states for name in OPTIONS)
        options: dict[str, Any] = {name: value for name, value in chosen if value != DEFAULTS[name]}
        return Comparison(tuple(map(choice_of, states)), State(text=self.snapshot.text, **options))

    @property
    def differs(self) -> bool:
        """Whether any row would have other ids today."""
        return any(row.differs for row in self.rows)

    def _view(self, **choices: Any) -> ComparisonView:
        rows = []
        for place, row in enumerate(self.rows, 1):
            size = row.snapshot.state.get("vocabulary_size", 0)
            rows.append(ComparisonRow(place, choice_of(row.state), picture_title(row.state), row.encoding, size))
        return ComparisonView(self.comparison, ComparisonResult(self.snapshot.text, rows), **choices)

    def content(self, *, embedded: bool = False) -> dict[str, Any]:
        """The comparison, or its stage alone."""
        return {"view": self._view(linked=False) if embedded else self._view(stem=self.address)}

    def content_json(self) -> dict[str, Any]:
        """The rows, each with its own tokens."""
        return {"rows": [row.as_json() for row in self.rows]}

    def file(self, kind: str) -> Response:
        """The comparison as a file."""
        if kind not in views.WRITERS:
            abort(404)
        return download(views.WRITERS[kind], self._view(), f"comparison.{kind}")

    def card(self) -> bytes:
        """The rows."""
        return drawing.comparison_card(self._view().picture_rows, picture_words(), title=self.title)

    @property
    def origin(self) -> tuple[str, str]:
        """The page that compares."""
        return url_for("compare.page"), self.comparison.query()
