"""Results, comparisons and conversations as JSON; what decoding changes, and the lines that a word list skipped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, cast, get_args

from flask import Response, abort
from pydantic import ConfigDict, Field

from webapp.core.analysis.round_trip import Change, RoundTripReport
from webapp.core.encoding import Encoding
from webapp.core.inference.records import OWN
from webapp.core.models.dictionary import Dictionary, Reason
from webapp.core.models.maximum_probability import MaximumProbability, Mode
from webapp.core.tokenizer import Tokenizer
from webapp.rendering.delimited import csv_parts
from webapp.tokenization.comparison.rows import ComparisonResult, ComparisonRow
from webapp.tokenization.comparison.state import Comparison
from webapp.tokenization.conversation.counts import CountedPrompt
from webapp.tokenization.result import Result
from webapp.web.json_responses import JSONPiece, json_parts, json_piece, named, well_formed
from webapp.web.long_responses import long_response


@dataclass(frozen=True)
class SkippedLineAnswer:
    """A line of a word list that is no entry."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    line: Annotated[int, Field(description="Its number, from 1.")]
    reason: Reason
    detail: str


@dataclass(frozen=True)
class SkippedLinesAnswer:
    """The lines of a word list that were skipped because they are no entries."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    count: int
    first: Annotated[Sequence[SkippedLineAnswer], Field(description="The first of them.")]


Skipped = Annotated[
    SkippedLinesAnswer | None,
    Field(description="The lines of the dictionary that were skipped. Absent if there are none."),
]


def skipped_lines(dictionary: object) -> SkippedLinesAnswer | None:
    """What was skipped when a dictionary was read; None if nothing was, or if there is no dictionary."""
    if not isinstance(dictionary, Dictionary) or not dictionary.skipped:
        return None
    skipped = dictionary.skipped
    first = [SkippedLineAnswer(line.number, line.reason, str(line.message)) for line in skipped.first]
    return SkippedLinesAnswer(skipped.count, first)


def skipped_json(tokenizer: Tokenizer) -> dict[str, Any]:
    """The key `skipped_lines` for the dictionary of a tokenizer, or nothing if no line was skipped.

    >>> from webapp.core import load
    >>> skipped_json(load("研究\\n研究生\\n生命 often".encode()))["skipped_lines"].first[0].line
    3
    """
    found = skipped_lines(getattr(tokenizer.model, "dictionary", None))
    return {"skipped_lines": found} if found else {}


Want = Literal["ids", "pieces", "offsets", "counts"]
WANTS: tuple[Want, ...] = get_args(Want)


def tokenization_json(encoding: Encoding, want: Collection[Want]) -> dict[str, Any]:
    """The given keys of an encoding.

    >>> from webapp.vocabularies.shipped_vocabularies import shipped_tokenizer
    >>> answer = tokenization_json(shipped_tokenizer("bpe-bytes").encode("low 乸"), WANTS)
    >>> answer["ids"], answer["pieces"]
    ((1133, 32, 303, 184), ['low', ' ', {'bytes': 'e4 b9'}, {'bytes': 'b8'}])
    >>> answer["offsets"], answer["counts"]
    ([(0, 3), (3, 4), (4, 5), (4, 5)], {'tokens': 4, 'characters': 5, 'bytes': 7, 'unknown': 0})
    """
    return {
        key: list(value) if isinstance(value, Iterator) else value
        for key, value in tokenization_stream(encoding, want).items()
    }


def tokenization_stream(encoding: Encoding, want: Collection[Want]) -> dict[str, Any]:
    """The same with an iterator in place of each long list, for `json_response`.

    Raises TextError here, not when the iterators are read.
    """
    return {key: _MAKERS[key](encoding) for key in WANTS if key in want}


def _pieces(encoding: Encoding) -> Iterator[JSONPiece]:
    """The piece of each token, serialized once per id; for an unknown token, the text that it covers."""
    unknown, special = encoding.unknown, encoding.special

    def pieces() -> Iterator[JSONPiece]:
        written: dict[int, JSONPiece] = {}
        for index, id in enumerate(encoding.ids):
            if index in unknown or index in special:
                yield json_piece(encoding.piece(index))
                continue
            if id not in written:
                written[id] = json_piece(encoding.piece(index))
            yield written[id]

    return pieces()


def words_json(tokenizer: Tokenizer, mode: str, text: str) -> dict[str, Any]:
    """The words of a mode of maximum probability, with start and end; empty for the precise one and other models."""
    model = tokenizer.model
    if mode == "precise" or not isinstance(model, MaximumProbability):
        return {}
    spans = model.spans(text, cast(Mode, mode))
    return {"words": [{"word": well_formed(text[start:end]), "start": start, "end": end} for start, end in spans]}


def counts_json(text: str, tokens: int) -> dict[str, int]:
    """The length of a text in tokens, characters (code points) and bytes of UTF-8."""
    return {"tokens": tokens, "characters": len(text), "bytes": len(text.encode("utf-8", "replace"))}


def _counts(encoding: Encoding) -> dict[str, int]:
    return {**counts_json(encoding.text, len(encoding)), "unknown": len(encoding.unknown)}


_MAKERS: Mapping[Want, Callable[[Encoding], Any]] = {
    "ids": lambda encoding: encoding.ids,
    "pieces": _pieces,
    "offsets": lambda encoding: zip(encoding.starts, encoding.ends, strict=True),
    "counts": _counts,
}


def result_json(result: Result) -> dict[str, Any]:
    """The JSON version of a page with a result: the request, all data about the tokens and the decoded text."""
    state = asdict(result.state.relevant())
    for name in ("token", "show", "inference", "dropout", "alpha", "seed"):
        del state[name]
    state["text"] = well_formed(state["text"])
    return {
        **state,
        **result.state.inference_options,
        **tokenization_stream(result.encoding, WANTS),
        **words_json(result.tokenizer, state["mode"], result.encoding.text),
        "unknown": sorted(result.encoding.unknown),
        "special_tokens": sorted(result.encoding.special),
        "decoded": well_formed(result.comparison.decoded),
        "decodes_to_text": result.comparison.equal,
    }


MOST_CHANGES = 1_000


def round_trip_json(report: RoundTripReport) -> dict[str, Any]:
    """The decoded text, how many changes there are, and the first of them."""
    return {
        "decoded": well_formed(report.decoded),
        "equal": report.equal,
        "number_of_changes": len(report.changes),
        "changes": [_change(change) for change in report.changes[:MOST_CHANGES]],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        **named(change, "start", "end", "decoded_start", "decoded_end", "before", "after"),
        **named(change.stage, *_STAGE),
        "steps": [{**named(stage, *_STAGE), "after": well_formed(after)} for stage, after in change.steps],
    }


_STAGE = ("stage", "component", "rule")


def comparison_json(comparison: Comparison, compared: ComparisonResult) -> dict[str, Any]:
    """The request, and a row for each tokenizer; `boundaries` refer to the rows with tokens, in order."""
    agreement = compared.agreement
    places = iter(agreement.each)
    return {
        "text": well_formed(compared.text),
        "options": {name: value for name, value in comparison.options().items() if name != "show"},
        "rows": [
            _row(row) | ({"boundaries": next(places)} if row.encoding is not None else {}) for row in compared.rows
        ],
        "agreed": agreement.agreed,
        "disputed": agreement.disputed,
        "shared_boundaries": agreement.shared,
    }


def _row(row: ComparisonRow) -> dict[str, Any]:
    about: dict[str, Any] = {"algorithm": row.choice.algorithm, "vocabulary": row.choice.vocabulary, "title": row.title}
    if row.choice.inference != OWN:
        about["inference"] = row.choice.inference
    if row.encoding is None:
        assert row.problem is not None
        return about | {"error": {"status": row.problem.status, "detail": row.problem.message}}
    return about | {
        **tokenization_stream(row.encoding, WANTS),
        "unknown": sorted(row.encoding.unknown),
        "vocabulary_size": row.vocabulary_size,
        "seconds": row.seconds,
    }


ConversationWant = Literal["prompt", "spans", "ids"]
CONVERSATION_WANTS: tuple[ConversationWant, ...] = get_args(ConversationWant)


def conversation_json(
    counted: CountedPrompt, roles: Sequence[str], want: Collection[ConversationWant] = CONVERSATION_WANTS
) -> dict[str, Any]:
    """The counts of a prompt by message, and the parts that `want` names; offsets are in characters of the prompt."""
    prompt = counted.prompt
    found: dict[str, Any] = {
        "tokens": counted.total,
        "content": counted.content,
        "added": counted.template,
        "reply": counted.reply,
        "other": counted.other,
        "messages": [
            {"role": well_formed(role), "tokens": one.total, "content": one.content, "added": one.template}
            for role, one in zip(roles, counted.messages, strict=True)
        ],
        "missing": list(counted.missing),
        "crossing": counted.crossing,
        "injected": list(counted.injected),
    }
    if "prompt" in want:
        found["prompt"] = well_formed(prompt.text)
    if "spans" in want:
        found["spans"] = list(prompt.spans)
    if "ids" in want:
        found["ids"] = list(counted.encoding.ids)
    return found


def conversation_rows(counted: CountedPrompt, roles: Sequence[str]) -> Iterator[list[object]]:
    """The header, a row for each message, and rows for what belongs to none and for the sum."""
    yield ["message", "role", "tokens", "content", "added"]
    for index, (role, one) in enumerate(zip(roles, counted.messages, strict=True), 1):
        yield [index, role, one.total, one.content, one.template]
    yield ["", "reply prompt", counted.reply, 0, counted.reply]
    yield ["", "begin and tools", counted.other, 0, counted.other]
    yield ["", "total", counted.total, counted.content, counted.template]


def conversation_file(counted: CountedPrompt, roles: Sequence[str], kind: str) -> Response:
    """A counted conversation as a download: its counts, or the prompt as it was rendered; not found for other kinds."""
    content: Iterable[str | bytes]
    match kind:
        case "json":
            mimetype, content = "application/json", json_parts(conversation_json(counted, roles))
        case "csv":
            mimetype, content = "text/csv", csv_parts(conversation_rows(counted, roles))
        case "txt":
            mimetype, content = "text/plain", [counted.prompt.text]
        case _:
            abort(404)
    response = long_response(content, mimetype=mimetype)
    # The file name is fixed: no input of the visitor goes into a header.
    response.headers["Content-Disposition"] = f"attachment; filename={'prompt' if kind == 'txt' else 'messages'}.{kind}"
    return response
